package io.forebay.server.origin.resume;

import io.forebay.core.http.ContentRange;
import io.forebay.core.http.EntityTag;
import io.forebay.core.http.FieldsView;
import io.forebay.core.http.HeaderFields;
import org.jspecify.annotations.Nullable;

/**
 * What a response sends of a representation, if the rest of it can be asked for should it break off
 * (RFC 9110 §14.2, §13.1.5).
 *
 * @param etag strong
 * @param first byte of the representation
 * @param last byte of it, included; -1 if not known yet, and then it is the representation's last
 * @param totalLength of the representation; -1 if not known yet
 */
record BodyPart(String etag, long first, long last, long totalLength) {

  /**
   * Reads a response's head.
   *
   * @param contentLength -1 if unknown
   * @return null if the rest could not be asked for
   */
  static @Nullable BodyPart of(int status, HeaderFields fields, long contentLength) {
    String etag = strongTag(fields);
    if (etag == null || contentLength == 0) {
      return null;
    }
    if (status == 200) {
      return new BodyPart(etag, 0, contentLength < 0 ? -1 : contentLength - 1, contentLength);
    }
    ContentRange range = status == 206 ? ContentRange.of(fields) : null;
    return range == null || (contentLength >= 0 && contentLength != range.length())
        ? null
        : new BodyPart(etag, range.first(), range.last(), range.totalLength());
  }

  /** Whether nothing is missing after so many bytes, as far as is known. */
  boolean isWhole(long receivedBytes) {
    return last >= 0 && first + receivedBytes > last;
  }

  /** The value of Range that asks for what is missing. */
  String rangeAfter(long receivedBytes) {
    return "bytes=" + (first + receivedBytes) + "-" + (last < 0 ? "" : last);
  }

  /** The part again, all of it known, if a response brings exactly what is missing; or null. */
  @Nullable BodyPart continuedBy(
      int status, HeaderFields fields, long contentLength, long receivedBytes) {
    ContentRange range = status == 206 ? ContentRange.of(fields) : null;
    if (range == null || !etag.equals(strongTag(fields))) {
      return null;
    }
    long wantedLast = last < 0 ? range.totalLength() - 1 : last;
    boolean isRest =
        range.first() == first + receivedBytes
            && range.last() == wantedLast
            && (totalLength < 0 || totalLength == range.totalLength())
            && (contentLength < 0 || contentLength == range.length());
    return isRest ? new BodyPart(etag, first, wantedLast, range.totalLength()) : null;
  }

  private static @Nullable String strongTag(FieldsView fields) {
    var tags = fields.all("etag");
    if (tags.size() != 1) {
      return null;
    }
    String tag = tags.getFirst();
    return EntityTag.isValid(tag) && !EntityTag.isWeak(tag) ? tag : null;
  }
}
