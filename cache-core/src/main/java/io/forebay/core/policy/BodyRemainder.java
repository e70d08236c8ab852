package io.forebay.core.policy;

import io.forebay.core.http.EntityTag;
import io.forebay.core.http.FieldsView;
import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.HttpDate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Builds the range request for the missing rest of a body whose beginning was already sent to a
 * client, and decides whether the response may be appended to it. Both parts must have the same
 * strong validator (RFC 9110 §13.1.5, §14.4, §15.3.7).
 *
 * @param validator a strong entity tag, or a Last-Modified that is strong, as received
 * @param totalLength of the whole body, or -1 while it is not known
 */
public record BodyRemainder(String validator, long totalLength) {

  /**
   * How the rest of a stored response's body could be fetched, or null where nothing says for sure
   * that it is of the same body: only strong validators do, and only of a whole 200. No origin has
   * the bytes of a coded copy.
   */
  public static @Nullable BodyRemainder of(StoredMeta stored, long totalLength) {
    if (stored.status() != 200 || stored.isCodedCopy()) {
      return null;
    }
    String etag = stored.etag();
    if (etag != null) {
      return EntityTag.isValid(etag) && !EntityTag.isWeak(etag)
          ? new BodyRemainder(etag, totalLength)
          : null;
    }
    String modified = stored.lastModified();
    return modified != null && isStrong(stored) ? new BodyRemainder(modified, totalLength) : null;
  }

  /** A second in which there were two bodies must have been over (RFC 9110 §8.8.2.2). */
  private static boolean isStrong(StoredMeta stored) {
    return stored.lastModifiedMillis() != HttpDate.INVALID
        && stored.dateMillis() - stored.lastModifiedMillis() >= 1000;
  }

  /** The same once the length of the whole body is known. */
  public BodyRemainder withTotalLength(long lengthBytes) {
    return new BodyRemainder(validator, lengthBytes);
  }

  /** The fields that ask for the bytes from first to last, both included. */
  public HeaderFields requestFields(long first, long last) {
    return HeaderFields.builder()
        .add("range", "bytes=" + first + "-" + last)
        .add("if-range", validator)
        .build();
  }

  /** Whether an answer brings exactly those bytes, of exactly that body. */
  public boolean isAnsweredBy(int status, FieldsView fields, long first, long last) {
    List<String> ranges = fields.all("content-range");
    return status == 206
        && ranges.size() == 1
        && ranges.getFirst().equalsIgnoreCase("bytes " + first + "-" + last + "/" + totalLength)
        && isSameValidator(fields);
  }

  /**
   * Whether an answer says that the origin has another body by now, has none, or sends none in
   * parts: then what is stored of it can't be completed any more. A failure, and an answer that is
   * just wrong, say nothing of that.
   */
  public boolean isDeniedBy(int status, FieldsView fields) {
    return switch (status) {
      case 200, 404, 410, 416 -> true;
      case 206 -> !isSameValidator(fields) || hasOtherLength(fields);
      default -> false;
    };
  }

  private boolean hasOtherLength(FieldsView fields) {
    List<String> ranges = fields.all("content-range");
    return ranges.size() == 1
        && !ranges.getFirst().endsWith("/" + totalLength)
        && !ranges.getFirst().endsWith("/*");
  }

  private boolean isSameValidator(FieldsView fields) {
    List<String> values = fields.all(validator.startsWith("\"") ? "etag" : "last-modified");
    return values.size() == 1 && values.getFirst().equals(validator);
  }
}
