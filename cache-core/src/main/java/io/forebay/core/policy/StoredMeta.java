package io.forebay.core.policy;

import io.forebay.core.http.FieldSyntax;
import io.forebay.core.http.FieldsView;
import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.HttpDate;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The metadata of a stored response that the rules need, read in place without parsing its header.
 * A flyweight: one instance per event loop is moved from record to record. {@link #wrap} must
 * return true before anything else is read. All numbers are little-endian and unaligned:
 *
 * <pre>
 *   offset  bytes
 *        0  1    version, 2
 *        1  1    zero
 *        2  2    status; 0 for a vary marker
 *        4  4    flags
 *        8  8    when the request was sent            milliseconds since the epoch
 *       16  8    when the response came
 *       24  8    Date, or when it came
 *       32  8    Last-Modified, or HttpDate.INVALID
 *       40  8    freshness lifetime                   milliseconds
 *       48  8    stale-while-revalidate, -1: not said
 *       56  8    stale-if-error, -1: not said
 *       64  8    Age as received                      seconds
 *       72  2    length of the entity tag          e
 *       74  2    length of the Last-Modified text  m
 *       76  2    length of the selecting fields    v
 *       78  2    length of the consumed fields     c
 *       80  e    entity tag as received, Latin-1
 *     80+e  m    Last-Modified as received, Latin-1
 *   80+e+m  v    selecting fields, lower case, with a comma between, Latin-1
 * 80+e+m+v  c    fields that were meant for this cache alone, as lines of a stored header: no client
 *                gets them, but a 304 that does not repeat them leaves them in force
 *      end  8    of a coded copy: the number of the object that it was made of
 *    end+8  8    of a coded copy: the birth of the head that it was made of
 * </pre>
 */
public final class StoredMeta {

  /** Version of the layout. */
  public static final int VERSION = 2;

  /** Length of the part before the texts. */
  public static final int FIXED_LENGTH = 80;

  /** The longest of each of the four texts. */
  public static final int MAX_TEXT_LENGTH = 1024;

  /** What a coded copy says of its source. */
  private static final int SOURCE_LENGTH = 2 * Long.BYTES;

  /** The most bytes that one record takes. */
  public static final int MAX_LENGTH = FIXED_LENGTH + 4 * MAX_TEXT_LENGTH + SOURCE_LENGTH;

  static final int NO_CACHE = 1;
  static final int MUST_REVALIDATE = 1 << 1;
  static final int PROXY_REVALIDATE = 1 << 2;
  static final int SHARED_MAX_AGE = 1 << 3;
  static final int IMMUTABLE = 1 << 4;
  static final int HEURISTIC = 1 << 5;
  static final int VARY_MARKER = 1 << 6;
  static final int CONTENT_RANGE = 1 << 7;
  static final int COMPRESSIBLE = 1 << 8;
  static final int LACKS_VARY = 1 << 9;
  static final int CODED_COPY = 1 << 10;
  static final int CONTENT_DIGEST = 1 << 11;
  private static final int KNOWN_FLAGS = (1 << 12) - 1;

  private static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private static final long STATUS_OFFSET = 2;
  private static final long FLAGS_OFFSET = 4;
  private static final long REQUEST_TIME_OFFSET = 8;
  private static final long RESPONSE_TIME_OFFSET = 16;
  private static final long DATE_OFFSET = 24;
  private static final long LAST_MODIFIED_OFFSET = 32;
  private static final long LIFETIME_OFFSET = 40;
  private static final long STALE_WHILE_REVALIDATE_OFFSET = 48;
  private static final long STALE_IF_ERROR_OFFSET = 56;
  private static final long AGE_OFFSET = 64;
  private static final long ETAG_LENGTH_OFFSET = 72;
  private static final long LAST_MODIFIED_LENGTH_OFFSET = 74;
  private static final long VARY_LENGTH_OFFSET = 76;
  private static final long CONSUMED_LENGTH_OFFSET = 78;

  private MemorySegment segment = MemorySegment.NULL;
  private long offset;
  private int status;
  private int flags;
  private int etagLength;
  private int lastModifiedLength;
  private int varyLength;
  private int consumedLength;
  private boolean validationRequired;

  /** The selecting fields decoded last and the bytes they came from: most objects vary alike. */
  private byte[] knownVary = new byte[0];

  private List<String> knownSelectingFields = List.of();

  public StoredMeta() {}

  /**
   * Lays this over a record of its own.
   *
   * @throws IllegalArgumentException when the bytes are none
   */
  public static StoredMeta of(byte[] record) {
    StoredMeta meta = new StoredMeta();
    if (!meta.wrap(MemorySegment.ofArray(record), 0)) {
      throw new IllegalArgumentException("not a metadata record of version " + VERSION);
    }
    return meta;
  }

  /** A new record from values; texts that are too long count as absent. */
  static byte[] encode(MetaValues values) {
    byte[] etag = text(values.etag());
    byte[] lastModified = text(values.lastModified());
    byte[] vary = String.join(",", values.selectingFields()).getBytes(StandardCharsets.ISO_8859_1);
    if (vary.length > MAX_TEXT_LENGTH) {
      throw new IllegalArgumentException("selecting fields of " + vary.length + " bytes");
    }
    byte[] consumed = values.consumedFields().getBytes(StandardCharsets.ISO_8859_1);
    if (consumed.length > MAX_TEXT_LENGTH) {
      throw new IllegalArgumentException("consumed fields of " + consumed.length + " bytes");
    }
    byte[] record =
        new byte[FIXED_LENGTH + etag.length + lastModified.length + vary.length + consumed.length];
    MemorySegment to = MemorySegment.ofArray(record);
    record[0] = VERSION;
    to.set(SHORT, STATUS_OFFSET, (short) values.status());
    to.set(INT, FLAGS_OFFSET, values.flags());
    to.set(LONG, REQUEST_TIME_OFFSET, values.requestTimeMillis());
    to.set(LONG, RESPONSE_TIME_OFFSET, values.responseTimeMillis());
    to.set(LONG, DATE_OFFSET, values.dateMillis());
    to.set(LONG, LAST_MODIFIED_OFFSET, values.lastModifiedMillis());
    to.set(LONG, LIFETIME_OFFSET, values.freshnessLifetimeMillis());
    to.set(LONG, STALE_WHILE_REVALIDATE_OFFSET, values.staleWhileRevalidateMillis());
    to.set(LONG, STALE_IF_ERROR_OFFSET, values.staleIfErrorMillis());
    to.set(LONG, AGE_OFFSET, values.ageValueSeconds());
    to.set(SHORT, ETAG_LENGTH_OFFSET, (short) etag.length);
    to.set(SHORT, LAST_MODIFIED_LENGTH_OFFSET, (short) lastModified.length);
    to.set(SHORT, VARY_LENGTH_OFFSET, (short) vary.length);
    to.set(SHORT, CONSUMED_LENGTH_OFFSET, (short) consumed.length);
    int end = FIXED_LENGTH;
    System.arraycopy(etag, 0, record, end, etag.length);
    end += etag.length;
    System.arraycopy(lastModified, 0, record, end, lastModified.length);
    end += lastModified.length;
    System.arraycopy(vary, 0, record, end, vary.length);
    end += vary.length;
    System.arraycopy(consumed, 0, record, end, consumed.length);
    return record;
  }

  /** The record of a vary marker: its responses are stored under keys of their own. */
  public static byte[] encodeVaryMarker(List<String> selectingFields, long responseTimeMillis) {
    return encode(MetaValues.varyMarker(selectingFields, responseTimeMillis));
  }

  /**
   * The record of a response of which coded copies may be made.
   *
   * @param record of the response as it came
   * @param response its fields
   */
  public static byte[] compressible(byte[] record, FieldsView response) {
    List<String> vary = response.all("vary");
    boolean lacksVary = !FieldSyntax.listContains(vary, "accept-encoding");
    byte[] marked = record.clone();
    MemorySegment to = MemorySegment.ofArray(marked);
    int flags = to.get(INT, FLAGS_OFFSET) | COMPRESSIBLE | (lacksVary ? LACKS_VARY : 0);
    to.set(INT, FLAGS_OFFSET, flags);
    return marked;
  }

  /**
   * The record of a coded copy of this response.
   *
   * @param etag of the copy, or null
   * @param sourceObjectId the number of the object whose body it has
   * @param sourceBirth of the head that this describes
   */
  public byte[] codedCopy(@Nullable String etag, long sourceObjectId, long sourceBirth) {
    byte[] tag = text(etag);
    int rest = lastModifiedLength + varyLength + consumedLength;
    byte[] record = new byte[FIXED_LENGTH + tag.length + rest + SOURCE_LENGTH];
    MemorySegment to = MemorySegment.ofArray(record);
    MemorySegment.copy(segment, offset, to, 0, FIXED_LENGTH);
    to.set(INT, FLAGS_OFFSET, (flags & ~(COMPRESSIBLE | LACKS_VARY | CONTENT_DIGEST)) | CODED_COPY);
    to.set(SHORT, ETAG_LENGTH_OFFSET, (short) tag.length);
    System.arraycopy(tag, 0, record, FIXED_LENGTH, tag.length);
    MemorySegment.copy(segment, lastModifiedOffset(), to, FIXED_LENGTH + tag.length, rest);
    int end = record.length - SOURCE_LENGTH;
    to.set(LONG, end, sourceObjectId);
    to.set(LONG, end + Long.BYTES, sourceBirth);
    return record;
  }

  private static byte[] text(@Nullable String text) {
    return text == null || text.length() > MAX_TEXT_LENGTH
        ? new byte[0]
        : text.getBytes(StandardCharsets.ISO_8859_1);
  }

  /**
   * Lays this over the bytes at the offset. False when they are no such record or it does not fit
   * into the segment; this then refers to nothing.
   */
  public boolean wrap(MemorySegment newSegment, long newOffset) {
    segment = MemorySegment.NULL;
    status = 0;
    flags = 0;
    validationRequired = false;
    long room = newSegment.byteSize() - newOffset;
    if (newOffset < 0 || room < FIXED_LENGTH) {
      return false;
    }
    // Two reads of eight bytes in place of seven: each checks bounds and liveness of the segment.
    long first = newSegment.get(LONG, newOffset);
    long lengths = newSegment.get(LONG, newOffset + ETAG_LENGTH_OFFSET);
    int newFlags = (int) (first >>> (FLAGS_OFFSET * Byte.SIZE));
    if ((byte) first != VERSION || (newFlags & ~KNOWN_FLAGS) != 0) {
      return false;
    }
    int etag = length(lengths, ETAG_LENGTH_OFFSET);
    int lastModified = length(lengths, LAST_MODIFIED_LENGTH_OFFSET);
    int vary = length(lengths, VARY_LENGTH_OFFSET);
    int consumed = length(lengths, CONSUMED_LENGTH_OFFSET);
    int source = (newFlags & CODED_COPY) == 0 ? 0 : SOURCE_LENGTH;
    if (etag > MAX_TEXT_LENGTH
        || lastModified > MAX_TEXT_LENGTH
        || vary > MAX_TEXT_LENGTH
        || consumed > MAX_TEXT_LENGTH
        || room < FIXED_LENGTH + etag + lastModified + vary + consumed + source) {
      return false;
    }
    segment = newSegment;
    offset = newOffset;
    status = (int) (first >>> (STATUS_OFFSET * Byte.SIZE)) & 0xFFFF;
    flags = newFlags;
    etagLength = etag;
    lastModifiedLength = lastModified;
    varyLength = vary;
    consumedLength = consumed;
    return true;
  }

  /** One of the four lengths that lie together. */
  private static int length(long lengths, long at) {
    return (int) (lengths >>> ((at - ETAG_LENGTH_OFFSET) * Byte.SIZE)) & 0xFFFF;
  }

  /** Length of this record in bytes. */
  public int length() {
    return textsLength() + (isCodedCopy() ? SOURCE_LENGTH : 0);
  }

  private int textsLength() {
    return FIXED_LENGTH + etagLength + lastModifiedLength + varyLength + consumedLength;
  }

  /** The final status, or 0 while this refers to nothing. */
  public int status() {
    return status;
  }

  public long requestTimeMillis() {
    return segment.get(LONG, offset + REQUEST_TIME_OFFSET);
  }

  public long responseTimeMillis() {
    return segment.get(LONG, offset + RESPONSE_TIME_OFFSET);
  }

  /** The response's Date, or when it came if it had none. */
  public long dateMillis() {
    return segment.get(LONG, offset + DATE_OFFSET);
  }

  /** Last-Modified, or {@link HttpDate#INVALID}. */
  public long lastModifiedMillis() {
    return segment.get(LONG, offset + LAST_MODIFIED_OFFSET);
  }

  public long freshnessLifetimeMillis() {
    return segment.get(LONG, offset + LIFETIME_OFFSET);
  }

  /** The response's own word, or -1. */
  public long staleWhileRevalidateMillis() {
    return segment.get(LONG, offset + STALE_WHILE_REVALIDATE_OFFSET);
  }

  /** The response's own word, or -1. */
  public long staleIfErrorMillis() {
    return segment.get(LONG, offset + STALE_IF_ERROR_OFFSET);
  }

  /** The Age that the response came with, 0 if none. */
  public long ageValueSeconds() {
    return segment.get(LONG, offset + AGE_OFFSET);
  }

  int flags() {
    return flags;
  }

  /** {@code no-cache}: to be revalidated before each use. */
  public boolean isNoCache() {
    return (flags() & NO_CACHE) != 0;
  }

  /** Whether {@code must-revalidate} or {@code proxy-revalidate} forbids serving it stale. */
  public boolean isMustRevalidate() {
    return (flags() & (MUST_REVALIDATE | PROXY_REVALIDATE)) != 0;
  }

  /** From here on, until the next {@link #wrap}, no allowance for stale responses applies to it. */
  public void requireValidation() {
    validationRequired = true;
  }

  /** Whether {@link #requireValidation} was called for this record. */
  public boolean isValidationRequired() {
    return validationRequired;
  }

  /** Whether the lifetime is that of {@code s-maxage}. */
  public boolean hasSharedMaxAge() {
    return (flags() & SHARED_MAX_AGE) != 0;
  }

  public boolean isImmutable() {
    return (flags() & IMMUTABLE) != 0;
  }

  /** Whether the lifetime was guessed from Last-Modified. */
  public boolean isHeuristic() {
    return (flags() & HEURISTIC) != 0;
  }

  /** Whether its header has a Content-Range, beside which a 206 could not have its own. */
  public boolean hasContentRange() {
    return (flags() & CONTENT_RANGE) != 0;
  }

  /** Whether its header has a Content-Digest, which is true of the whole content alone. */
  public boolean hasContentDigest() {
    return (flags() & CONTENT_DIGEST) != 0;
  }

  /** Whether coded copies of it may be made and served in its place. */
  public boolean isCompressible() {
    return (flags() & COMPRESSIBLE) != 0;
  }

  /** Whether {@code Vary: Accept-Encoding} is to be added where it is sent. */
  public boolean lacksVary() {
    return (flags() & LACKS_VARY) != 0;
  }

  /** Whether this is a copy of another stored response in a content coding. */
  public boolean isCodedCopy() {
    return (flags() & CODED_COPY) != 0;
  }

  /** Of a coded copy: the number of the object that it was made of. */
  public long sourceObjectId() {
    return segment.get(LONG, offset + textsLength());
  }

  /** Of a coded copy: the birth of the head that it was made of. */
  public long sourceBirth() {
    return segment.get(LONG, offset + textsLength() + Long.BYTES);
  }

  /** Whether this is no response but tells by which fields the responses vary. */
  public boolean isVaryMarker() {
    return (flags() & VARY_MARKER) != 0;
  }

  public boolean hasEtag() {
    return etagLength > 0;
  }

  public boolean hasLastModified() {
    return lastModifiedLength > 0;
  }

  /** Whether the origin can be asked if this is still current (RFC 9111 §4.3.1). */
  public boolean hasValidator() {
    return etagLength > 0 || lastModifiedLength > 0;
  }

  /** Where the entity tag begins in the wrapped segment. */
  public long etagOffset() {
    return offset + FIXED_LENGTH;
  }

  public int etagLength() {
    return etagLength;
  }

  /** Where the Last-Modified text begins in the wrapped segment. */
  public long lastModifiedOffset() {
    return offset + FIXED_LENGTH + etagLength;
  }

  public int lastModifiedLength() {
    return lastModifiedLength;
  }

  /** The entity tag as received, or null. */
  public @Nullable String etag() {
    return etagLength == 0 ? null : string(etagOffset(), etagLength);
  }

  /** The Last-Modified field as received, or null. */
  public @Nullable String lastModified() {
    return lastModifiedLength == 0 ? null : string(lastModifiedOffset(), lastModifiedLength);
  }

  /**
   * The names of the fields that responses are selected by, lower case, sorted. Allocates nothing
   * while the answer stays the same as last time.
   */
  public List<String> selectingFields() {
    if (varyLength == 0) {
      return List.of();
    }
    long from = lastModifiedOffset() + lastModifiedLength;
    if (!isKnownVary(from)) {
      String names = string(from, varyLength);
      knownVary = names.getBytes(StandardCharsets.ISO_8859_1);
      knownSelectingFields = List.copyOf(Arrays.asList(names.split(",", -1)));
    }
    return knownSelectingFields;
  }

  /** The fields that were meant for this cache alone, as they came. */
  public HeaderFields consumedFields() {
    return consumedLength == 0
        ? HeaderFields.EMPTY
        : StoredHeader.decode(consumedLines().getBytes(StandardCharsets.ISO_8859_1));
  }

  String consumedLines() {
    return string(lastModifiedOffset() + lastModifiedLength + varyLength, consumedLength);
  }

  private boolean isKnownVary(long from) {
    if (knownVary.length != varyLength) {
      return false;
    }
    for (int i = 0; i < varyLength; i++) {
      if (segment.get(ValueLayout.JAVA_BYTE, from + i) != knownVary[i]) {
        return false;
      }
    }
    return true;
  }

  private String string(long from, int length) {
    byte[] bytes = new byte[length];
    MemorySegment.copy(segment, ValueLayout.JAVA_BYTE, from, bytes, 0, length);
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }
}
