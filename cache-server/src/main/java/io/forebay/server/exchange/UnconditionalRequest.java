package io.forebay.server.exchange;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.RequestView;
import io.forebay.core.route.RequestWithFields;
import java.util.Set;

/** A request for a whole response, whatever the client has of it. */
public final class UnconditionalRequest {

  private static final Set<String> LEFT_OUT =
      Set.of(
          "range",
          "if-range",
          "if-match",
          "if-none-match",
          "if-modified-since",
          "if-unmodified-since");

  private UnconditionalRequest() {}

  /** The same request without conditions and ranges; itself where it has none. */
  public static RequestView of(RequestView request) {
    return RequestWithFields.replacing(request, LEFT_OUT::contains, HeaderFields.EMPTY);
  }
}
