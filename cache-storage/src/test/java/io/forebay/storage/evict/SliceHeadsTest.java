package io.forebay.storage.evict;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.index.ChronicleIndex;
import io.forebay.storage.index.IndexValue;
import io.forebay.storage.index.IndexedDisk;
import io.forebay.storage.index.KeyHash;
import io.forebay.storage.index.ObjectIndex;
import io.forebay.storage.index.TieredIndex;
import io.forebay.storage.layout.Layouts;
import io.forebay.storage.layout.RecordHeader;
import io.forebay.storage.layout.SliceRecord;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class SliceHeadsTest {
  private static final int DISK = 1;
  private static final long OBJECT = 7;
  private static final long HIGH = 11;
  private static final long LOW = 12;

  private final TieredIndex index =
      new TieredIndex(ChronicleIndex.anonymous(100), KeyHash.STANDARD);
  private final ObjectIndex.Cursor cursor = index.blockingCursor();
  private final MemorySegment record = MemorySegment.ofArray(new long[16]);
  private final SliceHeads heads = new SliceHeads(record, index.blockingCursor());

  @BeforeEach
  void isASliceOfTheObject() throws IOException {
    index.open(DISK, 1 << 20, 16, 100, new Disk());
    record.set(Layouts.LONG, SliceRecord.OBJECT_OFFSET, OBJECT);
    record.set(Layouts.LONG, SliceRecord.HEAD_HIGH_OFFSET, HIGH);
    record.set(Layouts.LONG, SliceRecord.HEAD_LOW_OFFSET, LOW);
  }

  @AfterEach
  void closes() throws IOException {
    index.closeTables();
    index.close();
  }

  private void head(long object, boolean isInMemory, boolean isOnDisk) {
    ObjectIndex.Outcome outcome =
        cursor.update(
            HIGH,
            LOW,
            (isPresent, value) -> {
              value.identity(RecordHeader.KIND_OBJECT, 5, object);
              value.leaveMemory();
              value.leaveDisk();
              if (isInMemory) {
                value.memory(1, 1, 64, 128);
              }
              if (isOnDisk) {
                value.disk(DISK, 2, 3, 64, 128);
              }
              return ObjectIndex.Verdict.PUT;
            });
    assertEquals(ObjectIndex.Outcome.DONE, outcome);
  }

  @Test
  void aSliceWithoutAHeadIsAnOrphanUnlessItsObjectGrows() {
    assertTrue(heads.isOrphan(0, Set.of()));
    assertFalse(heads.isOrphan(0, Set.of(OBJECT)));
  }

  @Test
  void aHeadOfTheObjectOwnsTheSlice() {
    head(OBJECT, true, false);
    assertFalse(heads.isOrphan(0, Set.of()));
  }

  @Test
  void aHeadOfAnotherObjectDoesNot() {
    head(OBJECT + 1, true, false);
    assertTrue(heads.isOrphan(0, Set.of()));
  }

  @Test
  void aHeadOnADiskOnlyMayBeTheSlices() {
    head(OBJECT, true, true);
    head(OBJECT, false, true);
    IndexValue found = heads.find(0);
    assertTrue(found != null && !found.isInMemory() && found.isOnDisk());
    assertFalse(heads.isOrphan(0, Set.of()));
  }

  /** A disk whose regions are all in their third life. */
  private static final class Disk implements IndexedDisk {
    @Override
    public int generation(int region) {
      return 3;
    }

    @Override
    public void addTombstone(long high, long low, long birth) {}

    @Override
    public void audit() {
      throw new AssertionError("a record has lost its name");
    }
  }
}
