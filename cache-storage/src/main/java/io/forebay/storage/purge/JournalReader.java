package io.forebay.storage.purge;

import io.forebay.storage.memory.ForeignFileException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the two copies of a purge journal and merges them. It never writes.
 *
 * <p>Both copies hold the same records at the same offsets. The second one is written only with
 * bytes that the first one has been forced with, and nothing is acknowledged before the second one
 * has been forced, too, but for purges of a log, which can be read from it again. So of a position
 * at which neither copy has a whole record:
 *
 * <ul>
 *   <li>if the second copy reaches beyond it, the first one had a whole record there: it is damage;
 *   <li>if the first copy alone does, it is the tail of an append that was never acknowledged, or
 *       was the last one from a log: there its position is missing as well, so it is read again;
 *       unless a later record says that both copies were on disk up to beyond that position;
 *   <li>if only one copy can be read at all, the two cannot be told apart: it counts as damage.
 * </ul>
 */
final class JournalReader {
  /** What can be done with what was read. */
  enum State {
    /** There is no journal. */
    NEW,
    /** Both copies are whole and equal: they can be appended to. */
    WHOLE,
    /** All that was acknowledged is here, but the copies differ: they have to be written anew. */
    MENDED,
    /** What was acknowledged may be lost: nothing that was stored under this journal counts. */
    LOST
  }

  /**
   * What was read.
   *
   * @param header null where the identity is not known, or no longer counts
   * @param length of both copies, if they are whole
   * @param highest the highest number that any record names that could be read
   * @param note for the log; empty when nothing but an unclean stop was found
   */
  record Contents(
      State state,
      @Nullable JournalHeader header,
      List<JournalRecord> records,
      long length,
      long highest,
      String note) {}

  private enum Kind {
    ABSENT,
    /** Without our magic. */
    FOREIGN,
    /** Whole, of a format that this version does not know. */
    NEWER,
    /** Of an unknown format, or with a damaged version: its CRC does not fit. */
    UNKNOWN,
    FORMAT_1,
    CURRENT,
    DAMAGED
  }

  private final Path file;
  private final int newest;
  private final @Nullable ByteBuffer[] copies;
  private final Kind[] kinds = new Kind[2];

  /** By the number in their headers: those of the newest generation, or with a damaged header. */
  private final @Nullable ByteBuffer[] parts = new ByteBuffer[2];

  /** Both copies are of the newest generation, each under its own name. */
  private boolean areInPlace = true;

  private JournalReader(
      Path file, int newest, @Nullable ByteBuffer first, @Nullable ByteBuffer second) {
    this.file = file;
    this.newest = newest;
    this.copies = new ByteBuffer[] {first, second};
    for (int n = 0; n < copies.length; n++) {
      kinds[n] = kind(copies[n]);
    }
  }

  /**
   * Reads both copies.
   *
   * @param first all of its bytes, little-endian; null if there is no file, or an empty one
   * @throws ForeignFileException when they are not a journal, or one of a newer format
   */
  static Contents read(Path file, @Nullable ByteBuffer first, @Nullable ByteBuffer second)
      throws ForeignFileException {
    return read(file, JournalHeader.VERSION, first, second);
  }

  /** The same by a reader that knows formats up to one. */
  static Contents read(
      Path file, int newest, @Nullable ByteBuffer first, @Nullable ByteBuffer second)
      throws ForeignFileException {
    return new JournalReader(file, newest, first, second).read();
  }

  private Kind kind(@Nullable ByteBuffer bytes) {
    if (bytes == null) {
      return Kind.ABSENT;
    }
    if (!JournalHeader.hasMagic(bytes)) {
      return Kind.FOREIGN;
    }
    if (bytes.limit() < JournalHeader.LENGTH) {
      return Kind.DAMAGED;
    }
    int version = JournalHeader.version(bytes);
    if (JournalHeader.isWhole(bytes)) {
      return JournalHeader.isKnown(version, newest) ? Kind.CURRENT : Kind.NEWER;
    }
    if (version == JournalFormat1.VERSION) {
      return JournalFormat1.isHeaderWhole(bytes) ? Kind.FORMAT_1 : Kind.DAMAGED;
    }
    return JournalHeader.isKnown(version, newest) ? Kind.DAMAGED : Kind.UNKNOWN;
  }

  private boolean areAll(Kind... allowed) {
    return List.of(allowed).containsAll(List.of(kinds));
  }

  private boolean isAny(Kind kind) {
    return kinds[0] == kind || kinds[1] == kind;
  }

  private Contents read() throws ForeignFileException {
    if (areAll(Kind.ABSENT)) {
      return new Contents(State.NEW, null, List.of(), 0, 0, "");
    }
    if (isAny(Kind.NEWER) || areAll(Kind.ABSENT, Kind.UNKNOWN)) {
      throw newer("has format " + version());
    }
    if (isAny(Kind.CURRENT)) {
      return current();
    }
    if (areAll(Kind.ABSENT, Kind.FOREIGN, Kind.FORMAT_1) && isAny(Kind.FOREIGN)) {
      throw new ForeignFileException(
          file + " is not a Forebay purge journal: move it away or name another data directory");
    }
    ByteBuffer first = copies[0];
    if (first != null && kinds[0] == Kind.FORMAT_1 && kinds[1] == Kind.ABSENT) {
      List<JournalRecord> records = JournalFormat1.records(first);
      return records == null
          ? lost("has format 1 and ends with an incomplete record")
          : contents(State.MENDED, format1Header(first), records, 0, "");
    }
    return lost("has no complete header in either copy");
  }

  private static JournalHeader format1Header(ByteBuffer first) {
    JournalHeader header = JournalHeader.decode(first);
    return new JournalHeader(JournalFormat1.VERSION, header.identity(), header.secret(), 0, 0);
  }

  private int version() {
    for (int n = 0; n < copies.length; n++) {
      ByteBuffer bytes = copies[n];
      if (bytes != null && (kinds[n] == Kind.NEWER || kinds[n] == Kind.UNKNOWN)) {
        return JournalHeader.version(bytes);
      }
    }
    return newest;
  }

  private ForeignFileException newer(String what) {
    return new ForeignFileException(
        file
            + " "
            + what
            + ", this Forebay supports formats up to "
            + newest
            + ": use the version that wrote it, or move the data directory away");
  }

  /** At least one copy has a whole header of this format. */
  private Contents current() throws ForeignFileException {
    JournalHeader latest = null;
    for (int n = 0; n < copies.length; n++) {
      ByteBuffer bytes = copies[n];
      if (bytes == null || kinds[n] != Kind.CURRENT) {
        continue;
      }
      JournalHeader header = JournalHeader.decode(bytes);
      if (latest == null) {
        latest = header;
      } else if (!Arrays.equals(latest.identity(), header.identity())
          || !Arrays.equals(latest.secret(), header.secret())) {
        return lost("has copies of different stores");
      } else if (latest.generation() == header.generation() && latest.copy() == header.copy()) {
        return lost("has the same copy twice");
      } else if (header.generation() > latest.generation()) {
        latest = header;
      }
    }
    if (latest == null || kinds[0] == Kind.FORMAT_1) {
      // Format 1 is replaced before the second copy is made: somebody put an old file back.
      return lost("has format 1 beside a copy of a later format");
    }
    for (int n = 0; n < copies.length; n++) {
      ByteBuffer bytes = copies[n];
      boolean isNewest =
          bytes != null
              && kinds[n] == Kind.CURRENT
              && JournalHeader.generation(bytes) == latest.generation();
      int copy = bytes != null && isNewest ? JournalHeader.decode(bytes).copy() & 1 : -1;
      areInPlace &= copy == n;
      if (copy >= 0) {
        parts[copy] = bytes;
      }
    }
    for (int n = 0; n < copies.length; n++) {
      boolean isDamaged =
          kinds[n] == Kind.DAMAGED || kinds[n] == Kind.UNKNOWN || kinds[n] == Kind.FOREIGN;
      if (isDamaged && parts[n] == null) {
        parts[n] = copies[n];
      }
    }
    for (int n = 0; n < copies.length; n++) {
      ByteBuffer bytes = copies[n];
      if (bytes != null && kinds[n] == Kind.FOREIGN && !isDamagedCopy(bytes, latest)) {
        throw new ForeignFileException(
            (n == 0 ? file : Journal.copyOf(file))
                + " is not a copy of the purge journal beside it: move it away");
      }
    }
    return merged(latest);
  }

  /** Whether a file without our magic was a copy: zeros, or it agrees with the other in a part. */
  private static boolean isDamagedCopy(ByteBuffer bytes, JournalHeader newest) {
    if (bytes.limit() < JournalHeader.LENGTH) {
      return false;
    }
    JournalHeader header = JournalHeader.decode(bytes);
    return bytes.getLong(0) == 0
        || Arrays.equals(header.identity(), newest.identity())
        || Arrays.equals(header.secret(), newest.secret())
        || highest(bytes, newest.generation()) > 0;
  }

  private Contents merged(JournalHeader header) throws ForeignFileException {
    long generation = header.generation();
    List<JournalRecord> records = new ArrayList<>();
    int damaged = 0;
    int at = JournalHeader.LENGTH;
    while (true) {
      int inFirst = length(parts[0], at, generation);
      int inSecond = length(parts[1], at, generation);
      ByteBuffer whole = inFirst > 0 ? parts[0] : parts[1];
      if (whole == null || Math.max(inFirst, inSecond) < 0) {
        break;
      }
      boolean isDamaged =
          (inFirst < 0 && rest(parts[0], at) > 0) || (inSecond < 0 && rest(parts[1], at) > 0);
      damaged += isDamaged ? 1 : 0;
      int number = JournalRecord.typeNumber(whole, at);
      JournalRecord.Type type = JournalRecord.Type.of(number, header.version());
      if (type == null) {
        throw newer("has records of type " + number + " of a newer version");
      }
      records.add(JournalRecord.decode(whole, at, type));
      at += Math.max(inFirst, inSecond);
    }
    if (isDamage(at, generation)) {
      return lost("is damaged at byte " + at + " and the other copy does not have the record");
    }
    boolean isWhole =
        areAll(Kind.CURRENT)
            && damaged == 0
            && areInPlace
            && rest(parts[0], at) == 0
            && rest(parts[1], at) == 0;
    String note = "";
    if (damaged > 0) {
      note = file + ": " + damaged + " records were damaged in one copy and read from the other";
    } else if (!areAll(Kind.CURRENT)) {
      note = file + ": one of the two copies was missing or had a damaged header";
    }
    return contents(isWhole ? State.WHOLE : State.MENDED, header, records, at, note);
  }

  /** Neither copy has a whole record there: whether one had been acknowledged. */
  private boolean isDamage(int at, long generation) {
    ByteBuffer first = parts[0];
    if (rest(first, at) <= 0 && rest(parts[1], at) <= 0) {
      return false;
    }
    if (first == null || parts[1] == null || rest(parts[1], at) > 0) {
      return true;
    }
    for (int later = at + Long.BYTES; later < first.limit(); later += Long.BYTES) {
      if (JournalRecord.paddedLength(first, later, generation) > 0
          && JournalRecord.committed(first, later) > at) {
        return true;
      }
    }
    return false;
  }

  private static int length(@Nullable ByteBuffer bytes, int at, long generation) {
    return bytes == null ? -1 : JournalRecord.paddedLength(bytes, at, generation);
  }

  private static int rest(@Nullable ByteBuffer bytes, int at) {
    return bytes == null ? 0 : bytes.limit() - at;
  }

  private Contents lost(String why) {
    String note = file + " " + why + ": all stored objects count as purged";
    return new Contents(State.LOST, null, List.of(), 0, highest(), note);
  }

  private static Contents contents(
      State state, JournalHeader header, List<JournalRecord> records, int length, String note) {
    long highest = 0;
    for (JournalRecord record : records) {
      highest = Math.max(highest, record.sequence());
    }
    return new Contents(state, header, records, length, highest, note);
  }

  /** Of all records that are whole, wherever they stand and whatever became of the headers. */
  private long highest() {
    long highest = 0;
    for (ByteBuffer bytes : copies) {
      if (bytes == null) {
        continue;
      }
      highest = Math.max(highest, JournalFormat1.highest(bytes));
      for (ByteBuffer other : copies) {
        if (other != null && other.limit() >= JournalHeader.LENGTH) {
          highest = Math.max(highest, highest(bytes, JournalHeader.generation(other)));
        }
      }
    }
    return highest;
  }

  private static long highest(ByteBuffer bytes, long generation) {
    long highest = 0;
    for (int at = JournalHeader.LENGTH; at < bytes.limit(); at += Long.BYTES) {
      if (JournalRecord.paddedLength(bytes, at, generation) > 0) {
        highest = Math.max(highest, JournalRecord.sequence(bytes, at));
      }
    }
    return highest;
  }
}
