package io.forebay.storage.purge;

import io.forebay.storage.file.PrivateFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The purges in the journal of a store at rest, as the next start would apply them. Read-only. */
public final class PurgeHistory implements PurgeVerdicts {
  private static final long LARGEST = 256L << 20;

  private final PurgeTable table;

  private final String problem;

  private PurgeHistory(PurgeTable table, String problem) {
    this.table = table;
    this.problem = problem;
  }

  /** One that knows of no purge. */
  public static PurgeHistory none() {
    return new PurgeHistory(new PurgeTable(8), "");
  }

  /**
   * Reads both copies of a journal. If what was acknowledged can't be told from them, everything
   * counts as purged, and {@link #problem} says why.
   *
   * @param compiler of its predicates; one it can't read purges everything before it, as at a start
   */
  public static PurgeHistory read(Path file, PurgeMatcher.Compiler compiler) throws IOException {
    JournalReader.Contents found = JournalReader.read(file, load(file), load(Journal.copyOf(file)));
    return switch (found.state()) {
      case NEW -> throw new NoSuchFileException(file.toString());
      case LOST -> {
        PurgeTable all = new PurgeTable(8);
        all.raiseHard(Long.MAX_VALUE);
        yield new PurgeHistory(all, found.note());
      }
      case WHOLE, MENDED -> of(found.records(), compiler, found.note());
    };
  }

  private static @Nullable ByteBuffer load(Path file) throws IOException {
    if (!PrivateFiles.exists(file)) {
      return null;
    }
    try (FileChannel channel = PrivateFiles.openToRead(file)) {
      long size = channel.size();
      if (size > LARGEST) {
        throw new IOException(file + " is " + size + " bytes long: too large to read");
      }
      return Journal.read(channel, (int) size);
    }
  }

  /** What is wrong with the journal, or empty. */
  public String problem() {
    return problem;
  }

  private static PurgeHistory of(
      List<JournalRecord> records, PurgeMatcher.Compiler compiler, String problem) {
    long retired = 0;
    long softRetired = 0;
    int scopes = 0;
    for (JournalRecord record : records) {
      if (record.type() == JournalRecord.Type.RETIRED) {
        retired = Math.max(retired, record.retiredHard());
        softRetired = Math.max(softRetired, record.sequence());
      }
      scopes += record.scopes().length;
    }
    // Room for all: a full table would say more is dead than the store's own says.
    PurgeTable table = new PurgeTable(Math.max(8, scopes));
    OpenSofts open = new OpenSofts(table);
    PurgePosition position = null;
    for (JournalRecord record : records) {
      switch (record.type()) {
        case FLOOR_HARD -> table.raiseHard(record.sequence());
        case FLOOR_SOFT -> table.raiseSoft(record.sequence());
        case FLOOR_REVALIDATE -> table.raiseRevalidate(record.sequence());
        case POSITION -> {
          PurgePosition next = record.position();
          if (position != null && next != null && !position.isSameLog(next)) {
            open.clear();
          }
          position = next;
        }
        case PURGE -> {
          long forgotten = record.soft() ? softRetired : retired;
          if (record.isUndo()) {
            open.named(record).forEach(open::undo);
          } else {
            if (OpenSofts.canBeUndone(record) && record.sequence() > forgotten) {
              open.add(record);
            }
            enter(table, record, forgotten, compiler);
          }
        }
        default -> {}
      }
    }
    return new PurgeHistory(table, problem);
  }

  private static void enter(
      PurgeTable table, JournalRecord record, long retired, PurgeMatcher.Compiler compiler) {
    if (record.kind() == PurgeKind.PATTERN.code()) {
      if (record.sequence() > retired) {
        try {
          table.put(new ActivePredicates.Predicate(record, compiler.compile(record.text())));
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
