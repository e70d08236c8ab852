package io.forebay.storage.index;

import io.forebay.storage.index.ObjectIndex.Outcome;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The tables of all disks, as one map below the memory tier's. A key is in the upper map or in a
 * table, never in both, and everything here happens under its lock there. Keys that a table cannot
 * tell apart are one key, although each has a lock of its own: of their records the one born last
 * has the name, and each of the others has a tombstone.
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

    // Of the update under way: the slots that the key may have, each under its stripe's lock.
    private long id;
    private long high;
    private long low;
    private DiskIndex[] held = NONE;
    private long[] slots = {};
    private long[] births = {};
    private int count;
    private int shown = -1;

    Access(boolean isPatient) {
      this.isPatient = isPatient;
    }

    Outcome find(long ofHigh, long ofLow, IndexValue into) {
      long key = hash.of(ofHigh, ofLow);
      boolean isFound = false;
      for (DiskIndex table : tables) {
        switch (table.find(key, isFound ? other : into, isPatient)) {
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
      high = ofHigh;
      low = ofLow;
      id = hash.of(high, low);
      count = 0;
      shown = -1;
      DiskIndex[] all = tables;
      if (held.length < all.length) {
        held = new DiskIndex[all.length];
        slots = new long[all.length];
        births = new long[all.length];
      }
      for (DiskIndex table : all) {
        Outcome known = table.find(id, other, isPatient);
        if (known == Outcome.ABSENT) {
          continue;
        }
        if (known == Outcome.BUSY || !table.lock(id, isPatient)) {
          end();
          return Outcome.BUSY;
        }
        long slot = table.locate(id);
        if (slot < 0) {
          table.unlock(id);
          continue;
        }
        table.read(id, slot, other);
        held[count] = table;
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
        held[n].unlock(id);
      }
      count = 0;
    }

    /** The key leaves the tables. What becomes of the record that was shown is the caller's. */
    void remove() {
      for (int n = 0; n < count; n++) {
        if (n != shown) {
          held[n].owner().addTombstone(high, low, births[n]);
        }
        held[n].remove(id, slots[n]);
      }
    }

    /** The key is to name a record that only a disk has; false if that one lost its name. */
    boolean put(IndexValue value) {
      boolean isKept = false;
      for (int n = 0; n < count; n++) {
        boolean isSameDisk = n == shown && held[n].device() == value.diskDevice();
        if (isSameDisk && held[n].canHold(value)) {
          held[n].replace(id, slots[n], value);
          isKept = true;
        } else {
          if (!isSameDisk) {
            held[n].owner().addTombstone(high, low, births[n]);
          }
          held[n].remove(id, slots[n]);
        }
      }
      end();
      return isKept || name(id, high, low, value);
    }

    /**
     * A record leaves memory for a disk: the key is in the upper map, so every slot that it could
     * have is another one's. False if the record lost its name.
     */
    boolean demote(long ofHigh, long ofLow, IndexValue value) {
      long key = hash.of(ofHigh, ofLow);
      for (DiskIndex table : tables) {
        if (table.device() != value.diskDevice()
            && table.find(key, other, true) == Outcome.DONE
            && !giveWay(table, key, ofHigh, ofLow, value.birth())) {
          lose(table(value.diskDevice()), ofHigh, ofLow, value);
          return false;
        }
      }
      return name(key, ofHigh, ofLow, value);
    }

    private boolean giveWay(DiskIndex table, long key, long ofHigh, long ofLow, long birth) {
      boolean ignored = table.lock(key, true);
      try {
        long slot = table.locate(key);
        if (slot < 0) {
          return true;
        }
        table.read(key, slot, other);
        if (other.birth() >= birth) {
          return false;
        }
        table.owner().addTombstone(ofHigh, ofLow, other.birth());
        table.remove(key, slot);
        return true;
      } finally {
        table.unlock(key);
      }
    }

    private boolean name(long key, long ofHigh, long ofLow, IndexValue value) {
      DiskIndex table = table(value.diskDevice());
      if (table != null && table.put(key, ofHigh, ofLow, value) == DiskIndex.Kept.KEPT) {
        return true;
      }
      lose(table, ofHigh, ofLow, value);
      return false;
    }

    /** Without a name nothing would stop the record from coming back at a start. */
    private void lose(@Nullable DiskIndex table, long ofHigh, long ofLow, IndexValue value) {
      if (table != null) {
        table.owner().addTombstone(ofHigh, ofLow, value.birth());
      }
    }
  }
}
