package io.forebay.storage.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.index.DiskIndex.Kept;
import io.forebay.storage.index.ObjectIndex.Outcome;
import io.forebay.storage.memory.TableMemory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DiskIndexTest {
  private static final int REGION_BYTES = 64 << 20;

  @TempDir Path directory;

  private final List<TableMemory> opened = new ArrayList<>();
  private final IndexValue value = new IndexValue();

  /** A device whose regions are all in one life. */
  private static final class Device implements IndexedDisk {
    private int generation;
    private final List<Long> tombstones = new ArrayList<>();
    private int audits;

    @Override
    public int generation(int region) {
      return generation;
    }

    @Override
    public void addTombstone(long high, long low, long birth) {
      tombstones.add(birth);
    }

    @Override
    public void audit() {
      audits++;
    }
  }

  private final Device device = new Device();

  private DiskIndex table(long capacity, int regionBytes, int regionCount) throws IOException {
    TableMemory memory = TableMemory.anonymous();
    opened.add(memory);
    return new DiskIndex(3, regionBytes, regionCount, capacity, memory, device);
  }

  private DiskIndex table(long capacity) throws IOException {
    return table(capacity, REGION_BYTES, 1 << 16);
  }

  @AfterEach
  void close() throws IOException {
    for (TableMemory memory : opened) {
      memory.close();
    }
  }

  private static IndexValue record(int region, int offset, int length, long birth) {
    IndexValue made = new IndexValue();
    made.identity((byte) 1, birth, 77);
    made.fate(1_800_000_000, 5, 6);
    made.disk(3, region, 0, offset, length);
    return made;
  }

  private Kept put(DiskIndex table, long id, IndexValue record) {
    return table.put(id, id, ~id, record);
  }

  private static void remove(DiskIndex table, long id) {
    assertTrue(table.lock(id, false));
    long slot = table.locate(id, DiskIndex.ALONE);
    assertTrue(slot >= 0);
    table.remove(id, slot, DiskIndex.ALONE);
    table.unlock(id);
  }

  @Test
  void aSlotSaysWhatTheValueSaidUpToItsPrecision() throws IOException {
    int regions = (int) (((DiskIndex.MAX_PLACE + 1) * 64) / REGION_BYTES);
    DiskIndex table = table(10_000, REGION_BYTES, regions);
    long[] births = {0, 1, (1L << 32) + 5, DiskIndex.MAX_BIRTH};
    int[] places = {0, 1, regions / 2, regions - 1};
    int[] offsets = {0, 64, REGION_BYTES / 2 + 64, REGION_BYTES - 64};
    int[] lengths = {1, 64, 65, 2 << 20};
    int[] expiries = {0, 1, 1_800_000_000, -1};
    int[] generations = {0, 1, 15, -1, 0x7FFF_FFF3};
    long id = 0;
    for (long birth : births) {
      for (int region : places) {
        for (int n = 0; n < 4 * 5 * 3 * 2; n++) {
          IndexValue record = new IndexValue();
          record.identity((byte) (1 + n % 3), birth, 77);
          record.fate(expiries[n / 3 % 4], 5, 6);
          device.generation = generations[n % 5];
          record.disk(3, region, device.generation, offsets[n / 4 % 4], lengths[n % 4]);
          if (n % 2 == 0) {
            record.touchDisk();
          }
          id += 0x9E37_79B9_7F4A_7C15L;
          assertEquals(Kept.KEPT, put(table, id, record));
          assertEquals(Outcome.DONE, table.find(id, DiskIndex.ALONE, value, false));
          assertEquals(birth, value.birth());
          assertEquals(record.kind(), value.kind());
          assertEquals(record.isDiskTouched(), value.isDiskTouched());
          assertTrue(
              value.isOnDiskAt(3, region, device.generation, record.diskOffset()), "its place");
          assertEquals((record.length() + 63) / 64 * 64, value.length());
          assertFalse(value.isInMemory());
          assertTrue(value.isOf(77) && value.isOf(78), "the object is not known");
          long expires = Integer.toUnsignedLong(record.expiresSeconds());
          long kept = Integer.toUnsignedLong(value.expiresSeconds());
          assertTrue(
              kept == 65_535 * 43_200L || (kept >= expires && kept < expires + 43_200),
              expires + " became " + kept);
          remove(table, id);
          assertEquals(Outcome.ABSENT, table.find(id, DiskIndex.ALONE, value, false));
        }
      }
    }
    assertEquals(0, table.count());
  }

  @Test
  void whatDoesNotFitIsNotKept() throws IOException {
    DiskIndex table = table(100, REGION_BYTES, 1 << 24);
    assertEquals(Kept.FULL, put(table, 1, record(0, 0, 100, DiskIndex.MAX_BIRTH + 1)));
    assertEquals(Kept.FULL, put(table, 1, record(0, 0, 100, -1)));
    assertEquals(Kept.FULL, put(table, 1, record(0, 0, (2 << 20) + 1, 1)));
    assertEquals(Kept.FULL, put(table, 1, record((1 << 21) + 1, 0, 100, 1)));
    assertEquals(Kept.FULL, put(table, 1, record(0, 32, 100, 1)));
    assertEquals(5, table.refused());
    assertEquals(0, table.count());
  }

  @Test
  void theLaterBirthHasTheNameAndTheOtherATombstone() throws IOException {
    DiskIndex table = table(100);
    assertEquals(Kept.KEPT, put(table, 7, record(1, 0, 100, 10)));
    assertEquals(Kept.LOST, put(table, 7, record(2, 0, 100, 9)));
    assertEquals(Kept.LOST, put(table, 7, record(2, 0, 100, 10)));
    assertEquals(List.of(), device.tombstones);
    assertEquals(Kept.KEPT, put(table, 7, record(2, 0, 100, 11)));
    assertEquals(List.of(10L), device.tombstones);
    assertEquals(3, table.collisions());
    assertEquals(1, table.count());
    assertEquals(Outcome.DONE, table.find(7, DiskIndex.ALONE, value, false));
    assertEquals(11, value.birth());
  }

  @Test
  void aSlotOfARegionsEarlierLifeIsNotThere() throws IOException {
    DiskIndex table = table(100);
    assertEquals(Kept.KEPT, put(table, 7, record(1, 0, 100, 10)));
    device.generation = 1;
    assertEquals(Outcome.ABSENT, table.find(7, DiskIndex.ALONE, value, false));
    IndexValue young = record(1, 0, 100, 5);
    young.disk(3, 1, 1, 0, 100);
    assertEquals(Kept.KEPT, put(table, 7, young));
    assertEquals(List.of(), device.tombstones);
    assertEquals(1, table.count());
  }

  @Tag("full")
  @ParameterizedTest
  @ValueSource(longs = {1, 100_000, 500_000})
  void growsByPartsAndHoldsAllUpToItsCapacity(long asked) throws IOException {
    DiskIndex table = table(asked);
    long seed = new SplittableRandom().nextLong();
    SplittableRandom random = new SplittableRandom(seed);
    List<Long> ids = new ArrayList<>();
    Set<Long> keys = new HashSet<>();
    Set<Long> sizes = new HashSet<>();
    long capacity = table.capacity();
    while (ids.size() < capacity) {
      long id = random.nextLong();
      if (!keys.add(key(id, asked))) {
        continue;
      }
      int n = ids.size();
      assertEquals(
          Kept.KEPT, put(table, id, record(n % 60_000, n % 1000 * 64, 100, n)), "seed " + seed);
      ids.add(id);
      sizes.add(table.usedBytes());
      if (Integer.bitCount(n) == 1 || n == capacity - 1) {
        requireAll(table, ids, seed);
      }
    }
    assertEquals(Kept.FULL, put(table, random.nextLong(), record(0, 0, 100, 1)));
    assertTrue(sizes.size() > 1, sizes::toString);
    assertTrue(table.usedBytes() <= table.maxBytes());
    assertEquals(0, device.audits);
    for (int n = 0; n < ids.size(); n += 2) {
      remove(table, ids.get(n));
    }
    for (int n = 0; n < ids.size(); n++) {
      assertEquals(
          n % 2 == 0 ? Outcome.ABSENT : Outcome.DONE,
          table.find(ids.get(n), DiskIndex.ALONE, value, false));
    }
    table.clear();
    assertEquals(0, table.count());
    assertEquals(Outcome.ABSENT, table.find(ids.getLast(), DiskIndex.ALONE, value, false));
  }

  private void requireAll(DiskIndex table, List<Long> ids, long seed) {
    for (int n = 0; n < ids.size(); n++) {
      assertEquals(
          Outcome.DONE, table.find(ids.get(n), DiskIndex.ALONE, value, false), "seed " + seed);
      assertEquals(n, value.birth(), "seed " + seed);
    }
    assertEquals(ids.size(), table.count());
  }

  @Test
  void takesLessThan24BytesARecordAtItsBound() {
    for (long capacity : new long[] {100_000, 1_000_000, 30_000_000, 470_000_000L}) {
      double bytes = (double) DiskIndex.bytes(capacity) / (0.95 * capacity);
      assertTrue(bytes < 24, capacity + ": " + bytes);
    }
  }

  @Test
  void agreesWithAPlainMapNearItsCapacity() throws IOException {
    long seed = new SplittableRandom().nextLong();
    System.out.println("DiskIndexTest seed " + seed + "L");
    SplittableRandom random = new SplittableRandom(seed);
    DiskIndex table = table(1);
    Map<Long, Long> model = new HashMap<>();
    List<Long> ids = new ArrayList<>();
    int full = 0;
    for (int n = 1; n < 300_000; n++) {
      if (random.nextInt(100) < 60 || ids.isEmpty()) {
        long id;
        do {
          id = random.nextLong();
        } while (model.containsKey(key(id, 1)));
        Kept kept = put(table, id, record(n % 1000, 0, 100, n));
        assertTrue(kept == Kept.KEPT || model.size() == table.capacity(), "seed " + seed);
        if (kept == Kept.KEPT) {
          model.put(key(id, 1), (long) n);
          ids.add(id);
        } else {
          full++;
        }
      } else {
        int at = random.nextInt(ids.size());
        long id = ids.set(at, ids.getLast());
        ids.removeLast();
        remove(table, id);
        model.remove(key(id, 1));
      }
      long looked = ids.isEmpty() || random.nextBoolean() ? random.nextLong() : ids.getLast();
      Long known = model.get(key(looked, 1));
      Outcome found = table.find(looked, DiskIndex.ALONE, value, false);
      assertEquals(known == null ? Outcome.ABSENT : Outcome.DONE, found, "seed " + seed);
      assertTrue(known == null || known == value.birth(), "seed " + seed);
    }
    assertTrue(full > 1000, full + " times full");
    assertEquals(model.size(), table.count());
    assertEquals(0, device.audits);
  }

  /** What a table of that capacity tells keys apart by. */
  private static long key(long id, long capacity) {
    return DiskIndex.named(id >>> (Long.SIZE - DiskIndex.KEY_BITS - stripeBits(capacity)));
  }

  @Test
  void keepsItsContentInAFile() throws IOException {
    Path file = directory.resolve("table");
    List<Long> ids = new ArrayList<>();
    try (TableMemory memory = TableMemory.create(file, DiskIndex.bytes(50_000))) {
      DiskIndex table = new DiskIndex(3, REGION_BYTES, 1000, 50_000, memory, device);
      assertFalse(table.load());
      for (int n = 0; n < 30_000; n++) {
        long id = n * 0x9E37_79B9_7F4A_7C15L;
        assertEquals(Kept.KEPT, put(table, id, record(n % 1000, 0, 100, n)));
        ids.add(id);
      }
      table.save();
    }
    try (TableMemory memory = TableMemory.open(file)) {
      assertFalse(new DiskIndex(4, REGION_BYTES, 1000, 50_000, memory, device).load());
      assertFalse(new DiskIndex(3, REGION_BYTES, 1000, 90_000, memory, device).load());
      assertFalse(new DiskIndex(3, REGION_BYTES / 2, 1000, 50_000, memory, device).load());
      DiskIndex table = new DiskIndex(3, REGION_BYTES, 1000, 50_000, memory, device);
      assertTrue(table.load() && table.isLoaded());
      requireAll(table, ids, 0);
      for (int n = 0; n < 10_000; n++) {
        assertEquals(Kept.KEPT, put(table, ~ids.get(n), record(n % 1000, 0, 100, n)));
      }
      assertEquals(40_000, table.count());
    }
  }

  @Test
  void aLockedStripeIsBusyForWhoDoesNotWait() throws IOException {
    DiskIndex table = table(1);
    assertEquals(Kept.KEPT, put(table, 5, record(1, 0, 100, 10)));
    assertTrue(table.lock(5, false));
    assertFalse(table.lock(5, false));
    assertEquals(Outcome.BUSY, table.find(5, DiskIndex.ALONE, value, false));
    table.unlock(5);
    assertEquals(Outcome.DONE, table.find(5, DiskIndex.ALONE, value, false));
  }

  @Test
  void keysThatAnyTableCannotTellApartAreOneInTheCoarseIdentity() throws IOException {
    KeyHash plain = (high, low) -> high;
    for (long capacity : new long[] {1, 100_000, 10_000_000}) {
      int bits = Long.SIZE - DiskIndex.KEY_BITS - stripeBits(capacity);
      long id = 0x1234_5678_9ABC_DEF0L;
      for (int bit = 0; bit < Long.SIZE; bit++) {
        long other = id ^ 1L << bit;
        DiskIndex table = table(1);
        assertEquals(Kept.KEPT, put(table, id, record(1, 0, 100, 10)));
        boolean isOne = table.find(other, DiskIndex.ALONE, value, false) == Outcome.DONE;
        assertEquals(isOne, bit < Long.SIZE - DiskIndex.KEY_BITS);
        assertTrue(!isOne || plain.coarse(id, 0) == plain.coarse(other, 0));
        assertTrue(bit >= bits || plain.coarse(id, 0) == plain.coarse(other, 0));
      }
    }
    // A tag of 0 stands for 1.
    long zero = 0x1234L << 48 & -1L << 57;
    assertEquals(plain.coarse(zero, 0), plain.coarse(zero | 1L << 25, 0));
  }

  private static int stripeBits(long capacity) {
    return DiskIndex.Shape.of(capacity).stripeBits();
  }
}
