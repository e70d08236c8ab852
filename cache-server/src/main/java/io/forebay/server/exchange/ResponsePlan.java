package io.forebay.server.exchange;

import io.forebay.core.http.RequestView;
import io.forebay.core.policy.ServePlan;
import io.forebay.core.policy.StoredMeta;

/**
 * Status, framing and body range of a response made from stored metadata.
 *
 * @param contentLength as {@link ResponseSink#head} takes it
 * @param from first body byte to send
 * @param to end of the body bytes to send, exclusive; {@link Long#MAX_VALUE} while the length is
 *     not known
 * @param hasBody whether body bytes follow the head at all
 * @param sendsAllFields whether every stored field is sent, or only those that go with a 304
 */
record ResponsePlan(
    int status, long contentLength, long from, long to, boolean hasBody, boolean sendsAllFields) {

  /**
   * Plans the answer.
   *
   * @param totalLength of the stored body, or -1 while it is not known; a range is then not cut out
   */
  static ResponsePlan of(RequestView request, StoredMeta meta, long totalLength) {
    boolean isHead = request.method().equals("HEAD");
    boolean isKnown = totalLength >= 0;
    return switch (ServePlan.of(request, meta, Math.max(0, totalLength))) {
      case ServePlan.NotModified() -> bodiless(304, ResponseSink.LENGTH_ABSENT);
      case ServePlan.PreconditionFailed() -> bodiless(412, 0);
      case ServePlan.Range(long first, long last) when isKnown ->
          new ResponsePlan(206, last + 1 - first, first, last + 1, true, true);
      case ServePlan.Unsatisfiable() when isKnown -> bodiless(416, 0);
      default -> whole(meta.status(), totalLength, isHead);
    };
  }

  private static ResponsePlan whole(int status, long totalLength, boolean isHead) {
    if (status == 204) {
      return new ResponsePlan(status, ResponseSink.LENGTH_ABSENT, 0, 0, false, true);
    }
    boolean isKnown = totalLength >= 0;
    long length =
        isKnown ? totalLength : isHead ? ResponseSink.LENGTH_ABSENT : ResponseSink.LENGTH_UNKNOWN;
    return new ResponsePlan(
        status,
        length,
        0,
        isKnown ? totalLength : Long.MAX_VALUE,
        !isHead && totalLength != 0,
        true);
  }

  private static ResponsePlan bodiless(int status, long contentLength) {
    return new ResponsePlan(status, contentLength, 0, 0, false, false);
  }
}
