package io.forebay.storage.purge;

import io.forebay.storage.file.PrivateFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What the journal of a store at rest says of its objects; it is read and never written. A tail
 * that is not whole is left where it is: it was never acknowledged.
 */
public final class PurgeHistory implements Fates {
  private static final long LARGEST = 256L << 20;

  private final PurgeTable table;

  private PurgeHistory(PurgeTable table) {
    this.table = table;
  }

  /** One that knows of no purge. */
  public static PurgeHistory none() {
    return new PurgeHistory(new PurgeTable(8));
  }

  /**
   * Reads a journal.
   *
   * @param compiler of its predicates; one it can't read purges everything before it, as at a start
   */
  public static PurgeHistory read(Path file, PurgeMatcher.Compiler compiler) throws IOException {
    ByteBuffer bytes;
    try (FileChannel channel = PrivateFiles.openToRead(file)) {
      long size = channel.size();
      if (size > LARGEST) {
        throw new IOException(file + " is " + size + " bytes long: too large to be read here");
      }
      bytes = ByteBuffer.allocate((int) size).order(ByteOrder.LITTLE_ENDIAN);
      while (bytes.hasRemaining() && channel.read(bytes, bytes.position()) >= 0) {
        Thread.onSpinWait();
      }
      bytes.flip();
    }
    if (bytes.limit() < Journal.HEADER || bytes.getLong(0) != Journal.MAGIC) {
      throw new IOException(file + " is not a Forebay purge journal, or is damaged");
    }
    List<JournalRecord> records = new ArrayList<>();
    int at = Journal.HEADER;
    int step;
    while ((step = JournalRecord.paddedLength(bytes, at)) > 0 && step <= bytes.limit() - at) {
      records.add(JournalRecord.decode(bytes, at));
      at += step;
    }
    return of(records, compiler);
  }

  private static PurgeHistory of(List<JournalRecord> records, PurgeMatcher.Compiler compiler) {
    long retired = 0;
    int scopes = 0;
    for (JournalRecord record : records) {
      if (record.type() == JournalRecord.Type.RETIRED) {
        retired = Math.max(retired, record.sequence());
      }
      scopes += record.scopes().length;
    }
    // Room for all: a full table would say more is dead than the store's own says.
    PurgeTable table = new PurgeTable(Math.max(8, scopes));
    for (JournalRecord record : records) {
      switch (record.type()) {
        case FLOOR_HARD -> table.raiseHard(record.sequence());
        case FLOOR_SOFT -> table.raiseSoft(record.sequence());
        case PURGE -> enter(table, record, retired, compiler);
        default -> {}
      }
    }
    return new PurgeHistory(table);
  }

  private static void enter(
      PurgeTable table, JournalRecord record, long retired, PurgeMatcher.Compiler compiler) {
    if (record.kind() == Purges.PREDICATE) {
      if (record.sequence() > retired) {
        try {
          table.put(new Predicates.Predicate(record, compiler.compile(record.text())));
        } catch (IllegalArgumentException e) {
          table.raiseHard(record.sequence());
        }
      }
      return;
    }
    if (record.scopes().length == 0) {
      if (record.soft()) {
        table.raiseSoft(record.sequence());
      } else {
        table.raiseHard(record.sequence());
      }
      return;
    }
    if (record.sequence() > retired) {
      for (long scope : record.scopes()) {
        boolean ignored = table.put(scope, record.sequence(), record.soft());
      }
    }
  }

  @Override
  public int check(long[] scopes, long birth, long bodyBirth) {
    return table.check(scopes, birth, bodyBirth);
  }

  @Override
  public int check(
      long[] scopes, long birth, long bodyBirth, byte[] keyText, int keyLength, byte[] head) {
    return Math.max(
        table.check(scopes, birth, bodyBirth),
        table.predicates().check(scopes, birth, bodyBirth, keyText, keyLength, head));
  }
}
