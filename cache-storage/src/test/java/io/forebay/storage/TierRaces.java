package io.forebay.storage;

import io.forebay.storage.index.ChronicleIndex;
import io.forebay.storage.index.IndexValue;
import io.forebay.storage.index.IndexedDisk;
import io.forebay.storage.index.KeyHash;
import io.forebay.storage.index.ObjectIndex;
import io.forebay.storage.index.ObjectIndex.Outcome;
import io.forebay.storage.index.ObjectIndex.Verdict;
import io.forebay.storage.index.TieredIndex;
import io.forebay.storage.layout.Layouts;
import io.forebay.storage.layout.RecordHeader;
import io.forebay.storage.layout.SliceRecord;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Races of the index of a store with a disk: a record is in memory or in the table of the disk, and
 * changes sides while it is replaced. Updates are those of the store with nothing but the index
 * behind them. Even keys and the odd ones after them have the same number in the table.
 */
final class TierRaces {
  private static final int DEVICE = 1;
  private static final byte KIND = 1;
  private static final KeyHash PAIRS = (high, low) -> Layouts.mix(low >>> 1);
  private static final AtomicLong KEYS = new AtomicLong();
  private static final TieredIndex INDEX = index();

  private TierRaces() {}

  static Supplier<Race> of(String name) {
    return switch (name) {
      case "Demoting" -> Demoting::new;
      case "Promoting" -> Promoting::new;
      case "Colliding" -> Colliding::new;
      case "ReadingSlot" -> ReadingSlot::new;
      case "SharingRun" -> SharingRun::new;
      default -> throw new IllegalArgumentException(name);
    };
  }

  private static TieredIndex index() {
    try {
      TieredIndex index = new TieredIndex(ChronicleIndex.anonymous(1 << 16), PAIRS);
      IndexedDisk owner =
          new IndexedDisk() {
            @Override
            public int generation(int region) {
              return 0;
            }

            @Override
            public void addTombstone(long high, long low, long birth) {}

            @Override
            public void audit() {
              throw new IllegalStateException("a record has lost its name");
            }
          };
      index.open(DEVICE, 1 << 20, 1 << 20, 100_000, owner);
      return index;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Two threads with a cursor each, over a pair of keys of their own. */
  private abstract static class Pair implements Race {
    private static final int PATIENCE = 2_000;

    final long key = 2 * KEYS.incrementAndGet();
    final long twin = key + 1;
    final int delay = (int) (key >>> 1 & 63);
    final ObjectIndex.Cursor firstCursor = INDEX.nonBlockingCursor();
    final ObjectIndex.Cursor secondCursor = INDEX.nonBlockingCursor();

    /** Nobody else uses these keys yet, but the map may lock others along with them. */
    final ObjectIndex.Cursor patient = INDEX.blockingCursor();

    private final IndexValue found = new IndexValue();
    private volatile boolean isFirstHere;
    private volatile boolean isSecondHere;

    void meetSecond() {
      isFirstHere = true;
      for (int n = 0; n < PATIENCE && !isSecondHere; n++) {
        Thread.onSpinWait();
      }
      for (int n = 0; n < delay; n++) {
        Thread.onSpinWait();
      }
    }

    void meetFirst() {
      isSecondHere = true;
      for (int n = 0; n < PATIENCE && !isFirstHere; n++) {
        Thread.onSpinWait();
      }
    }

    static Outcome update(ObjectIndex.Cursor cursor, long of, ObjectIndex.Update update) {
      return cursor.update(Layouts.mix(of), of, update);
    }

    /** Replaces what was born before. */
    static boolean install(ObjectIndex.Cursor cursor, long of, long birth, boolean isOnDisk) {
      Outcome done =
          update(
              cursor,
              of,
              (isPresent, value) -> {
                if (isPresent && value.birth() >= birth) {
                  return Verdict.KEEP;
                }
                value.identity(KIND, birth, birth);
                value.memory(1, 1, (int) birth * 64, 100);
                value.leaveDisk();
                if (isOnDisk) {
                  value.disk(DEVICE, (int) birth, 0, 0, 100);
                }
                return Verdict.PUT;
              });
      return done == Outcome.DONE;
    }

    /** The record of that birth, if the key names it, goes on living on the disk alone. */
    static boolean demote(ObjectIndex.Cursor cursor, long of, long birth) {
      Outcome done =
          update(
              cursor,
              of,
              (isPresent, value) -> {
                if (!isPresent || !value.isInMemory() || value.birth() != birth) {
                  return Verdict.KEEP;
                }
                value.leaveMemory();
                return Verdict.PUT;
              });
      return done == Outcome.DONE;
    }

    static boolean promote(ObjectIndex.Cursor cursor, long of, long birth) {
      Outcome done =
          update(
              cursor,
              of,
              (isPresent, value) -> {
                if (!isPresent
                    || value.isInMemory()
                    || !value.isOnDiskAt(DEVICE, (int) birth, 0, 0)) {
                  return Verdict.KEEP;
                }
                value.identity(KIND, birth, birth);
                value.memory(1, 1, (int) birth * 64, 100);
                return Verdict.PUT;
              });
      return done == Outcome.DONE;
    }

    static int born(ObjectIndex.Cursor cursor, long of, IndexValue into) {
      return switch (cursor.get(Layouts.mix(of), of, into)) {
        case DONE -> (int) into.birth();
        case BUSY -> 9;
        default -> 0;
      };
    }

    int born(long of) {
      return born(patient, of, found);
    }

    /** What a key names; and then, once that is gone, ten times what it names instead. */
    int named(long of) {
      int first = born(of);
      Outcome ignored =
          update(patient, of, (isPresent, value) -> isPresent ? Verdict.REMOVE : Verdict.KEEP);
      return first + 10 * born(of);
    }
  }

  /**
   * A record leaves memory while it is replaced. First: whether it left. Second: whether the
   * replacement was installed.
   */
  private static final class Demoting extends Pair {
    Demoting() {
      require(install(patient, key, 1, true));
    }

    @Override
    public int first() {
      meetSecond();
      return demote(firstCursor, key, 1) ? 1 : 0;
    }

    @Override
    public int second() {
      meetFirst();
      return install(secondCursor, key, 2, false) ? 1 : 0;
    }

    @Override
    public int after() {
      return named(key);
    }
  }

  /** A record comes back into memory while it is replaced; the same numbers. */
  private static final class Promoting extends Pair {
    Promoting() {
      require(install(patient, key, 1, true) && demote(patient, key, 1));
    }

    @Override
    public int first() {
      meetSecond();
      return promote(firstCursor, key, 1) ? 1 : 0;
    }

    @Override
    public int second() {
      meetFirst();
      return install(secondCursor, key, 2, false) ? 1 : 0;
    }

    @Override
    public int after() {
      return named(key);
    }
  }

  /** Two records with one number leave memory. First and second: whether that one was kept. */
  private static final class Colliding extends Pair {
    Colliding() {
      require(install(patient, key, 1, true) && install(patient, twin, 2, true));
    }

    @Override
    public int first() {
      meetSecond();
      return demote(firstCursor, key, 1) ? 1 : 0;
    }

    @Override
    public int second() {
      meetFirst();
      return demote(secondCursor, twin, 2) ? 1 : 0;
    }

    @Override
    public int after() {
      int named = named(twin);
      return named + 100 * named(key);
    }
  }

  /**
   * A slot comes to name another record while it is read. First: the birth that was read, 3 if the
   * place is not that of the birth. Second: whether the other record was named.
   */
  private static final class ReadingSlot extends Pair {
    private final IndexValue value = new IndexValue();

    ReadingSlot() {
      require(install(patient, key, 1, true) && demote(patient, key, 1));
    }

    @Override
    public int first() {
      meetSecond();
      int birth = born(firstCursor, key, value);
      return birth != 9 && birth != 0 && value.diskRegion() != birth ? 3 : birth;
    }

    @Override
    public int second() {
      meetFirst();
      Outcome done =
          update(
              secondCursor,
              // Another key, so that only the table keeps the two apart.
              twin,
              (isPresent, there) -> {
                there.identity(KIND, 2, 2);
                there.disk(DEVICE, 2, 0, 0, 100);
                return Verdict.PUT;
              });
      return done == Outcome.DONE ? 1 : 0;
    }

    @Override
    public int after() {
      return named(twin);
    }
  }

  /**
   * Two slices of one run: one leaves memory and joins it, while the other comes into memory and
   * leaves it. First: whether that one left memory. Second: whether the other one came.
   */
  private static final class SharingRun extends Pair {
    private static final int LENGTH = (4 << 10) + SliceRecord.LENGTH;

    private final IndexValue value = new IndexValue();

    SharingRun() {
      for (int slice = 0; slice < 3; slice++) {
        int number = slice;
        require(
            change(
                patient,
                slice,
                (isPresent, there) -> {
                  there.identity(RecordHeader.KIND_SLICE, 1, key);
                  there.disk(DEVICE, 1, 0, number * LENGTH, LENGTH);
                  there.memory(1, 1, 64, LENGTH);
                  return Verdict.PUT;
                }));
        require(slice == 0 || leave(patient, slice));
      }
    }

    private boolean change(ObjectIndex.Cursor cursor, int slice, ObjectIndex.Update update) {
      return cursor.update(SliceRecord.keyHigh(key), SliceRecord.keyLow(key, slice), update)
          == Outcome.DONE;
    }

    private boolean leave(ObjectIndex.Cursor cursor, int slice) {
      return change(
          cursor,
          slice,
          (isPresent, there) -> {
            there.leaveMemory();
            return Verdict.PUT;
          });
    }

    @Override
    public int first() {
      meetSecond();
      return leave(firstCursor, 0) ? 1 : 0;
    }

    @Override
    public int second() {
      meetFirst();
      boolean isDone =
          change(
              secondCursor,
              1,
              (isPresent, there) -> {
                there.memory(1, 1, 64, LENGTH);
                return Verdict.PUT;
              });
      return isDone ? 1 : 0;
    }

    /** A digit for each slice: 1 if it is in memory, 2 if it is on the disk; else 0. */
    @Override
    public int after() {
      int digits = 0;
      for (int slice = 0; slice < 3; slice++) {
        digits = 10 * digits + where(slice);
      }
      // Nothing is behind what was in memory.
      require(change(patient, 1, (isPresent, there) -> Verdict.REMOVE));
      int result = 10 * digits + where(1);
      for (int slice = 0; slice < 3; slice++) {
        boolean ignored =
            change(patient, slice, (isPresent, there) -> isPresent ? Verdict.REMOVE : Verdict.KEEP);
      }
      return result;
    }

    private int where(int slice) {
      Outcome known = patient.get(SliceRecord.keyHigh(key), SliceRecord.keyLow(key, slice), value);
      boolean isRight = known == Outcome.DONE && value.isOnDiskAt(DEVICE, 1, 0, slice * LENGTH);
      return isRight ? value.isInMemory() ? 1 : 2 : 0;
    }
  }

  private static void require(boolean isDone) {
    if (!isDone) {
      throw new IllegalStateException("not there before anybody touched it");
    }
  }
}
