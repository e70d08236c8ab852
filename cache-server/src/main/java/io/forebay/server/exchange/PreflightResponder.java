package io.forebay.server.exchange;

import io.forebay.core.http.HttpDate;
import io.forebay.core.policy.CacheStatus;
import io.forebay.core.policy.Reason;
import io.forebay.server.counters.LoopCounters.CacheResult;
import io.forebay.server.http.ResponseSink;
import io.forebay.server.response.HeadLines;
import io.forebay.server.response.HeadWriter;
import io.forebay.server.rule.CorsPolicy;
import io.forebay.server.rule.RouteRules;
import org.jspecify.annotations.Nullable;

/**
 * Answers CORS preflights of routes that have a policy. Of the protection of the route only the
 * access by network counts: browsers send no credentials with preflights.
 */
final class PreflightResponder {
  private PreflightResponder() {}

  /** Answers and gives the step that follows, or null when the request goes on. */
  static @Nullable Step answer(
      ExchangeContext loop, ClientRequest request, ClientResponse response) {
    RouteRules rules = request.config().rules(request.route());
    CorsPolicy cors = rules == null ? null : rules.presets().cors();
    if (cors == null || !CorsPolicy.isPreflight(request.view())) {
      return null;
    }
    Step refused = Admission.judgePreflight(loop, request, response);
    if (refused != null) {
      return refused;
    }
    request.hideRemovedFields();
    request.body().cancel();
    HeadWriter head = loop.heads().begin(response.sink(), 204, null);
    HstsLine.write(request, head);
    HeadLines.text(head.fields(), "date: " + HttpDate.format(loop.nowMillis()) + "\r\n");
    EndToEndFields.copy(head.fields(), cors.preflight(request.view()));
    head.cacheStatus(
        request
            .config()
            .cacheStatus()
            .forwarded(Reason.CORS_PREFLIGHT, CacheStatus.NO_STATUS, false, false, null));
    head.send(ResponseSink.LENGTH_ABSENT, true);
    response.sink().flush();
    response.onHeadSent(204, CacheResult.SYNTHETIC, Reason.CORS_PREFLIGHT);
    response.over();
    return Step.AWAIT;
  }
}
