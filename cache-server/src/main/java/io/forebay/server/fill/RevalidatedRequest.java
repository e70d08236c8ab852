package io.forebay.server.fill;

import io.forebay.core.http.ForwardingRequest;
import io.forebay.core.http.KnownField;
import io.forebay.core.http.RequestView;
import io.forebay.core.policy.StoredMeta;

/**
 * A request that a 304, or a 200 to a HEAD, was the answer to, as the rules see it where they judge
 * what is stored anew: without its cookies. What is confirmed is not what the origin wrote for
 * these cookies, so a lifetime that was guessed for it may be guessed again.
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
