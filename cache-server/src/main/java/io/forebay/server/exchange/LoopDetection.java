package io.forebay.server.exchange;

import io.forebay.core.http.CdnLoop;
import io.forebay.core.http.RequestView;
import io.forebay.core.policy.ProxyError;
import io.forebay.core.policy.Reason;
import io.forebay.server.runtime.RuntimeConfig;
import org.jspecify.annotations.Nullable;

/** Detects requests that loop between nodes, or that passed through too many (RFC 8586). */
public final class LoopDetection {
  private LoopDetection() {}

  /** What such a request is answered with. */
  public record Verdict(int status, String text, Reason reason, ProxyError error) {}

  /** The refusal, or null when the request may go on. */
  public static @Nullable Verdict judge(RequestView request, RuntimeConfig snapshot) {
    if (request.fields().first("cdn-loop") == null) {
      return null;
    }
    String nodeId = snapshot.nodeId();
    CdnLoop passed = CdnLoop.of(request.fields().all("cdn-loop"), nodeId);
    // First, because what is malformed behind our own id may be meant to hide it.
    if (passed.isThroughHere()) {
      return loop("this request has already passed through " + nodeId);
    }
    if (passed.isMalformed()) {
      return new Verdict(
          400, "CDN-Loop is malformed", Reason.REFUSED_FIELDS, ProxyError.HTTP_REQUEST_ERROR);
    }
    int most = snapshot.config().forwarding().maxHops();
    return passed.hops() <= most
        ? null
        : loop("this request has already passed through more than " + most + " nodes");
  }

  private static Verdict loop(String text) {
    return new Verdict(508, text, Reason.REFUSED_LOOP, ProxyError.PROXY_LOOP_DETECTED);
  }
}
