package io.forebay.server.response;

import io.forebay.core.http.ByteRange.Satisfiable;
import io.forebay.core.http.RequestView;
import io.forebay.core.policy.ServePlan;
import io.forebay.core.policy.StoredMeta;
import io.forebay.server.http.ResponseSink;
import java.util.List;

/**
 * Status, framing and body range of a response made from stored metadata.
 *
 * @param contentLength as {@link ResponseSink#head} takes it
 * @param from first body byte to send
 * @param to end of the body bytes to send, exclusive; {@link Long#MAX_VALUE} while the length is
 *     not known
 * @param parts the ranges to send where there are several; {@code from} and {@code to} are those of
 *     the first, and the length is that of {@link io.forebay.server.deliver.Multipart}
 * @param hasBody whether body bytes follow the head at all
 * @param sendsAllFields whether every stored field is sent, or only those that go with a 304
 */
public record ResponsePlan(
    int status,
    long contentLength,
    long from,
    long to,
    List<Satisfiable> parts,
    boolean hasBody,
    boolean sendsAllFields) {

  /**
   * Plans the answer.
   *
   * @param totalLength of the stored body, or -1 while it is not known; a range is then not cut out
   * @param maxRanges a request for more is answered with the whole body
   */
  public static ResponsePlan of(
      RequestView request, StoredMeta meta, long totalLength, int maxRanges) {
    boolean isHead = request.method().equals("HEAD");
    ServePlan plan =
        totalLength < 0
            ? ServePlan.ofConditions(request, meta)
            : ServePlan.of(request, meta, totalLength, maxRanges);
    return switch (plan) {
      case ServePlan.NotModified() -> notModified();
      case ServePlan.PreconditionFailed() -> bodiless(412, 0);
      case ServePlan.Range(long first, long last) -> range(first, last);
      case ServePlan.Ranges(List<Satisfiable> parts) ->
          new ResponsePlan(
              206, 0, parts.getFirst().first(), parts.getFirst().end(), parts, true, true);
      case ServePlan.Unsatisfiable() -> bodiless(416, 0);
      case ServePlan.Whole() -> whole(meta.status(), totalLength, isHead);
    };
  }

  /** A 304. */
  public static ResponsePlan notModified() {
    return bodiless(304, ResponseSink.LENGTH_ABSENT);
  }

  /** One range, of a body whose length need not be known. */
  public static ResponsePlan range(long first, long last) {
    return new ResponsePlan(206, last + 1 - first, first, last + 1, List.of(), true, true);
  }

  /** What is sent of the body, if anything is. */
  public List<Satisfiable> wanted() {
    return parts.isEmpty() ? List.of(new Satisfiable(from, to - 1)) : parts;
  }

  private static ResponsePlan whole(int status, long totalLength, boolean isHead) {
    if (status == 204) {
      return new ResponsePlan(status, ResponseSink.LENGTH_ABSENT, 0, 0, List.of(), false, true);
    }
    boolean isKnown = totalLength >= 0;
    long length =
        isKnown ? totalLength : isHead ? ResponseSink.LENGTH_ABSENT : ResponseSink.LENGTH_UNKNOWN;
    return new ResponsePlan(
        status,
        length,
        0,
        isKnown ? totalLength : Long.MAX_VALUE,
        List.of(),
        !isHead && totalLength != 0,
        true);
  }

  private static ResponsePlan bodiless(int status, long contentLength) {
    return new ResponsePlan(status, contentLength, 0, 0, List.of(), false, false);
  }
}
