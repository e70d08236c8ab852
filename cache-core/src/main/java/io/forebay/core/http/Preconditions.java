package io.forebay.core.http;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Evaluates the preconditions of a request against the selected representation, in the order of RFC
 * 9110 §13.2.2: If-Match before If-Unmodified-Since, If-None-Match before If-Modified-Since; the
 * later of each pair applies only if the earlier is absent. The mask of known fields is tested
 * first, so a request without conditions costs one test.
 */
public final class Preconditions {

  private static final int PRECONDITIONS =
      KnownField.IF_MATCH.bit()
          | KnownField.IF_UNMODIFIED_SINCE.bit()
          | KnownField.IF_NONE_MATCH.bit()
          | KnownField.IF_MODIFIED_SINCE.bit();

  /** What the preconditions come to. */
  public enum Outcome {
    /** Answer as if there were none. */
    PROCEED,
    /** Status 304. */
    NOT_MODIFIED,
    /** Status 412. */
    PRECONDITION_FAILED
  }

  private Preconditions() {}

  /**
   * Evaluates all but If-Range.
   *
   * @param etag the representation's entity tag, null when it has none
   * @param lastModifiedMillis its date of modification or {@link HttpDate#INVALID}
   * @param receivedMillis stands in for the missing date in If-Modified-Since: the response's Date
   *     (RFC 9111 §4.3.2)
   */
  public static Outcome evaluate(
      RequestView request,
      @Nullable CharSequence etag,
      long lastModifiedMillis,
      long receivedMillis) {
    if ((request.knownFields() & PRECONDITIONS) == 0) {
      return Outcome.PROCEED;
    }
    boolean isFailed =
        request.has(KnownField.IF_MATCH)
            ? !matches(request, KnownField.IF_MATCH, etag, true)
            : isModifiedSince(
                request.value(KnownField.IF_UNMODIFIED_SINCE), lastModifiedMillis, receivedMillis);
    if (isFailed) {
      return Outcome.PRECONDITION_FAILED;
    }
    boolean isNotModified;
    if (request.has(KnownField.IF_NONE_MATCH)) {
      isNotModified = matches(request, KnownField.IF_NONE_MATCH, etag, false);
    } else {
      long modified = lastModifiedMillis == HttpDate.INVALID ? receivedMillis : lastModifiedMillis;
      CharSequence since = request.value(KnownField.IF_MODIFIED_SINCE);
      isNotModified = since != null && isNotLaterThan(since, modified, receivedMillis);
    }
    return isNotModified ? Outcome.NOT_MODIFIED : Outcome.PROCEED;
  }

  /**
   * Whether a Range field counts (RFC 9110 §13.1.5): there is no If-Range, or it names this very
   * representation by a strong validator.
   *
   * @param dateMillis the response's Date: a modification date is strong only if it is at least a
   *     second older (RFC 9110 §8.8.2.2)
   */
  public static boolean allowsRange(
      RequestView request, @Nullable CharSequence etag, long lastModifiedMillis, long dateMillis) {
    CharSequence value = request.value(KnownField.IF_RANGE);
    if (value == null) {
      return true;
    }
    if (request.fields().all(KnownField.IF_RANGE.fieldName()).size() > 1) {
      return false;
    }
    if (EntityTag.isValid(value)) {
      return etag != null && EntityTag.strongEquals(value, etag);
    }
    return lastModifiedMillis != HttpDate.INVALID
        && HttpDate.parse(value, dateMillis) == lastModifiedMillis
        && dateMillis - lastModifiedMillis >= 1000;
  }

  private static boolean matches(
      RequestView request, KnownField field, @Nullable CharSequence etag, boolean strong) {
    List<String> lines = request.fields().all(field.fieldName());
    for (String line : lines) {
      if (line.equals("*") || (etag != null && EntityTag.listContains(line, etag, strong))) {
        return true;
      }
    }
    return false;
  }

  /** False where there is no valid date to compare with: the condition is ignored (§13.1.4). */
  private static boolean isModifiedSince(
      @Nullable CharSequence since, long lastModifiedMillis, long nowMillis) {
    if (since == null || lastModifiedMillis == HttpDate.INVALID) {
      return false;
    }
    long sinceMillis = HttpDate.parse(since, nowMillis);
    return sinceMillis != HttpDate.INVALID && lastModifiedMillis > sinceMillis;
  }

  private static boolean isNotLaterThan(CharSequence since, long modified, long nowMillis) {
    long sinceMillis = HttpDate.parse(since, nowMillis);
    return sinceMillis != HttpDate.INVALID && modified <= sinceMillis;
  }
}
