package io.forebay.core.policy;

import io.forebay.core.http.AcceptEncoding;
import io.forebay.core.http.ByteRange;
import io.forebay.core.http.EntityTag;
import io.forebay.core.http.KnownField;
import io.forebay.core.http.Preconditions;
import io.forebay.core.http.RangeSet;
import io.forebay.core.http.RequestView;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Evaluates the conditions and the range of a request against a stored response, and thereby
 * selects status and bytes of the reply (RFC 9110 §13, §14; RFC 9111 §4.3.2). Allocates nothing for
 * a request that has neither.
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

  /** Status 206 with several parts as multipart/byteranges. */
  record Ranges(List<ByteRange.Satisfiable> parts) implements ServePlan {}

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
   * @param maxRanges a request for more ranges than this is answered with the whole body
   */
  static ServePlan of(RequestView request, StoredMeta meta, long totalLength, int maxRanges) {
    ServePlan conditional = ofConditions(request, meta);
    if (!(conditional instanceof Whole)) {
      return conditional;
    }
    RangeSet ranges = rangesOf(request, meta, maxRanges);
    return ranges == null
        ? WHOLE
        : switch (ranges.of(totalLength)) {
          case ByteRange.None() -> WHOLE;
          case ByteRange.Unsatisfiable() -> UNSATISFIABLE;
          case ByteRange.Satisfiable(long first, long last) -> new Range(first, last);
          case ByteRange.Several(List<ByteRange.Satisfiable> parts) -> new Ranges(parts);
        };
  }

  /** The same as far as it does not depend on the body: a range is not looked at. */
  static ServePlan ofConditions(RequestView request, StoredMeta meta) {
    // RFC 9110 §13.2.1: conditions count only where the answer would be a success without them.
    if ((request.knownFields() & RELEVANT) == 0 || meta.status() / 100 != 2) {
      return WHOLE;
    }
    return switch (Preconditions.evaluate(
        request, meta.etag(), meta.lastModifiedMillis(), meta.dateMillis())) {
      case NOT_MODIFIED -> NOT_MODIFIED;
      case PRECONDITION_FAILED -> PRECONDITION_FAILED;
      case PROCEED -> WHOLE;
    };
  }

  /** The ranges that a request may have of a stored body, null for the whole of it. */
  static @Nullable RangeSet rangesOf(RequestView request, StoredMeta meta, int maxRanges) {
    // RFC 9110 §14.2: a range is for GET only, and here for a 200 only.
    return request.has(KnownField.RANGE)
            && meta.status() == 200
            && !meta.hasContentRange()
            && request.method().equals("GET")
            && !isDateOfSeveral(request, meta)
            && Preconditions.allowsRange(
                request, meta.etag(), meta.lastModifiedMillis(), meta.dateMillis())
        ? RangeSet.of(request, maxRanges)
        : null;
  }

  /**
   * Whether If-Range is a date, which a response and its coded copies have in common, and the
   * client takes a coding: what it has of the body may be of either (RFC 9110 §13.1.5).
   */
  private static boolean isDateOfSeveral(RequestView request, StoredMeta meta) {
    CharSequence value =
        meta.isCompressible() || meta.isCodedCopy() ? request.value(KnownField.IF_RANGE) : null;
    return value != null
        && !EntityTag.isValid(value)
        && AcceptEncoding.classOf(request.fields()) != AcceptEncoding.IDENTITY;
  }
}
