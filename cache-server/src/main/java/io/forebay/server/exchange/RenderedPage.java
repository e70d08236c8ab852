package io.forebay.server.exchange;

import io.forebay.core.http.AuthorityNormalizer;
import io.forebay.core.http.RequestView;
import io.forebay.server.page.PageFacts;
import io.forebay.server.page.PageTemplate;
import io.forebay.server.page.StatusPage;

/** An error page for one request, complete. */
@SuppressWarnings("ArrayRecordComponent")
record RenderedPage(String contentType, byte[] body) {

  static RenderedPage of(
      StatusPage page, ClientRequest request, ClientResponse response, int status) {
    RequestView view = request.view();
    PageTemplate template = page.of(view.fields().all("accept"));
    String query = view.query();
    PageFacts facts =
        new PageFacts(
            status,
            response.record().requestId(),
            AuthorityNormalizer.host(view.authority()),
            view.path() + (query == null ? "" : "?" + query));
    return new RenderedPage(template.contentType(), template.render(facts));
  }
}
