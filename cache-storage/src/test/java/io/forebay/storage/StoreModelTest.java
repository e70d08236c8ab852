package io.forebay.storage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.StoreSettings.MiddleTier;
import io.forebay.storage.disk.DeviceSettings;
import io.forebay.storage.disk.DiskSettings;
import io.forebay.storage.disk.DiskStats;
import io.forebay.storage.inspect.StoreCensus;
import io.forebay.storage.lane.ObjectWriter;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.layout.SliceRecord;
import io.forebay.storage.object.HeadSpec;
import io.forebay.storage.object.InstallOutcome;
import io.forebay.storage.object.SliceLocation;
import io.forebay.storage.object.SliceRun;
import io.forebay.storage.object.StoredHead;
import io.forebay.storage.placement.StorageClass;
import io.forebay.storage.placement.StorageClass.Tier;
import io.forebay.storage.purge.Purge;
import io.forebay.storage.purge.PurgeFailedException;
import io.forebay.storage.purge.PurgeKind;
import io.forebay.storage.purge.PurgeReceipt;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Long random runs compared with a plain map: the store may forget, but never returns anything
 * else.
 */
@Tag("slow")
class StoreModelTest {
  @SuppressWarnings("ArrayRecordComponent")
  private record Known(byte[] body, long birth, long bodyBirth, boolean soft, long objectId) {}

  @TempDir Path directory;

  /** Whether disks are evacuated and brought back at random. */
  private boolean isEvacuating;

  @Test
  void agreesWithAPlainMapWhileRegionsAreReclaimed() throws Exception {
    run(new SplittableRandom().nextLong(), 15_000, 2_000, 16 << 20);
  }

  @Test
  void agreesWithAPlainMapWhenEverythingFits() throws Exception {
    run(new SplittableRandom().nextLong(), 15_000, 60, 32 << 20);
  }

  @Tag("full")
  @Test
  void agreesWithAPlainMapWhileRecordsGoToDisksAndComeBack() throws Exception {
    run(new SplittableRandom().nextLong(), 200_000, 4_000, 8 << 20, 2);
  }

  @Test
  @Tag("full")
  void agreesWithAPlainMapWhileDisksAreEvacuatedAndUsedAgain() throws Exception {
    isEvacuating = true;
    run(new SplittableRandom().nextLong(), 30_000, 1_000, 8 << 20, 3);
  }

  /** Names have one of three classes, or none, for good; those of the first come to no disk. */
  @Tag("full")
  @Test
  void agreesWithAPlainMapWhateverTheClass() throws Exception {
    List<StorageClass> classes =
        List.of(
            StorageClass.of("secret", Tier.MEMORY).withShares(100, 10, 0),
            StorageClass.of("video", Tier.DISK)
                .withDisk(1, 1_000, 40_000)
                .withMemoryMax(30_000)
                .withShares(20, 0, 0)
                .withDiskShares(60, 0),
            StorageClass.of("pinned", Tier.DEFAULT).withShares(50, 0, 20).withDiskShares(100, 20));
    run(new SplittableRandom().nextLong(), 30_000, 1_000, 8 << 20, 2, classes);
  }

  @Tag("full")
  @Test
  @OneTier("it has tiers of its own")
  void agreesWithAPlainMapWhileRecordsGoToAMiddleTierAndComeBack() throws Exception {
    run(new SplittableRandom().nextLong(), 40_000, 3_000, 8 << 20, 0, List.of(), 12);
  }

  @Tag("full")
  @Test
  @OneTier("it has tiers of its own")
  void agreesWithAPlainMapWithTwoMiddleTiersBeforeDisks() throws Exception {
    run(new SplittableRandom().nextLong(), 100_000, 3_000, 4 << 20, 2, List.of(), 4, 6);
  }

  @Test
  @Tag("campaign")
  void agreesWithAPlainMapForLong() throws Exception {
    for (int round = 0; round < 50; round++) {
      run(new SplittableRandom().nextLong(), 1_000_000, 100 + round * 100, 16 << 20);
    }
  }

  @Test
  @Tag("campaign")
  void agreesWithAPlainMapOnDisksForLong() throws Exception {
    int rounds = Integer.getInteger("forebay.model.rounds", 50);
    for (int round = 0; round < rounds; round++) {
      run(
          new SplittableRandom().nextLong(),
          200_000,
          1_000 + round % 5 * 1_000,
          (4 << 20) << round % 3,
          1 + round % 3);
    }
  }

  private List<MiddleTier> tiers(long seed, int... mebibytes) {
    List<MiddleTier> tiers = new ArrayList<>();
    for (int size : mebibytes) {
      tiers.add(
          new MiddleTier(directory.resolve("tier" + tiers.size() + " " + seed), (long) size << 20));
    }
    return tiers;
  }

  private void run(long seed, int operations, int names, long memoryBytes) throws Exception {
    run(seed, operations, names, memoryBytes, 0);
  }

  private void run(long seed, int operations, int names, long memoryBytes, int disks)
      throws Exception {
    run(seed, operations, names, memoryBytes, disks, List.of());
  }

  private void run(
      long seed,
      int operations,
      int names,
      long memoryBytes,
      int disks,
      List<StorageClass> classes,
      int... tierMebibytes)
      throws Exception {
    System.out.println("StoreModelTest seed " + seed + "L, " + names + " names");
    SplittableRandom random = new SplittableRandom(seed);
    Map<String, Known> model = new HashMap<>();
    long finds = 0;
    long wanted = 0;
    long hits = 0;
    long completed = 0;
    long[] demoted = new long[tierMebibytes.length];
    long[] promoted = new long[tierMebibytes.length];
    StoreSettings settings =
        StoreSettings.of(directory.resolve("data" + seed), memoryBytes, 2, () -> 0)
            .withMemoryDirectory(directory.resolve("memory" + seed))
            .withSizes(1 << 18, 0, 64)
            .withPurges(64, 1000, 1 << 16)
            .withLockMemory(false)
            .withDisks(disks(seed, disks))
            .withClasses(classes)
            .withTiers(tiers(seed, tierMebibytes))
            .withCells(StoreFixture.cells(1 + random.nextInt(3), 2));
    try (StoreFixture fixture = new StoreFixture(settings)) {
      for (int n = 0; n < operations; n++) {
        StoreLane lane = fixture.store.lane(random.nextInt(2));
        String name = "/" + random.nextInt(names);
        fixture.clock.addAndGet(random.nextInt(3));
        int dice = random.nextInt(1000);
        try {
          if (dice < 300) {
            put(fixture, lane, name, random, model);
          } else if (dice < 360) {
            completed += complete(fixture, lane, name, random, model.get(name));
          } else if (dice < 920) {
            finds++;
            Known known = model.get(name);
            boolean isHit = check(fixture, lane, name, known);
            wanted += known != null ? 1 : 0;
            hits += isHit ? 1 : 0;
          } else if (dice < 950) {
            refresh(fixture, lane, name, model);
          } else if (dice < 960) {
            long[] key = {StoreFixture.scope("hi" + name), StoreFixture.scope("lo" + name)};
            boolean isSure =
                random.nextBoolean()
                    ? lane.invalidate(key[0], key[1])
                    : lane.invalidate(key[0], key[1], StoreFixture.scope(name));
            assertTrue(isSure || !fixture.store.recovery().isComplete());
            if (!isSure) {
              purge(
                  fixture,
                  new Purge(
                      PurgeKind.URL, new long[] {StoreFixture.scope(name)}, false, "made sure"),
                  (other, known) -> other.equals(name),
                  model);
            }
            model.remove(name);
          } else if (dice < 970) {
            purge(fixture, random, name, model);
          } else if (dice < 999) {
            fixture.steps(3);
          } else if (random.nextInt(4) == 0) {
            reopen(fixture, random);
          }
          if (isEvacuating && random.nextInt(2_000) == 0) {
            evacuate(fixture, random);
          }
          // Counters begin anew at each start: of the longest life.
          List<MiddleTierStats> tiers =
              n % 500 == 0 ? fixture.store.stats().middleTiers() : List.of();
          for (int tier = 0; tier < tiers.size() && tierMebibytes.length > 0; tier++) {
            demoted[tier] = Math.max(demoted[tier], tiers.get(tier).demotedRecords());
            promoted[tier] = Math.max(promoted[tier], tiers.get(tier).promotedRecords());
          }
          if (n % 2000 == 0 && fixture.store.recovery().isComplete()) {
            assertEquals(List.of(), fixture.store.audit());
          }
        } catch (AssertionError | RuntimeException e) {
          throw new AssertionError("seed " + seed + "L, operation " + n + ", " + name, e);
        }
      }
      StoreStats stats = fixture.store.stats();
      System.out.println(
          "  "
              + finds
              + " finds, "
              + wanted
              + " known, "
              + hits
              + " hits, "
              + completed
              + " completed, "
              + stats);
      for (int tier = 0; tier < tierMebibytes.length; tier++) {
        assertTrue(demoted[tier] > 500, demoted[tier] + " demoted into tier " + tier);
        assertTrue(promoted[tier] > 0, "nothing promoted from tier " + tier);
      }
      assertTrue(completed > operations / 1000, "hardly anything completed: " + completed);
      assertTrue(hits > wanted / 20, "hardly any hits: " + hits + " of " + wanted);
      assertEquals(0, stats.checksumFailures());
      assertEquals(0, stats.unfinishedBytes());
      if (!classes.isEmpty()) {
        assertFirstClassIsOnNoDisk(fixture);
      }
    }
  }

  /** Takes the next step of a disk's way out of service and back. */
  private static void evacuate(StoreFixture fixture, SplittableRandom random) throws IOException {
    List<DiskStats> disks = fixture.store.diskStats();
    DiskStats disk = disks.get(random.nextInt(disks.size()));
    switch (disk.state()) {
      case "online" -> fixture.store.evacuate(disk.name());
      case "evacuating" -> {
        if (random.nextInt(4) == 0) {
          fixture.store.cancelEvacuation(disk.name());
        }
      }
      case "evacuated" -> {
        if (random.nextBoolean()) {
          fixture.store.bringOnline(disk.name());
        } else {
          DeviceSettings settings =
              fixture.settings.disks().devices().stream()
                  .filter(one -> one.name().equals(disk.name()))
                  .findFirst()
                  .orElseThrow();
          fixture.store.remove(disk.name());
          fixture.steps(random.nextInt(50));
          fixture.store.add(settings);
        }
      }
      default -> assertEquals("recovering", disk.state());
    }
  }

  private static void assertFirstClassIsOnNoDisk(StoreFixture fixture) throws IOException {
    fixture.stepAll();
    List<StoreCensus.OfClass> counted =
        fixture
            .store
            .inspection()
            .ask(Duration.ofMinutes(1), survey -> survey.census(head -> "", head -> -1).classes());
    // Memory may have nothing of the first class just then; the disks have all others.
    assertEquals(
        List.of(0, 2, 3),
        counted.stream().map(StoreCensus.OfClass::number).filter(number -> number != 1).toList());
    for (StoreCensus.OfClass one : counted) {
      assertEquals(one.number() == 1, one.diskBytes() == 0, counted.toString());
    }
  }

  /** The class of a name, whenever it is stored. */
  private static int classOf(StoreFixture fixture, String name) {
    return fixture.settings.classes().isEmpty() ? 0 : Math.floorMod(name.hashCode(), 4);
  }

  private DiskSettings disks(long seed, int count) {
    List<DeviceSettings> devices = new ArrayList<>();
    for (int n = 0; n < count; n++) {
      devices.add(
          new DeviceSettings(
              "disk" + n,
              directory.resolve("disk" + seed + "-" + n),
              16 << 20,
              1 << 19,
              1 << 17,
              4,
              1,
              5,
              10_000,
              1 << 20));
    }
    return DiskSettings.of(devices).withRecoveryThreads(1 + (int) Math.floorMod(seed, 4L));
  }

  private static String tag(String name) {
    return "tag" + Math.floorMod(name.hashCode(), 7);
  }

  private static String host(String name) {
    return "host" + Math.floorMod(name.hashCode(), 3);
  }

  private static void put(
      StoreFixture fixture,
      StoreLane lane,
      String name,
      SplittableRandom random,
      Map<String, Known> model) {
    int length =
        switch (random.nextInt(4)) {
          case 0 -> random.nextInt(200);
          case 1 -> random.nextInt(20_000);
          case 2 -> random.nextInt(50_000);
          default -> 16_384 * random.nextInt(3);
        };
    byte[] body = StoreFixture.body(random.nextLong(), length);
    long birth = fixture.store.nextBirth();
    boolean isKnown = random.nextBoolean();
    HeadSpec spec =
        StoreFixture.spec(name, birth, isKnown ? length : -1, host(name), tag(name))
            .inClass(classOf(fixture, name));
    ObjectWriter writer = lane.begin(spec);
    if (writer == null) {
      return;
    }
    int at = 0;
    while (at < length) {
      int part = Math.min(length - at, 1 + random.nextInt(20_000));
      if (!writer.append(ByteBuffer.wrap(body, at, part))) {
        writer.abort();
        return;
      }
      at += part;
      if (random.nextInt(20) == 0) {
        fixture.steps(1);
      }
      if (random.nextInt(10) == 0) {
        writer.release(at);
        fixture.steps(random.nextInt(3));
      }
      if (random.nextInt(100) == 0) {
        writer.abort();
        return;
      }
    }
    assertEquals(length, writer.watermark());
    if (length > writer.releasedBytes()) {
      assertTrue(writer.locate(fixture.store.lane(0), length - 1));
      SliceLocation pos = fixture.store.lane(0).slice();
      assertEquals(body[length - 1], fixture.store.regionBuffer(pos.region()).get(pos.offset()));
      fixture.store.lane(0).unpin(pos.region());
    }
    InstallOutcome result = writer.finish();
    if (result == InstallOutcome.INSTALLED) {
      model.put(name, new Known(body, birth, birth, false, writer.objectId()));
    } else {
      assertEquals(InstallOutcome.NO_SPACE, result);
    }
  }

  private static boolean check(
      StoreFixture fixture, StoreLane lane, String name, @Nullable Known known) {
    byte[] body = fixture.read(lane, name);
    if (body == null) {
      return false;
    }
    StoredHead head = lane.head();
    assertNotNull(known, "found what was never stored, or purged: born " + head.birth());
    assertEquals(known.birth(), head.birth());
    assertEquals(known.bodyBirth(), head.bodyBirth());
    assertEquals(known.soft(), head.softPurged());
    assertEquals(known.objectId(), head.objectId());
    assertArrayEquals(known.body(), body);
    return true;
  }

  /**
   * Drops one of an object's slices, where it is known, and then writes what it lacks, that slice
   * and what reclaim has taken. Gives 1 if it could be read as a whole afterwards.
   */
  private static int complete(
      StoreFixture fixture,
      StoreLane lane,
      String name,
      SplittableRandom random,
      @Nullable Known known) {
    if (known == null
        || fixture.loaded(lane, () -> StoreFixture.find(lane, name)) != StoreLane.Found.HIT) {
      return 0;
    }
    StoredHead head = lane.head();
    long id = head.objectId();
    int slices = head.sliceCount();
    int sliceBytes = head.sliceBytes();
    lane.unpin(head.region());
    if (slices == 0) {
      return 0;
    }
    int dropped = random.nextInt(slices);
    boolean isDropped = lane.invalidate(SliceRecord.keyHigh(id), SliceRecord.keyLow(id, dropped));
    assertTrue(isDropped || !fixture.store.recovery().isComplete());
    int slice = 0;
    while (slice < slices) {
      int first = slice;
      while (slice < slices && isMissing(fixture, lane, id, slice)) {
        slice++;
      }
      if (slice > first
          && !write(fixture, lane, name, random, known.body(), id, first, slice, sliceBytes)) {
        return 0;
      }
      slice++;
    }
    return check(fixture, lane, name, known) ? 1 : 0;
  }

  private static boolean isMissing(StoreFixture fixture, StoreLane lane, long id, int slice) {
    StoreLane.Found found = fixture.loaded(lane, () -> lane.findSlice(id, slice));
    if (found == StoreLane.Found.HIT) {
      lane.unpin(lane.slice().region());
    }
    return found == StoreLane.Found.MISS;
  }

  private static boolean write(
      StoreFixture fixture,
      StoreLane lane,
      String name,
      SplittableRandom random,
      byte[] body,
      long id,
      int first,
      int end,
      int sliceBytes) {
    int at = first * sliceBytes;
    int to = Math.min(body.length, end * sliceBytes);
    ObjectWriter writer =
        lane.beginSlices(
            new SliceRun(
                StoreFixture.scope("hi" + name),
                StoreFixture.scope("lo" + name),
                id,
                first,
                to - at,
                fixture.store.nextBirth(),
                classOf(fixture, name)));
    if (writer == null) {
      return false;
    }
    while (at < to) {
      int part = Math.min(to - at, 1 + random.nextInt(20_000));
      if (random.nextInt(50) == 0 || !writer.append(ByteBuffer.wrap(body, at, part))) {
        writer.abort();
        return false;
      }
      at += part;
      assertEquals(at, writer.watermark());
      if (random.nextInt(20) == 0) {
        fixture.steps(1);
      }
    }
    InstallOutcome result = writer.finish();
    assertTrue(
        result == InstallOutcome.INSTALLED || result == InstallOutcome.GONE, result.toString());
    return result == InstallOutcome.INSTALLED;
  }

  private static void refresh(
      StoreFixture fixture, StoreLane lane, String name, Map<String, Known> model) {
    Known known = model.get(name);
    if (known == null) {
      return;
    }
    long birth = fixture.store.nextBirth();
    InstallOutcome result =
        lane.refresh(
            StoreFixture.spec(name, birth, -1, host(name), tag(name))
                .inClass(classOf(fixture, name)),
            known.objectId());
    if (result == InstallOutcome.INSTALLED) {
      model.put(name, new Known(known.body(), birth, known.bodyBirth(), false, known.objectId()));
    } else {
      assertTrue(
          result == InstallOutcome.GONE || result == InstallOutcome.NO_SPACE, result.toString());
    }
  }

  private static void purge(
      StoreFixture fixture, SplittableRandom random, String name, Map<String, Known> model)
      throws PurgeFailedException {
    boolean soft = random.nextBoolean();
    int dice = random.nextInt(30);
    Purge purge;
    BiPredicate<String, Known> matches;
    if (dice == 0) {
      purge = Purge.everything(soft, "all");
      matches = (other, known) -> true;
    } else if (dice < 3) {
      purge = new Purge(PurgeKind.HOST, new long[] {StoreFixture.scope(host(name))}, soft, "host");
      matches = (other, known) -> host(other).equals(host(name));
    } else if (dice < 6) {
      purge = new Purge(PurgeKind.TAG, new long[] {StoreFixture.scope(tag(name))}, soft, "tag");
      matches = (other, known) -> tag(other).equals(tag(name));
    } else {
      purge = new Purge(PurgeKind.URL, new long[] {StoreFixture.scope(name)}, soft, "exact");
      matches = (other, known) -> other.equals(name);
    }
    purge(fixture, purge, matches, model);
  }

  private static void purge(
      StoreFixture fixture,
      Purge purge,
      BiPredicate<String, Known> matches,
      Map<String, Known> model)
      throws PurgeFailedException {
    boolean soft = purge.soft();
    long floor = fixture.store.stats().purgeFloor();
    PurgeReceipt receipt = fixture.store.purge(purge);
    assertEquals(receipt.sequence(), fixture.store.purgeSequence());
    // A full table takes everything with it; that is within the contract, and the model follows.
    boolean isFloor =
        fixture.store.stats().purgeFloor() != floor && !purge.kind().equals(PurgeKind.EVERYTHING);
    if (isFloor) {
      model.clear();
      return;
    }
    if (soft) {
      model.replaceAll((other, known) ->
          matches.test(other, known)
              ? new Known(known.body(), known.birth(), known.bodyBirth(), true, known.objectId())
              : known);
    } else {
      model.entrySet().removeIf(entry -> matches.test(entry.getKey(), entry.getValue()));
    }
  }

  /** What was evacuated has nothing to be recovered. */
  private static boolean hasDisks(StoreFixture fixture) {
    return fixture.store.diskStats().stream().anyMatch(disk -> !disk.state().equals("evacuated"));
  }

  /** The disks outlive memory: some stops are of the machine. */
  private static void reopen(StoreFixture fixture, SplittableRandom random)
      throws StoreException, IOException {
    // What is there does not depend on the cells that it was written in.
    StoreSettings settings =
        fixture.settings.withCells(StoreFixture.cells(1 + random.nextInt(3), 2));
    if (random.nextBoolean()) {
      boolean isComplete = fixture.store.recovery().isComplete();
      boolean hasDisks = hasDisks(fixture);
      fixture.store.close();
      boolean isLost = hasDisks && isComplete && random.nextInt(3) == 0;
      if (isLost) {
        fixture.loseMemory();
      }
      fixture.store = ObjectStore.open(settings);
      RecoveryState.Phase phase = fixture.store.recovery().phase();
      if (!hasDisks) {
        assertEquals(isComplete ? RecoveryState.Phase.WARM : RecoveryState.Phase.REBUILDING, phase);
      } else if (!isComplete) {
        assertEquals(RecoveryState.Phase.REBUILDING, phase);
      }
      if (phase == RecoveryState.Phase.REBUILDING) {
        fixture.steps(random.nextInt(300));
      }
    } else {
      // What clients invalidated is journalled by the next step, and what died on a disk is noted
      // there a few seconds later.
      fixture.clock.addAndGet(6_000);
      fixture.steps(fixture.settings.disks().devices().isEmpty() ? 1 : 100_000);
      boolean isLost =
          hasDisks(fixture) && fixture.store.recovery().isComplete() && random.nextInt(3) == 0;
      fixture.store.abandon();
      if (isLost) {
        fixture.loseMemory();
      }
      fixture.store = ObjectStore.open(settings);
      assertEquals(RecoveryState.Phase.REBUILDING, fixture.store.recovery().phase());
      // What is used before the rebuild is complete is part of the run.
      fixture.steps(random.nextInt(300));
    }
  }
}
