package io.forebay.storage.lane;

import io.forebay.storage.disk.DiskTier;
import io.forebay.storage.index.IndexValue;
import io.forebay.storage.index.ObjectIndex;
import io.forebay.storage.object.InstallOutcome;
import io.forebay.storage.region.Regions;

/**
 * The index update that installs a committed record under its key if it was born later than the
 * present one. Under the key's lock the old record is killed first and the new one becomes live
 * after it: a process killed in between loses the object, whereas the other order could leave two
 * live heads of one key, of which the older could survive.
 */
final class InstallUpdate implements ObjectIndex.Update {
  /** Whatever is there. */
  static final long ANY = -1;

  private final Regions regions;
  private final DiskTier disk;
  private int region;
  private int generation;
  private int offset;
  private int slot;
  private int length;
  private byte kind;
  private long birth;
  private long objectId;
  private int expiresSeconds;
  private long scope0;
  private long scope1;
  private long high;
  private long low;
  private long expected = ANY;
  private InstallOutcome result = InstallOutcome.BUSY;
  private boolean hasReplaced;

  InstallUpdate(Regions regions, DiskTier disk) {
    this.regions = regions;
    this.disk = disk;
  }

  InstallUpdate place(int newRegion, int newGeneration, int newOffset, int newSlot, int newLength) {
    region = newRegion;
    generation = newGeneration;
    offset = newOffset;
    slot = newSlot;
    length = newLength;
    expected = ANY;
    return this;
  }

  InstallUpdate identity(byte newKind, long newBirth, long newObjectId) {
    kind = newKind;
    birth = newBirth;
    objectId = newObjectId;
    return this;
  }

  /** What a miss can be told by without the record: nothing of a slice. */
  InstallUpdate fate(int newExpiresSeconds, long[] scopes) {
    expiresSeconds = newExpiresSeconds;
    scope0 = scopes.length > 0 ? scopes[0] : 0;
    scope1 = scopes.length > 1 ? scopes[1] : 0;
    return this;
  }

  /** Only in the place of this object, while it is live. */
  InstallUpdate insteadOf(long expectedObjectId) {
    expected = expectedObjectId;
    return this;
  }

  InstallOutcome run(ObjectIndex.Cursor cursor, long keyHigh, long keyLow) {
    result = InstallOutcome.BUSY;
    high = keyHigh;
    low = keyLow;
    return switch (cursor.update(keyHigh, keyLow, this)) {
      case DONE, KEPT, ABSENT -> result;
      case BUSY -> InstallOutcome.BUSY;
      case FULL -> InstallOutcome.NO_SPACE;
    };
  }

  /** Whether what was installed took the place of something live. */
  boolean hasReplaced() {
    return hasReplaced;
  }

  @Override
  public boolean isForMemory() {
    return true;
  }

  @Override
  public ObjectIndex.Verdict decide(boolean isPresent, IndexValue value) {
    boolean isOldLive = false;
    int oldSlot = 0;
    if (isPresent && value.region() >= 0) {
      // A region is emptied only when no key names a record in it, and names change under this
      // lock.
      oldSlot = regions.slotAt(value.region(), value.generation(), value.offset());
      isOldLive = oldSlot >= 0 && regions.isLive(value.region(), oldSlot);
    }
    if (expected != ANY && (!isOldLive || value.objectId() != expected)) {
      result = InstallOutcome.GONE;
      return ObjectIndex.Verdict.KEEP;
    }
    boolean isThere = isOldLive || (isPresent && value.region() < 0 && disk.isReadable(value));
    if (isThere && value.birth() >= birth) {
      result = InstallOutcome.OLDER;
      return ObjectIndex.Verdict.KEEP;
    }
    if (isOldLive) {
      regions.live(value.region(), oldSlot, false);
    }
    regions.live(region, slot, true);
    if (isPresent) {
      disk.addTombstone(high, low, value);
    }
    value.identity(kind, birth, objectId);
    value.memory(region, generation, offset, length);
    value.fate(expiresSeconds, scope0, scope1);
    value.leaveDisk();
    hasReplaced = isOldLive;
    result = InstallOutcome.INSTALLED;
    return ObjectIndex.Verdict.PUT;
  }
}
