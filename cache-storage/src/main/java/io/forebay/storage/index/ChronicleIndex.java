package io.forebay.storage.index;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import net.openhft.chronicle.hash.Data;
import net.openhft.chronicle.hash.locks.InterProcessLock;
import net.openhft.chronicle.hash.serialization.SizeMarshaller;
import net.openhft.chronicle.map.ChronicleMap;
import net.openhft.chronicle.map.ChronicleMapBuilder;
import net.openhft.chronicle.map.ExternalMapQueryContext;
import net.openhft.chronicle.map.MapAbsentEntry;
import net.openhft.chronicle.map.MapEntry;
import net.openhft.chronicle.map.MapQueryContext;
import org.jspecify.annotations.Nullable;

/** An {@link ObjectIndex} in a Chronicle Map. */
public final class ChronicleIndex implements ObjectIndex {
  static {
    // Read when the map's classes load; without it they report usage to a server.
    System.setProperty("chronicle.analytics.disable", "true");
    System.setProperty("chronicle.announcer.disable", "true");
  }

  /** Spins of a hasty cursor: a few microseconds. */
  private static final int SPINS = 200;

  private static final long PATIENT_PAUSE_NANOS = 20_000;

  /** Key, value, the map's own hash slots, and what it keeps in reserve. */
  public static final long BYTES_PER_ENTRY = 112;

  private final ChronicleMap<IndexKey, IndexValue> map;
  private final long capacity;
  private final AtomicLong count;

  private ChronicleIndex(ChronicleMap<IndexKey, IndexValue> map, long capacity) {
    this.map = map;
    this.capacity = capacity;
    this.count = new AtomicLong(map.longSize());
  }

  /** What an index of this capacity takes, near enough to plan with, and rather too much. */
  public static long estimatedBytes(long capacity) {
    return (256 << 10) + capacity * BYTES_PER_ENTRY;
  }

  /** Attaches to a file or makes it. */
  public static ChronicleIndex persisted(Path file, long capacity) throws IOException {
    return new ChronicleIndex(builder(capacity).createPersistedTo(file.toFile()), capacity);
  }

  /** An index that does not outlive the process. */
  public static ChronicleIndex anonymous(long capacity) {
    return new ChronicleIndex(builder(capacity).create(), capacity);
  }

  private static ChronicleMapBuilder<IndexKey, IndexValue> builder(long capacity) {
    return ChronicleMapBuilder.of(IndexKey.class, IndexValue.class)
        .name("forebay")
        .entries(capacity)
        .keyMarshaller(KeyMarshaller.INSTANCE)
        .keySizeMarshaller(SizeMarshaller.constant(IndexKey.LENGTH))
        .valueMarshaller(ValueMarshaller.INSTANCE)
        .valueSizeMarshaller(SizeMarshaller.constant(IndexValue.LENGTH))
        .checksumEntries(false)
        .putReturnsNull(true)
        .removeReturnsNull(true)
        .skipCloseOnExitHook(true);
  }

  @Override
  public Cursor nonBlockingCursor() {
    return cursor(false, null);
  }

  @Override
  public Cursor blockingCursor() {
    return cursor(true, null);
  }

  /**
   * A cursor of this map and what lies below it.
   *
   * @param tables for keys that the map does not have
   */
  Cursor cursor(boolean isPatient, @Nullable DiskTables tables) {
    return new MapCursor(isPatient, tables == null ? null : tables.new Access(isPatient));
  }

  @Override
  public long count() {
    return count.get();
  }

  @Override
  public long capacity() {
    return capacity;
  }

  /** What the map takes of memory. */
  public long offHeapBytes() {
    return map.offHeapMemoryUsed();
  }

  @Override
  public void close() {
    map.close();
  }

  private final class MapCursor implements Cursor {
    private final boolean isPatient;
    private final DiskTables.@Nullable Access disks;
    private final IndexKey key = new IndexKey();
    private final IndexValue value = new IndexValue();

    MapCursor(boolean isPatient, DiskTables.@Nullable Access disks) {
      this.isPatient = isPatient;
      this.disks = disks;
    }

    @Override
    public Outcome get(long high, long low, IndexValue into) {
      key.high = high;
      key.low = low;
      try (ExternalMapQueryContext<IndexKey, IndexValue, ?> context = map.queryContext(key)) {
        if (!locked(context.readLock())) {
          return Outcome.BUSY;
        }
        MapEntry<IndexKey, IndexValue> entry = context.entry();
        if (entry == null) {
          return disks == null ? Outcome.ABSENT : disks.find(high, low, into);
        }
        IndexValue read = entry.value().getUsing(into);
        assert read == into;
        return Outcome.DONE;
      }
    }

    @Override
    public Outcome update(long high, long low, Update update) {
      key.high = high;
      key.low = low;
      try (ExternalMapQueryContext<IndexKey, IndexValue, ?> context = map.queryContext(key)) {
        // Most often nobody is there. Else updaters first queue among themselves; then the readers
        // that are inside leave.
        if (!context.writeLock().tryLock()
            && (!locked(context.updateLock()) || !locked(context.writeLock()))) {
          return Outcome.BUSY;
        }
        MapEntry<IndexKey, IndexValue> entry = context.entry();
        if (entry != null) {
          IndexValue read = entry.value().getUsing(value);
          assert read == value;
          return change(context, entry, update);
        }
        MapAbsentEntry<IndexKey, IndexValue> absent = context.absentEntry();
        if (absent == null) {
          throw new IllegalStateException("a key neither present nor absent");
        }
        if (count.get() >= capacity && (disks == null || update.isForMemory())) {
          return Outcome.FULL;
        }
        return disks == null
            ? insert(context, absent, update)
            : changeBelow(context, absent, update, disks);
      }
    }

    private Outcome insert(
        MapQueryContext<IndexKey, IndexValue, ?> context,
        MapAbsentEntry<IndexKey, IndexValue> absent,
        Update update) {
      value.leaveDisk();
      if (update.decide(false, value) != Verdict.PUT) {
        return Outcome.ABSENT;
      }
      absent.doInsert(context.wrapValueAsData(value));
      count.incrementAndGet();
      return Outcome.DONE;
    }

    /** The update of a key that only tables may have. */
    private Outcome changeBelow(
        MapQueryContext<IndexKey, IndexValue, ?> context,
        MapAbsentEntry<IndexKey, IndexValue> absent,
        Update update,
        DiskTables.Access below) {
      value.leaveMemory();
      value.leaveDisk();
      Outcome known = below.begin(key.high, key.low, value);
      if (known == Outcome.BUSY) {
        return known;
      }
      boolean isPresent = known == Outcome.DONE;
      try {
        return switch (update.decide(isPresent, value)) {
          case KEEP -> isPresent ? Outcome.KEPT : Outcome.ABSENT;
          case REMOVE -> {
            below.remove();
            yield known;
          }
          case PUT -> {
            if (!value.isInMemory()) {
              yield below.put(value) ? Outcome.DONE : Outcome.FULL;
            }
            absent.doInsert(context.wrapValueAsData(value));
            count.incrementAndGet();
            below.remove();
            yield Outcome.DONE;
          }
        };
      } finally {
        below.end();
      }
    }

    private Outcome change(
        MapQueryContext<IndexKey, IndexValue, ?> context,
        MapEntry<IndexKey, IndexValue> entry,
        Update update) {
      return switch (update.decide(true, value)) {
        case KEEP -> Outcome.KEPT;
        case PUT -> {
          if (disks != null && !value.isInMemory()) {
            // The table names the record before the map removes it; readers wait for the lock.
            boolean isKept = disks.demote(key.high, key.low, value);
            remove(entry);
            yield isKept ? Outcome.DONE : Outcome.FULL;
          }
          Data<IndexValue> data = context.wrapValueAsData(value);
          entry.doReplaceValue(data);
          yield Outcome.DONE;
        }
        case REMOVE -> {
          remove(entry);
          yield Outcome.DONE;
        }
      };
    }

    private void remove(MapEntry<IndexKey, IndexValue> entry) {
      entry.doRemove();
      count.decrementAndGet();
    }

    private boolean locked(@Nullable InterProcessLock lock) {
      if (lock == null) {
        throw new IllegalStateException("no lock");
      }
      for (int spin = 0; spin < SPINS; spin++) {
        if (lock.tryLock()) {
          return true;
        }
        Thread.onSpinWait();
      }
      while (isPatient) {
        if (lock.tryLock()) {
          return true;
        }
        LockSupport.parkNanos(PATIENT_PAUSE_NANOS);
      }
      return false;
    }
  }
}
