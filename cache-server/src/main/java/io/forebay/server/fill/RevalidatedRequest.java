package io.forebay.server.fill;

import io.forebay.core.http.ForwardingRequest;
import io.forebay.core.http.KnownField;
import io.forebay.core.http.RequestView;
import io.forebay.core.policy.StoredMeta;

/**
 * The request of a validation as the rules see it when they judge the updated response: without its
 * cookies. The validated response was not created for these cookies, so it may get a heuristic
 * lifetime again.
 */
record RevalidatedRequest(RequestView request) implements ForwardingRequest {

  /** The request as it is, unless the lifetime of what is stored was guessed. */
  static RequestView of(RequestView request, StoredMeta stored) {
    return stored.isHeuristic() && request.has(KnownField.COOKIE)
        ? new RevalidatedRequest(request)
        : request;
  }

  @Override
  public int knownFields() {
    return request.knownFields() & ~KnownField.COOKIE.bit();
  }
}
