package io.forebay.storage.purge;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The layout of a record of the purge journal, padded to eight bytes.
 *
 * <pre>
 *  0       4       8          16     17     18      20      22      24         32       40
 *  +-------+-------+----------+------+------+-------+-------+-------+----------+--------+
 *  | length| CRC32C| committed| type | kind | flags | scope | text  | sequence | millis |
 *  |       |       |          |      |      |       | count | length|          |        |
 *  +-------+-------+----------+------+------+-------+-------+-------+----------+--------+
 *  then scopes, text, of a soft purge that can be undone its origin 8, and whatever later versions
 *  add: a reader skips what it does not know.
 * </pre>
 *
 * The CRC covers the generation of the journal, the record's offset in it, the length, and
 * everything behind the CRC. A record therefore counts only in the place it was written to.
 *
 * <p>What later versions have added without a new format, so that earlier ones do the next best:
 *
 * <ul>
 *   <li>{@code RETIRED} has the number up to which hard purges are forgotten in place of a scope.
 *       Its sequence is that of soft ones, which is never above.
 *   <li>An undo is a soft purge of a kind of its own whose scopes are numbers, see {@link #undo}.
 *       They match nothing, so a version that does not know it keeps the purge in force.
 * </ul>
 *
 * @param origin of a soft purge with all of its scopes that can be undone: the revision of the log
 *     that it is from, 0 for none; otherwise {@link #NO_ORIGIN}
 */
@SuppressWarnings("ArrayRecordComponent")
record JournalRecord(
    Type type,
    int kind,
    boolean soft,
    long sequence,
    long millis,
    long[] scopes,
    String text,
    long origin) {

  static final long NO_ORIGIN = -1;

  JournalRecord(
      Type type, int kind, boolean soft, long sequence, long millis, long[] scopes, String text) {
    this(type, kind, soft, sequence, millis, scopes, text, NO_ORIGIN);
  }

  enum Type {
    /** All sequences below this one may have been given out. */
    RESERVED,
    /** A purge of scopes, or of everything if there are none. */
    PURGE,
    /** Purges up to this sequence have no record left that they apply to. */
    RETIRED,
    /** Everything whose body was born before this sequence is dead. */
    FLOOR_HARD,
    /** Everything whose head was born before this sequence is stale. */
    FLOOR_SOFT,
    /**
     * The records up to this one have all purges of a log up to a {@link PurgePosition}, which
     * stands in place of the scopes.
     */
    POSITION,
    /** Everything whose head was born before this sequence is validated before it is used. */
    FLOOR_REVALIDATE;

    private static final Type[] ALL = values();

    /** By its number in a journal of some format, or null for one of a later format. */
    static @Nullable Type of(int number, int version) {
      int known = version < JournalHeader.POSITION_VERSION ? POSITION.ordinal() : ALL.length;
      return number >= 0 && number < known ? ALL[number] : null;
    }
  }

  static final int FIXED = 40;
  static final int MAX_LENGTH = 1 << 16;
  static final int MAX_TEXT = 1024;
  static final int MAX_SCOPES = 4096;

  private static final int LENGTH_OFFSET = 0;
  private static final int CRC_OFFSET = LENGTH_OFFSET + Integer.BYTES;
  private static final int COMMITTED_OFFSET = CRC_OFFSET + Integer.BYTES;
  private static final int TYPE_OFFSET = COMMITTED_OFFSET + Long.BYTES;
  private static final int KIND_OFFSET = TYPE_OFFSET + Byte.BYTES;
  private static final int FLAGS_OFFSET = KIND_OFFSET + Byte.BYTES;
  private static final int COUNT_OFFSET = FLAGS_OFFSET + Short.BYTES;
  private static final int TEXT_LENGTH_OFFSET = COUNT_OFFSET + Short.BYTES;
  private static final int SEQUENCE_OFFSET = TEXT_LENGTH_OFFSET + Short.BYTES;
  private static final int MILLIS_OFFSET = SEQUENCE_OFFSET + Long.BYTES;

  private static final int SOFT_FLAG = 1;

  private static final int EPOCH_HIGH = 0;
  private static final int EPOCH_LOW = 1;
  private static final int REVISION = 2;

  static JournalRecord plain(Type type, long sequence) {
    return new JournalRecord(type, 0, false, sequence, 0, new long[0], "");
  }

  /** Hard and soft purges up to two numbers are forgotten. */
  static JournalRecord retired(long hard, long soft) {
    return new JournalRecord(Type.RETIRED, 0, false, soft, 0, new long[] {hard}, "");
  }

  /** Of a record that says so: up to where hard purges are forgotten. */
  long retiredHard() {
    return scopes.length == 0 ? sequence : Math.max(sequence, scopes[0]);
  }

  /** The scopes of an undo: of the purge with a number, or of those from a revision of the log. */
  static long[] undo(long undone, long revision) {
    return new long[] {undone, revision};
  }

  boolean isUndo() {
    return type == Type.PURGE && kind == PurgeKind.UNDO.code() && scopes.length == 2;
  }

  /** Has no sequence: a revision is no number of this node. */
  static JournalRecord position(PurgePosition position) {
    long[] words = {position.epochHigh(), position.epochLow(), position.revision()};
    return new JournalRecord(Type.POSITION, 0, false, 0, 0, words, "");
  }

  /** Of a record of that type; null if it has none that makes sense. */
  @Nullable PurgePosition position() {
    return scopes.length != REVISION + 1 || scopes[REVISION] < 0
        ? null
        : new PurgePosition(scopes[EPOCH_HIGH], scopes[EPOCH_LOW], scopes[REVISION]);
  }

  /**
   * The record's bytes.
   *
   * @param generation of the journal
   * @param at where in it the record is to stand
   * @param committed up to where both copies of the journal are known to be on disk
   */
  ByteBuffer encode(long generation, long at, long committed) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    int textLength = Math.min(bytes.length, MAX_TEXT);
    int textEnd = FIXED + scopes.length * Long.BYTES + textLength;
    int length = textEnd + (origin == NO_ORIGIN ? 0 : Long.BYTES);
    ByteBuffer out = ByteBuffer.allocate(padded(length)).order(ByteOrder.LITTLE_ENDIAN);
    out.putInt(LENGTH_OFFSET, length);
    out.putLong(COMMITTED_OFFSET, committed);
    out.put(TYPE_OFFSET, (byte) type.ordinal());
    out.put(KIND_OFFSET, (byte) kind);
    out.putShort(FLAGS_OFFSET, (short) (soft ? SOFT_FLAG : 0));
    out.putShort(COUNT_OFFSET, (short) scopes.length);
    out.putShort(TEXT_LENGTH_OFFSET, (short) textLength);
    out.putLong(SEQUENCE_OFFSET, sequence);
    out.putLong(MILLIS_OFFSET, millis);
    for (int n = 0; n < scopes.length; n++) {
      out.putLong(FIXED + n * Long.BYTES, scopes[n]);
    }
    out.put(FIXED + scopes.length * Long.BYTES, bytes, 0, textLength);
    if (origin != NO_ORIGIN) {
      out.putLong(textEnd, origin);
    }
    out.putInt(CRC_OFFSET, checksum(out, 0, length, generation, at));
    return out;
  }

  /** The padded length of the record at a position, or -1 if there is none that is whole. */
  static int paddedLength(ByteBuffer in, int at, long generation) {
    if (at < 0 || in.limit() - at < FIXED) {
      return -1;
    }
    int length = in.getInt(at + LENGTH_OFFSET);
    if (length < FIXED || length > MAX_LENGTH || padded(length) > in.limit() - at) {
      return -1;
    }
    int content = scopeCount(in, at) * Long.BYTES + textLength(in, at);
    if (content > length - FIXED
        || in.getInt(at + CRC_OFFSET) != checksum(in, at, length, generation, at)) {
      return -1;
    }
    return padded(length);
  }

  /** The number of its type, which a later version may have added. */
  static int typeNumber(ByteBuffer in, int at) {
    return in.get(at + TYPE_OFFSET) & 0xFF;
  }

  /** Up to where both copies were on disk when the record was written. */
  static long committed(ByteBuffer in, int at) {
    return in.getLong(at + COMMITTED_OFFSET);
  }

  static long sequence(ByteBuffer in, int at) {
    return in.getLong(at + SEQUENCE_OFFSET);
  }

  /** A whole record of a type that is known. */
  static JournalRecord decode(ByteBuffer in, int at, Type type) {
    long[] scopes = new long[scopeCount(in, at)];
    for (int n = 0; n < scopes.length; n++) {
      scopes[n] = in.getLong(at + FIXED + n * Long.BYTES);
    }
    byte[] text = new byte[textLength(in, at)];
    in.get(at + FIXED + scopes.length * Long.BYTES, text);
    int textEnd = FIXED + scopes.length * Long.BYTES + text.length;
    boolean hasOrigin = in.getInt(at + LENGTH_OFFSET) - textEnd >= Long.BYTES;
    return new JournalRecord(
        type,
        in.get(at + KIND_OFFSET),
        (in.getShort(at + FLAGS_OFFSET) & SOFT_FLAG) != 0,
        in.getLong(at + SEQUENCE_OFFSET),
        in.getLong(at + MILLIS_OFFSET),
        scopes,
        new String(text, StandardCharsets.UTF_8),
        hasOrigin ? Math.max(NO_ORIGIN, in.getLong(at + textEnd)) : NO_ORIGIN);
  }

  private static int scopeCount(ByteBuffer in, int at) {
    return in.getShort(at + COUNT_OFFSET) & 0xFFFF;
  }

  private static int textLength(ByteBuffer in, int at) {
    return in.getShort(at + TEXT_LENGTH_OFFSET) & 0xFFFF;
  }

  private static int padded(int length) {
    return length + Long.BYTES - 1 & -Long.BYTES;
  }

  private static int checksum(ByteBuffer in, int start, int length, long generation, long at) {
    ByteBuffer place =
        ByteBuffer.allocate(2 * Long.BYTES + Integer.BYTES)
            .order(ByteOrder.LITTLE_ENDIAN)
            .putLong(generation)
            .putLong(at)
            .putInt(length)
            .flip();
    CRC32C crc = new CRC32C();
    crc.update(place);
    crc.update(in.duplicate().position(start + COMMITTED_OFFSET).limit(start + length));
    return (int) crc.getValue();
  }
}
