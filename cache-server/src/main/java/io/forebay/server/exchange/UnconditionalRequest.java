package io.forebay.server.exchange;

import io.forebay.core.http.ConditionalFields;
import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.RequestView;
import io.forebay.core.route.RequestWithFields;

/** A request for a whole response, whatever the client has of it. */
public final class UnconditionalRequest {
  private UnconditionalRequest() {}

  /** The same request without conditions and ranges; itself where it has none. */
  public static RequestView of(RequestView request) {
    return RequestWithFields.replacing(request, ConditionalFields::has, HeaderFields.EMPTY);
  }
}
