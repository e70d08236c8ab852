package io.forebay.storage.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.index.ObjectIndex.Outcome;
import io.forebay.storage.index.ObjectIndex.Verdict;
import io.forebay.storage.layout.Layouts;
import io.forebay.storage.layout.RecordHeader;
import io.forebay.storage.layout.SliceRecord;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Slices of objects in the index of both tiers: named together on a disk, each found alone. */
class SliceRunsTest {
  private static final int DEVICE = 1;
  private static final int REGION_BYTES = 16 << 20;
  private static final int WHOLE = (64 << 10) + SliceRecord.LENGTH;
  private static final int TAIL = 1_000;

  private static final class Device implements IndexedDisk {
    private final Map<Integer, Integer> lives = new HashMap<>();
    private int tombstones;

    @Override
    public int generation(int region) {
      return lives.getOrDefault(region, 5);
    }

    @Override
    public void addTombstone(long high, long low, long birth) {
      tombstones++;
    }

    @Override
    public void audit() {
      throw new AssertionError("a record lost its name");
    }
  }

  private record Slice(long object, int number) {
    long high() {
      return SliceRecord.keyHigh(object);
    }

    long low() {
      return SliceRecord.keyLow(object, number);
    }
  }

  private record Place(int region, int offset, int length, long birth) {}

  private final Device device = new Device();
  private final IndexValue value = new IndexValue();
  private TieredIndex index = new TieredIndex(ChronicleIndex.anonymous(50_000), KeyHash.STANDARD);
  private DiskIndex table;
  private ObjectIndex.Cursor cursor;

  // Where the next record goes.
  private int region;
  private int end;

  SliceRunsTest() throws IOException {
    table = index.open(DEVICE, REGION_BYTES, 1 << 16, 100_000, device);
    cursor = index.blockingCursor();
  }

  @AfterEach
  void close() throws IOException {
    index.close();
    index.closeTables();
  }

  private Place write(int length, long birth) {
    if (end + length > REGION_BYTES - 4096) {
      region++;
      end = 0;
    }
    Place place = new Place(region, end, length, birth);
    end += Layouts.roundUp(length, RecordHeader.ALIGNMENT);
    return place;
  }

  private Outcome update(Slice of, ObjectIndex.Update update) {
    return cursor.update(of.high(), of.low(), update);
  }

  /** As a start does. */
  private void takeUp(Slice one, Place place) {
    Outcome done =
        update(
            one,
            (isPresent, there) -> {
              there.leaveMemory();
              there.identity(RecordHeader.KIND_SLICE, place.birth(), one.object());
              there.fate(0, 0, 0);
              there.disk(
                  DEVICE,
                  place.region(),
                  device.generation(place.region()),
                  place.offset(),
                  place.length());
              return Verdict.PUT;
            });
    assertEquals(Outcome.DONE, done);
  }

  private void promote(Slice one) {
    Outcome done =
        update(
            one,
            (isPresent, there) -> {
              assertTrue(isPresent && !there.isInMemory());
              there.identity(RecordHeader.KIND_SLICE, there.birth(), one.object());
              there.memory(1, 1, 64, there.length());
              there.touchDisk();
              return Verdict.PUT;
            });
    assertEquals(Outcome.DONE, done);
  }

  private void leave(Slice one) {
    Outcome done =
        update(
            one,
            (isPresent, there) -> {
              assertTrue(isPresent && there.isInMemory());
              there.leaveMemory();
              return Verdict.PUT;
            });
    assertEquals(Outcome.DONE, done);
  }

  private void remove(Slice one) {
    assertEquals(Outcome.DONE, update(one, (isPresent, there) -> Verdict.REMOVE));
  }

  private void require(Slice one, Place place, String seed) {
    assertEquals(Outcome.DONE, cursor.get(one.high(), one.low(), value), seed);
    assertTrue(
        value.isOnDiskAt(DEVICE, place.region(), device.generation(place.region()), place.offset()),
        () -> seed + ": " + one + " at " + value.diskOffset() + ", not " + place);
    assertEquals(RecordHeader.KIND_SLICE, value.kind(), seed);
    assertEquals(place.birth(), value.birth(), seed);
    assertEquals(
        Layouts.roundUp(place.length(), RecordHeader.ALIGNMENT),
        Layouts.roundUp(value.length(), RecordHeader.ALIGNMENT),
        seed);
  }

  private Map<Slice, Place> object(long object, int slices, int tail) {
    Map<Slice, Place> made = new HashMap<>();
    for (int n = 0; n < slices; n++) {
      Slice one = new Slice(object, n);
      Place place = write(n == slices - 1 ? tail : WHOLE, object);
      takeUp(one, place);
      made.put(one, place);
    }
    return made;
  }

  @Test
  void slicesThatLieOneBehindTheOtherTakeOneEntryAGroup() {
    Map<Slice, Place> made = object(1, 30, TAIL);
    assertEquals(3, table.count());
    made.forEach((one, place) -> require(one, place, ""));
    assertEquals(
        Outcome.ABSENT,
        cursor.get(SliceRecord.keyHigh(1), SliceRecord.keyLow(1, 30), value),
        "behind the last one");
    made.keySet().forEach(this::remove);
    assertEquals(0, table.count());
  }

  @Test
  void aGroupOfWhichPartsLieElsewhereTakesAnEntryForEach() {
    Map<Slice, Place> made = new HashMap<>();
    for (int n = 0; n < 12; n++) {
      if (n % 4 == 1) {
        Place ignored = write(640, 1);
      }
      Slice one = new Slice(1, n);
      Place place = write(WHOLE, 1);
      takeUp(one, place);
      made.put(one, place);
    }
    assertEquals(4, table.count());
    made.forEach((one, place) -> require(one, place, ""));
    for (int n = 0; n < 12; n++) {
      Place ignored = write(640, 1);
      Slice one = new Slice(2, n);
      Place place = write(WHOLE, 1);
      takeUp(one, place);
      made.put(one, place);
    }
    assertEquals(4 + 12, table.count(), "four of them in runs of one, the others alone");
    made.forEach((one, place) -> require(one, place, ""));
  }

  @Test
  void aSliceLeavesItsRunForMemoryAndComesBackToIt() {
    Map<Slice, Place> made = object(1, 12, TAIL);
    for (int n : new int[] {11, 0, 5}) {
      Slice one = new Slice(1, n);
      promote(one);
      assertEquals(1, table.count());
      made.forEach((each, place) -> require(each, place, "without " + n));
      assertTrue(cursor.get(one.high(), one.low(), value) == Outcome.DONE && value.isInMemory());
      leave(one);
      assertEquals(1, table.count());
      made.forEach((each, place) -> require(each, place, "with " + n));
    }
    assertEquals(Outcome.DONE, cursor.get(SliceRecord.keyHigh(1), SliceRecord.keyLow(1, 7), value));
    assertTrue(value.isDiskTouched(), "what is known of one is known of all of its run");
  }

  @Test
  void aSliceOfALaterBirthIsNotOfTheRun() {
    Map<Slice, Place> made = object(1, 12, WHOLE);
    Slice one = new Slice(1, 6);
    Place place = write(WHOLE, 99);
    takeUp(one, place);
    made.put(one, place);
    assertEquals(2, table.count());
    made.forEach((each, where) -> require(each, where, ""));
    assertEquals(0, device.tombstones);
  }

  @Test
  void aRunOfARegionsEarlierLifeIsNotThere() {
    Map<Slice, Place> made = object(1, 12, WHOLE);
    device.lives.put(0, 6);
    for (Slice one : made.keySet()) {
      assertEquals(Outcome.ABSENT, cursor.get(one.high(), one.low(), value));
    }
    end = 0;
    Slice one = new Slice(1, 3);
    Place place = write(WHOLE, 7);
    takeUp(one, place);
    assertEquals(1, table.count());
    require(one, place, "");
    assertEquals(
        Outcome.ABSENT, cursor.get(SliceRecord.keyHigh(1), SliceRecord.keyLow(1, 4), value));
  }

  @Test
  void runsAndRecordsWithOneNumberAreApart() throws IOException {
    close();
    index = new TieredIndex(ChronicleIndex.anonymous(50_000), (high, low) -> 4711);
    table = index.open(DEVICE, REGION_BYTES, 1 << 16, 100, device);
    cursor = index.blockingCursor();
    Slice one = new Slice(1, 0);
    Place place = write(WHOLE, 1);
    takeUp(one, place);
    Slice short1 = new Slice(2, 1);
    Place shortPlace = write(TAIL, 9);
    takeUp(short1, shortPlace);
    assertEquals(2, table.count());
    require(one, place, "");
    require(short1, shortPlace, "");
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 40})
  void everySliceIsWhereItWasWrittenLast(int objects) {
    long seed = new SplittableRandom().nextLong();
    System.out.println("SliceRunsTest seed " + seed + "L, " + objects + " objects");
    SplittableRandom random = new SplittableRandom(seed);
    Map<Slice, Place> places = new TreeMap<>(java.util.Comparator.comparing(Slice::toString));
    Map<Slice, Place> inMemory = new HashMap<>();
    long birth = 1;
    for (int n = 0; n < 20_000; n++) {
      long object = random.nextInt(objects);
      Slice one = new Slice(object, random.nextInt(30));
      Place known = places.get(one);
      switch (random.nextInt(8)) {
        case 0 -> {
          // Some slices are written one behind the other, in whatever place they had.
          int count = 1 + random.nextInt(30 - one.number());
          long born = ++birth;
          for (int slice = one.number(); slice < one.number() + count; slice++) {
            Slice next = new Slice(object, slice);
            if (!inMemory.containsKey(next)) {
              Place place = write(slice == 29 ? TAIL : WHOLE, born);
              takeUp(next, place);
              places.put(next, place);
            }
          }
        }
        case 1, 2 -> {
          if (known != null && !inMemory.containsKey(one)) {
            promote(one);
            inMemory.put(one, known);
          }
        }
        case 3, 4 -> {
          if (inMemory.remove(one) != null) {
            leave(one);
          }
        }
        case 5 -> {
          if (known != null && random.nextInt(4) == 0) {
            remove(one);
            places.remove(one);
            Place ignored = inMemory.remove(one);
          }
        }
        default -> {
          Outcome found = cursor.get(one.high(), one.low(), value);
          assertEquals(known == null ? Outcome.ABSENT : Outcome.DONE, found, "seed " + seed + "L");
        }
      }
      if (n % 500 == 0) {
        places.forEach((slice, place) -> require(slice, place, "seed " + seed + "L"));
        assertEquals(inMemory.size(), index.count(), "seed " + seed + "L");
        assertTrue(table.count() <= places.size(), "seed " + seed + "L");
      }
    }
    assertEquals(0, table.collisions());
    List<Slice> rest = new ArrayList<>(places.keySet());
    rest.forEach(this::remove);
    assertEquals(0, table.count() + index.count(), "seed " + seed + "L");
  }

  @Test
  void aKeyOfAHeadIsNoSlices() {
    SplittableRandom random = new SplittableRandom(1);
    for (int n = 0; n < 100_000; n++) {
      assertEquals(-1, SliceRecord.sliceOf(random.nextLong(), random.nextLong()));
      long object = random.nextLong();
      int slice = random.nextInt(Integer.MAX_VALUE);
      assertEquals(object, SliceRecord.objectOf(SliceRecord.keyHigh(object)));
      assertEquals(
          slice,
          SliceRecord.sliceOf(SliceRecord.keyHigh(object), SliceRecord.keyLow(object, slice)));
      assertEquals(
          -1, SliceRecord.sliceOf(SliceRecord.keyHigh(object), SliceRecord.runLow(object, slice)));
    }
    assertFalse(table.isLoaded());
    assertNotNull(index);
  }
}
