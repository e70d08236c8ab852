package io.forebay.server.exchange;

import io.forebay.core.http.AuthorityNormalizer;
import io.forebay.core.http.HttpDate;
import io.forebay.core.http.RequestView;
import io.forebay.server.counters.LoopCounters.CacheResult;
import io.forebay.server.response.HeadLines;
import io.forebay.server.response.HeadWriter;
import org.jspecify.annotations.Nullable;

/**
 * Redirects plain text requests to https where their listener says so. The status is 308 for all
 * methods, so that none changes; clients may keep the redirect for an hour.
 */
final class HttpsRedirect {
  private static final int HTTPS_PORT = 443;

  private HttpsRedirect() {}

  /**
   * The route is known. Answers and gives the step that follows, or null if the request goes on.
   */
  static @Nullable Step answer(
      ExchangeContext loop, ClientRequest request, ClientResponse response) {
    RequestView view = request.view();
    int port = request.config().httpsRedirect(view.scheme(), request.client());
    if (port == 0) {
      return null;
    }
    String location = location(view, port);
    request.hideRemovedFields();
    request.body().cancel();
    HeadWriter head = loop.heads().begin(response.sink(), 308, request.rules());
    HeadLines.text(
        head.fields(),
        "date: "
            + HttpDate.format(loop.nowMillis())
            + "\r\nlocation: "
            + location
            + "\r\ncache-control: max-age=3600\r\n");
    head.send(0, true);
    response.sink().flush();
    response.onHeadSent(308, CacheResult.SYNTHETIC, request.reason());
    response.over();
    return Step.AWAIT;
  }

  private static String location(RequestView view, int port) {
    String query = view.query();
    return "https://"
        + AuthorityNormalizer.host(view.authority())
        + (port == HTTPS_PORT ? "" : ":" + port)
        + view.path()
        + (query == null ? "" : "?" + query);
  }
}
