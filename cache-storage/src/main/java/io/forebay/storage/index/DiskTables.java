package io.forebay.storage.index;

import io.forebay.storage.index.ObjectIndex.Outcome;
import io.forebay.storage.layout.RecordHeader;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The tables of all disks, as one map below the memory tier's. A key is in the upper map or in a
 * table, never in both, and everything here happens under its lock there. Keys that a table cannot
 * tell apart are one key, although each has a lock of its own: of their records the one born last
 * has the name, and each of the others has a tombstone.
 *
 * <p>A slice is named by a run or by itself: a table is asked for the runs of its group first. It
 * joins the run where it lies, begins one, or, where the group has as many runs as it may have,
 * gets a slot of its own.
 *
 * <p>A record can therefore have a competitor in each table. A look-up gives the one born last; an
 * update sees that one, and if it changes anything all others lose their names.
 *
 * <p>Order of locks: the key's, then one stripe of each table in the order of the tables. What has
 * the lock of a stripe waits for nothing.
 */
final class DiskTables {
  private static final DiskIndex[] NONE = {};

  private final KeyHash hash;
  private volatile DiskIndex[] tables = NONE;

  DiskTables(KeyHash hash) {
    this.hash = hash;
  }

  KeyHash hash() {
    return hash;
  }

  synchronized void add(DiskIndex table) {
    DiskIndex[] more = Arrays.copyOf(tables, tables.length + 1);
    more[more.length - 1] = table;
    tables = more;
  }

  /** Forgets a table that names nothing any more; who is at it goes on. */
  synchronized void remove(int device) {
    tables = Arrays.stream(tables).filter(one -> one.device() != device).toArray(DiskIndex[]::new);
  }

  DiskIndex[] all() {
    return tables;
  }

  private @Nullable DiskIndex table(int device) {
    for (DiskIndex table : tables) {
      if (table.device() == device) {
        return table;
      }
    }
    return null;
  }

  /** One cursor's way in. */
  final class Access {
    private final boolean isPatient;
    private final IndexValue other = new IndexValue();

    // Of the key: its own number, and its runs.
    private long id;
    private final RunKey runs = new RunKey();

    // What the last look at a table found: the number of the slot, and the slice of the run.
    private long foundId;
    private int foundSlice;

    // Of the update under way: the slots that the key may have, each under its stripe's lock.
    private long high;
    private long low;
    private DiskIndex[] held = NONE;
    private long[] ids = {};
    private int[] slices = {};
    private long[] slots = {};
    private long[] births = {};
    private int count;
    private int shown = -1;

    Access(boolean isPatient) {
      this.isPatient = isPatient;
    }

    private void key(long ofHigh, long ofLow) {
      high = ofHigh;
      low = ofLow;
      id = hash.of(high, low);
      runs.of(hash, high, low);
    }

    /** Looks for the key in one table: in the runs that may have it, then by itself. */
    private Outcome look(DiskIndex table, IndexValue into, boolean waits) {
      foundSlice = runs.slice();
      for (int way = 0; way < runs.ways(); way++) {
        foundId = runs.id(way);
        Outcome known = table.find(foundId, foundSlice, into, waits);
        if (known != Outcome.ABSENT) {
          return known;
        }
      }
      foundId = id;
      foundSlice = DiskIndex.ALONE;
      return table.find(foundId, foundSlice, into, waits);
    }

    Outcome find(long ofHigh, long ofLow, IndexValue into) {
      key(ofHigh, ofLow);
      boolean isFound = false;
      for (DiskIndex table : tables) {
        switch (look(table, isFound ? other : into, isPatient)) {
          case BUSY -> {
            return Outcome.BUSY;
          }
          case DONE -> {
            if (isFound && other.birth() > into.birth()) {
              into.copyFrom(other);
            }
            isFound = true;
          }
          default -> {}
        }
      }
      return isFound ? Outcome.DONE : Outcome.ABSENT;
    }

    /**
     * Begins an update of a key that the upper map does not have. Unless it is BUSY, {@link #end}
     * has to follow.
     */
    Outcome begin(long ofHigh, long ofLow, IndexValue into) {
      key(ofHigh, ofLow);
      count = 0;
      shown = -1;
      DiskIndex[] all = tables;
      if (held.length < all.length) {
        held = new DiskIndex[all.length];
        ids = new long[all.length];
        slices = new int[all.length];
        slots = new long[all.length];
        births = new long[all.length];
      }
      for (DiskIndex table : all) {
        Outcome known = look(table, other, isPatient);
        if (known == Outcome.ABSENT) {
          continue;
        }
        if (known == Outcome.BUSY || !table.lock(foundId, isPatient)) {
          end();
          return Outcome.BUSY;
        }
        long slot = table.locate(foundId, foundSlice);
        if (slot < 0) {
          table.unlock(foundId);
          continue;
        }
        table.read(foundId, slot, foundSlice, other);
        held[count] = table;
        ids[count] = foundId;
        slices[count] = foundSlice;
        slots[count] = slot;
        births[count] = other.birth();
        if (shown < 0 || births[count] > births[shown]) {
          shown = count;
          into.copyFrom(other);
        }
        count++;
      }
      return shown < 0 ? Outcome.ABSENT : Outcome.DONE;
    }

    void end() {
      for (int n = 0; n < count; n++) {
        held[n].unlock(ids[n]);
      }
      count = 0;
    }

    /** The key leaves the tables. What becomes of the record that was shown is the caller's. */
    void remove() {
      for (int n = 0; n < count; n++) {
        if (n != shown) {
          held[n].owner().addTombstone(high, low, births[n]);
        }
        held[n].remove(ids[n], slots[n], slices[n]);
      }
    }

    /** The key is to name a record that only a disk has; false if that one lost its name. */
    boolean put(IndexValue value) {
      boolean isKept = false;
      for (int n = 0; n < count; n++) {
        boolean isSameDisk = n == shown && held[n].device() == value.diskDevice();
        if (isSameDisk
            && held[n].canHold(value)
            && held[n].replace(ids[n], slots[n], slices[n], value)) {
          isKept = true;
        } else {
          if (!isSameDisk) {
            held[n].owner().addTombstone(high, low, births[n]);
          }
          held[n].remove(ids[n], slots[n], slices[n]);
        }
      }
      end();
      return isKept || name(value);
    }

    /**
     * A record leaves memory for a disk: the key is in the upper map, so every slot that it could
     * have is another one's. False if the record lost its name.
     */
    boolean demote(long ofHigh, long ofLow, IndexValue value) {
      key(ofHigh, ofLow);
      for (DiskIndex table : tables) {
        boolean isOther = table.device() != value.diskDevice();
        // In the table of its own disk a record alone meets another one when it is named.
        if ((isOther || runs.ways() > 0)
            && look(table, other, true) == Outcome.DONE
            && (isOther || foundSlice != DiskIndex.ALONE)
            && !giveWay(table, value.birth())) {
          lose(table(value.diskDevice()), value);
          return false;
        }
      }
      return name(value);
    }

    /** What was just found in a table goes, unless it was born later. */
    private boolean giveWay(DiskIndex table, long birth) {
      boolean ignored = table.lock(foundId, true);
      try {
        long slot = table.locate(foundId, foundSlice);
        if (slot < 0) {
          return true;
        }
        table.read(foundId, slot, foundSlice, other);
        if (other.birth() >= birth) {
          return false;
        }
        table.owner().addTombstone(high, low, other.birth());
        table.remove(foundId, slot, foundSlice);
        return true;
      } finally {
        table.unlock(foundId);
      }
    }

    private boolean name(IndexValue value) {
      DiskIndex table = table(value.diskDevice());
      if (table != null
          && (nameInRun(table, value) || table.put(id, high, low, value) == DiskIndex.Kept.KEPT)) {
        return true;
      }
      lose(table, value);
      return false;
    }

    private boolean nameInRun(DiskIndex table, IndexValue value) {
      if (value.kind() != RecordHeader.KIND_SLICE) {
        return false;
      }
      for (int way = 0; way < runs.ways(); way++) {
        if (table.join(runs.id(way), runs.slice(), value)) {
          return true;
        }
      }
      for (int way = 0; way < runs.ways(); way++) {
        if (table.begin(runs.id(way), runs.slice(), value)) {
          return true;
        }
      }
      return false;
    }

    /** Without a name nothing would stop the record from coming back at a start. */
    private void lose(@Nullable DiskIndex table, IndexValue value) {
      if (table != null) {
        table.owner().addTombstone(high, low, value.birth());
      }
    }
  }
}
