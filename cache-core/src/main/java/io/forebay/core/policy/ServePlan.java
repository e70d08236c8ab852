package io.forebay.core.policy;

import io.forebay.core.http.ByteRange;
import io.forebay.core.http.Conditions;
import io.forebay.core.http.KnownField;
import io.forebay.core.http.RequestView;

/**
 * With what of a stored response a request is answered: its conditions and its range (RFC 9110 §13,
 * §14; RFC 9111 §4.3.2). Allocates nothing for a request that has neither.
 */
public sealed interface ServePlan {

  /** The stored status and the whole body. */
  record Whole() implements ServePlan {}

  /** Status 206 with the bytes from first to last, both included. */
  record Range(long first, long last) implements ServePlan {
    public long length() {
      return last - first + 1;
    }
  }

  /** Status 304 without a body. */
  record NotModified() implements ServePlan {}

  /** Status 412. */
  record PreconditionFailed() implements ServePlan {}

  /** Status 416 with {@code Content-Range: bytes *}{@code /length}. */
  record Unsatisfiable() implements ServePlan {}

  ServePlan WHOLE = new Whole();
  ServePlan NOT_MODIFIED = new NotModified();
  ServePlan PRECONDITION_FAILED = new PreconditionFailed();
  ServePlan UNSATISFIABLE = new Unsatisfiable();

  /** Fields that can make the plan other than {@link #WHOLE}. */
  int RELEVANT =
      KnownField.IF_MATCH.bit()
          | KnownField.IF_NONE_MATCH.bit()
          | KnownField.IF_MODIFIED_SINCE.bit()
          | KnownField.IF_UNMODIFIED_SINCE.bit()
          | KnownField.RANGE.bit();

  /**
   * Plans the answer to a GET or HEAD.
   *
   * @param totalLength length of the stored body
   */
  static ServePlan of(RequestView request, StoredMeta meta, long totalLength) {
    // RFC 9110 §13.2.1: conditions count only where the answer would be a success without them.
    if ((request.knownFields() & RELEVANT) == 0 || meta.status() / 100 != 2) {
      return WHOLE;
    }
    String etag = meta.etag();
    long lastModified = meta.lastModifiedMillis();
    switch (Conditions.evaluate(request, etag, lastModified, meta.dateMillis())) {
      case NOT_MODIFIED -> {
        return NOT_MODIFIED;
      }
      case PRECONDITION_FAILED -> {
        return PRECONDITION_FAILED;
      }
      case PROCEED -> {}
    }
    // RFC 9110 §14.2: a range is for GET only, and here for a 200 only.
    if (!request.has(KnownField.RANGE)
        || meta.status() != 200
        || !request.method().equals("GET")
        || !Conditions.allowsRange(request, etag, lastModified, meta.dateMillis())) {
      return WHOLE;
    }
    return switch (ByteRange.of(request.value(KnownField.RANGE), totalLength)) {
      case ByteRange.None() -> WHOLE;
      case ByteRange.Unsatisfiable() -> UNSATISFIABLE;
      case ByteRange.Satisfiable(long first, long last) -> new Range(first, last);
    };
  }
}
