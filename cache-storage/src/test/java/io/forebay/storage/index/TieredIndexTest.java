package io.forebay.storage.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.index.ObjectIndex.Outcome;
import io.forebay.storage.index.ObjectIndex.Verdict;
import io.forebay.storage.layout.Layouts;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The steps of a record's life across memory and disks, against a plain map: whatever an update
 * does, and whatever a start finds, a key never leads to an older record of itself.
 */
class TieredIndexTest {
  private static final int REGION_BYTES = 1 << 20;
  private static final byte KIND = 1;

  /** What was written to a device, in the order in which it was. */
  private record Stored(long key, long birth, int offset, int region) {}

  private static final class Device implements IndexedDisk {
    private final int number;
    private final List<Stored> records = new ArrayList<>();
    private final Map<Long, Stored> places = new HashMap<>();
    private final List<long[]> tombstones = new ArrayList<>();

    Device(int number) {
      this.number = number;
    }

    Stored write(long key, long birth) {
      int n = records.size();
      Stored stored = new Stored(key, birth, n % 1000 * 64, n / 1000);
      records.add(stored);
      places.put(place(stored.region(), stored.offset()), stored);
      return stored;
    }

    static long place(int region, int offset) {
      return (long) region << 32 | offset;
    }

    @Override
    public int generation(int region) {
      return 5;
    }

    @Override
    public void addTombstone(long high, long low, long birth) {
      tombstones.add(new long[] {high, low, birth});
    }

    @Override
    public void audit() {
      throw new AssertionError("a record lost its name");
    }
  }

  private final KeyHash keyHash;
  private final List<Device> devices = List.of(new Device(1), new Device(2));
  private final Map<Long, Long> latest = new HashMap<>();
  private final IndexValue value = new IndexValue();
  private TieredIndex index;
  private ObjectIndex.Cursor cursor;
  private long births = 1;

  TieredIndexTest() throws IOException {
    // 512 numbers for a few hundred keys.
    keyHash = (high, low) -> Layouts.mix(Layouts.mix(high ^ low) & 511);
    index = open();
    cursor = index.blockingCursor();
  }

  private TieredIndex open() throws IOException {
    TieredIndex opened = new TieredIndex(ChronicleIndex.anonymous(10_000), keyHash);
    for (Device device : devices) {
      DiskIndex table = opened.open(device.number, REGION_BYTES, 1 << 20, 1, device);
      assertFalse(table.isLoaded());
    }
    return opened;
  }

  private void close() throws IOException {
    index.close();
    index.closeTables();
  }

  private static long high(long key) {
    return Layouts.mix(key);
  }

  private static long low(long key) {
    return ~Layouts.mix(key + 1);
  }

  private Outcome update(long key, ObjectIndex.Update update) {
    return cursor.update(high(key), low(key), update);
  }

  private void tombstone(long key, IndexValue dead) {
    if (dead.isOnDisk()) {
      devices.get(dead.diskDevice() - 1).addTombstone(high(key), low(key), dead.birth());
    }
  }

  /** As {@code InstallUpdate} does. */
  private boolean install(long key, long birth) {
    Outcome done =
        update(
            key,
            (isPresent, there) -> {
              if (isPresent && there.birth() >= birth) {
                return Verdict.KEEP;
              }
              if (isPresent) {
                tombstone(key, there);
              }
              there.identity(KIND, birth, birth);
              there.memory(1, 1, (int) birth, 100);
              there.leaveDisk();
              return Verdict.PUT;
            });
    return done == Outcome.DONE;
  }

  /** As {@code DiskDemoter} does with a record that leaves memory, or is copied ahead of that. */
  private void demote(long key, Device device, boolean isLeaving) {
    if (cursor.get(high(key), low(key), value) != Outcome.DONE || !value.isInMemory()) {
      return;
    }
    long birth = value.birth();
    Stored stored = value.isOnDisk() ? null : device.write(key, birth);
    Outcome done =
        update(
            key,
            (isPresent, there) -> {
              assertTrue(isPresent && there.isInMemory() && there.birth() == birth);
              if (stored != null) {
                there.disk(device.number, stored.region(), 5, stored.offset(), 100);
              }
              if (isLeaving) {
                there.leaveMemory();
              }
              return Verdict.PUT;
            });
    assertTrue(done == Outcome.DONE || (done == Outcome.FULL && isLeaving));
    if (done == Outcome.FULL) {
      latest.remove(key);
    }
  }

  /** As a look-up, a read, its verification and {@code Promoter} do; the birth it led to, or -1. */
  private long find(long key, boolean isPromoted) {
    if (cursor.get(high(key), low(key), value) != Outcome.DONE) {
      return -1;
    }
    if (value.isInMemory()) {
      return value.birth();
    }
    Device device = devices.get(value.diskDevice() - 1);
    Stored stored = device.places.get(Device.place(value.diskRegion(), value.diskOffset()));
    if (stored == null || stored.key() != key || stored.birth() != value.birth()) {
      return -1;
    }
    long birth = stored.birth();
    if (isPromoted) {
      Outcome done =
          update(
              key,
              (isPresent, there) -> {
                assertTrue(isPresent && !there.isInMemory() && there.birth() == birth);
                there.identity(KIND, birth, birth);
                there.memory(1, 1, (int) birth, 100);
                return Verdict.PUT;
              });
      assertEquals(Outcome.DONE, done);
    }
    return birth;
  }

  private void invalidate(long key) {
    Outcome ignored =
        update(
            key,
            (isPresent, there) -> {
              if (!isPresent) {
                return Verdict.KEEP;
              }
              tombstone(key, there);
              return Verdict.REMOVE;
            });
    latest.remove(key);
  }

  private void touch(long key) {
    Outcome ignored =
        update(
            key,
            (isPresent, there) -> {
              if (!isPresent || !there.isOnDisk()) {
                return Verdict.KEEP;
              }
              there.touchDisk();
              return Verdict.PUT;
            });
  }

  /** As {@code DeviceReclaimer} does with what was asked for: the same record in another place. */
  private void copyForward(long key, SplittableRandom random) {
    if (cursor.get(high(key), low(key), value) != Outcome.DONE || !value.isOnDisk()) {
      return;
    }
    Device device = devices.get(value.diskDevice() - 1);
    Stored from = device.places.get(Device.place(value.diskRegion(), value.diskOffset()));
    if (from == null || from.key() != key) {
      return;
    }
    boolean isMoved = random.nextBoolean();
    Stored to = isMoved ? device.write(key, from.birth()) : from;
    Outcome done =
        update(
            key,
            (isPresent, there) -> {
              assertTrue(
                  isPresent && there.isOnDiskAt(device.number, from.region(), 5, from.offset()));
              if (isMoved) {
                there.disk(device.number, to.region(), 5, to.offset(), 100);
                return Verdict.PUT;
              }
              there.leaveDisk();
              return there.isInMemory() ? Verdict.PUT : Verdict.REMOVE;
            });
    assertEquals(Outcome.DONE, done);
    // The region is written over.
    device.records.remove(from);
    device.places.remove(Device.place(from.region(), from.offset()));
    if (!isMoved && find(key, false) < 0) {
      latest.remove(key);
    }
  }

  /** The process ends and memory is lost: what the disks have is taken up as a start does. */
  private void restart(SplittableRandom random) throws IOException {
    close();
    index = open();
    cursor = index.blockingCursor();
    for (Device device : devices) {
      Map<Long, Long> dead = new HashMap<>();
      for (long[] one : device.tombstones) {
        dead.merge(keyHash.coarse(one[0], one[1]), one[2], Math::max);
      }
      List<Stored> order = new ArrayList<>(device.records);
      for (int n = order.size(); n > 1; n--) {
        order.add(order.remove(random.nextInt(n)));
      }
      for (Stored one : order) {
        long coarse = keyHash.coarse(high(one.key()), low(one.key()));
        if (one.birth() > dead.getOrDefault(coarse, -1L)) {
          takeUp(device, one);
        }
      }
    }
  }

  private void takeUp(Device device, Stored one) {
    Outcome ignored =
        update(
            one.key(),
            (isPresent, there) -> {
              if (isPresent) {
                if (there.birth() >= one.birth()) {
                  if (there.birth() > one.birth()) {
                    device.addTombstone(high(one.key()), low(one.key()), one.birth());
                  }
                  return Verdict.KEEP;
                }
                if (there.diskDevice() == device.number) {
                  device.addTombstone(high(one.key()), low(one.key()), there.birth());
                }
              }
              there.identity(KIND, one.birth(), one.birth());
              there.leaveMemory();
              there.disk(device.number, one.region(), 5, one.offset(), 100);
              return Verdict.PUT;
            });
  }

  private void check(long key, boolean isPromoted, long seed) {
    long found = find(key, isPromoted);
    if (found >= 0) {
      assertEquals(latest.get(key), found, "seed " + seed + "L, key " + key);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {50, 400, 3000})
  void neverLeadsToAnOlderRecord(int keys) throws IOException {
    long seed = new SplittableRandom().nextLong();
    System.out.println("TieredIndexTest seed " + seed + "L, " + keys + " keys");
    SplittableRandom random = new SplittableRandom(seed);
    int hits = 0;
    for (int n = 0; n < 100_000; n++) {
      long key = random.nextInt(keys);
      switch (random.nextInt(20)) {
        case 0, 1, 2, 3 -> {
          long birth = births++;
          if (install(key, birth)) {
            latest.put(key, birth);
          }
        }
        case 4, 5, 6, 7, 8, 9 -> demote(key, devices.get(random.nextInt(2)), true);
        case 10 -> demote(key, devices.get(random.nextInt(2)), false);
        case 11, 12 -> check(key, true, seed);
        case 13 -> touch(key);
        case 14 -> {
          if (random.nextInt(4) == 0) {
            invalidate(key);
          }
        }
        case 15 -> copyForward(key, random);
        case 16 -> {
          if (random.nextInt(300) == 0) {
            restart(random);
          }
        }
        default -> {
          check(key, false, seed);
          hits += find(key, false) >= 0 ? 1 : 0;
        }
      }
    }
    for (int round = 0; round < 2; round++) {
      for (long key = 0; key < keys; key++) {
        check(key, false, seed);
      }
      restart(random);
    }
    assertTrue(hits > 200, hits + " hits");
    assertTrue(index.diskCount() <= index.diskCapacity());
    close();
  }

  @Test
  void aKeyIsInTheMapOrInATableNeverInBoth() throws IOException {
    assertTrue(install(1, births++));
    assertEquals(1, index.count());
    demote(1, devices.getFirst(), false);
    assertEquals(1, index.count());
    assertEquals(0, index.diskCount());
    demote(1, devices.getFirst(), true);
    assertEquals(0, index.count());
    assertEquals(1, index.diskCount());
    assertEquals(1, find(1, true));
    assertEquals(1, index.count());
    assertEquals(0, index.diskCount());
    demote(1, devices.getFirst(), true);
    assertTrue(install(1, births++));
    assertEquals(1, index.count());
    assertEquals(0, index.diskCount());
    assertEquals(1, devices.getFirst().tombstones.size());
    close();
  }

  /** A key that has the same number as another. */
  private long twin(long key) {
    long number = keyHash.of(high(key), low(key));
    long other = key + 1;
    while (keyHash.of(high(other), low(other)) != number) {
      other++;
    }
    return other;
  }

  @Test
  void ofTwoKeysWithOneNumberTheLaterBirthHasIt() throws IOException {
    long one = 1;
    long two = twin(one);
    assertTrue(install(one, births++));
    assertTrue(install(two, births++));
    demote(two, devices.getFirst(), true);
    demote(one, devices.getLast(), true);
    assertEquals(-1, find(one, false), "the older one has lost its name");
    assertEquals(1, devices.getLast().tombstones.size());
    assertEquals(2, find(two, false));
    assertTrue(install(one, births++));
    assertEquals(-1, find(two, false), "an install removes what could be its own");
    assertEquals(2, devices.getFirst().tombstones.getFirst()[2]);
    assertEquals(0, index.diskCount());
    close();
  }

  @Test
  void withoutRoomInMemoryAnUpdateOfADiskIsStillDone() throws IOException {
    close();
    index = new TieredIndex(ChronicleIndex.anonymous(256), keyHash);
    DiskIndex table = index.open(1, REGION_BYTES, 1 << 20, 1, devices.getFirst());
    cursor = index.blockingCursor();
    assertTrue(install(1000, births++));
    demote(1000, devices.getFirst(), true);
    long key = 0;
    while (index.count() < index.capacity()) {
      assertTrue(install(key++, births++));
    }
    ObjectIndex.Update memory =
        new ObjectIndex.Update() {
          @Override
          public Verdict decide(boolean isPresent, IndexValue there) {
            throw new AssertionError("asked without room");
          }

          @Override
          public boolean isForMemory() {
            return true;
          }
        };
    assertEquals(Outcome.FULL, update(1000, memory));
    assertEquals(Outcome.DONE, update(1000, (isPresent, there) -> Verdict.REMOVE));
    assertEquals(0, table.count());
    close();
  }
}
