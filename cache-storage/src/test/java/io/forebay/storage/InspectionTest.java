package io.forebay.storage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.disk.DeviceSettings;
import io.forebay.storage.disk.DeviceView;
import io.forebay.storage.disk.DiskSettings;
import io.forebay.storage.inspect.Entry;
import io.forebay.storage.inspect.InspectedObject;
import io.forebay.storage.inspect.Listing;
import io.forebay.storage.inspect.Listing.Position;
import io.forebay.storage.inspect.StoreCensus;
import io.forebay.storage.inspect.StoreInspector;
import io.forebay.storage.inspect.Tier;
import io.forebay.storage.inspect.Verification;
import io.forebay.storage.inspect.Verification.Flaw;
import io.forebay.storage.inspect.Verification.Repair;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.layout.DeviceHeader;
import io.forebay.storage.layout.TierHeader;
import io.forebay.storage.lock.DirectoryInUseException;
import io.forebay.storage.memory.MiddleTierMemory;
import io.forebay.storage.memory.TierFile;
import io.forebay.storage.object.HeadSpec;
import io.forebay.storage.object.InstallOutcome;
import io.forebay.storage.purge.Purge;
import io.forebay.storage.purge.PurgeKind;
import io.forebay.storage.purge.PurgeMatcher;
import io.forebay.storage.region.TierGeometry;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Inspection of a store: its results, and the effect of damage. */
@Timeout(120)
@Tag("slow")
class InspectionTest {
  private static final int MEMORY = 2 << 20;
  private static final int REGION = 1 << 18;
  private static final Duration LONG = Duration.ofMinutes(1);

  @TempDir Path directory;
  private final AtomicLong clock = new AtomicLong(1_000_000);

  /** The middle tiers of the store that was opened last. */
  private List<Path> tiers = List.of();

  private StoreFixture open(int disks) throws StoreException {
    List<DeviceSettings> devices = new ArrayList<>();
    for (int n = 0; n < disks; n++) {
      devices.add(
          new DeviceSettings(
              "d" + n, directory.resolve("d" + n), 32 << 20, 1 << 20, 1 << 18, 4, 1, 3, 10_000, 0));
    }
    StoreFixture fixture =
        new StoreFixture(
            StoreSettings.of(directory.resolve("data"), MEMORY, 1, () -> 0)
                .withMemoryDirectory(directory.resolve("memory"))
                .withSizes(REGION, 20_000, 64)
                .withLockMemory(false)
                .withDisks(DiskSettings.of(devices)),
            clock);
    tiers = StoreFixture.tiers(fixture.settings);
    fixture.stepAll();
    return fixture;
  }

  /** In all tiers of memory. */
  private int memoryRegions() {
    return MEMORY / REGION + tiers.size() * TierGeometry.MIN_REGIONS;
  }

  private OfflineStore rest(int disks) throws IOException {
    Map<String, Path> places = new LinkedHashMap<>();
    for (int n = 0; n < disks; n++) {
      places.put("d" + n, directory.resolve("d" + n));
    }
    return OfflineStore.open(
        new OfflineStore.Places(
            directory.resolve("data"), directory.resolve("memory"), tiers, places),
        PurgeMatcher.Compiler.NONE,
        clock::get);
  }

  private static String name(int n) {
    return "/object/" + n;
  }

  private static byte[] body(int n) {
    return StoreFixture.body(n, n % 10 == 0 ? 70_000 + n : 6_000 + n * 13);
  }

  private static void put(StoreFixture fixture, int n) {
    assertEquals(
        InstallOutcome.INSTALLED,
        fixture.put(fixture.store.lane(0), name(n), body(n), true, "host"));
    fixture.steps(20);
  }

  private static void settle(StoreFixture fixture) {
    fixture.clock.addAndGet(6_000);
    fixture.stepAll();
  }

  private static Map<String, InspectedObject> all(StoreInspector survey, int limit)
      throws IOException {
    Map<String, InspectedObject> found = new TreeMap<>();
    Position from = Position.START;
    while (from != null) {
      Listing page = survey.list(head -> true, limit, from);
      assertTrue(page.objects().size() <= limit);
      for (InspectedObject one : page.objects()) {
        assertNull(found.put(one.head().key(), one), "twice: " + one.head().key());
      }
      from = page.next();
    }
    return found;
  }

  private static InspectedObject get(Map<String, InspectedObject> found, String name) {
    InspectedObject one = found.get(name);
    assertNotNull(one, name);
    return one;
  }

  private static StoreCensus census(StoreInspector survey) throws IOException {
    return survey.census(head -> "all", head -> -1);
  }

  private static List<Flaw> verify(StoreInspector survey) {
    Verification run = new Verification(1, 0, System::nanoTime, nanos -> {});
    run.run(survey, Repair.NONE);
    assertEquals(Verification.State.DONE, run.state(), () -> String.valueOf(run.failure()));
    assertEquals(run.flawCount(), run.flaws().size());
    assertEquals(run.totalBytes(), run.passedBytes());
    return run.flaws();
  }

  // --- a running store
  // ----------------------------------------------------------------------------

  @Test
  void everyObjectIsListedOnceWithWhereItsSlicesLie() throws Exception {
    try (StoreFixture fixture = open(1)) {
      for (int n = 0; n < 300; n++) {
        put(fixture, n);
      }
      settle(fixture);
      Map<String, InspectedObject> found =
          fixture.store.inspection().ask(LONG, survey -> all(survey, 7));
      assertEquals(300, found.size(), "nothing is lost with a disk");
      int inMemory = 0;
      int onDisk = 0;
      for (int n = 0; n < 300; n++) {
        InspectedObject one = found.get(name(n));
        assertNotNull(one, name(n));
        assertEquals(body(n).length, one.head().totalLength());
        inMemory += one.inMemory() == null ? 0 : 1;
        onDisk += one.onDisk() == null ? 0 : 1;
        int slices = one.head().slices();
        assertEquals(n % 10 == 0, slices > 0, "objects beyond 16 KiB are sliced");
        assertEquals(slices, one.slices().count());
        assertEquals(0, one.slices().missing(), name(n));
        assertFalse(one.isPurged());
      }
      assertTrue(inMemory > 20 && onDisk > 100, inMemory + " in memory, " + onDisk + " on disk");
    }
  }

  @Test
  void whatWasReplacedPurgedOrMadeStaleIsToldApart() throws Exception {
    try (StoreFixture fixture = open(0)) {
      for (int n = 0; n < 30; n++) {
        put(fixture, n);
      }
      put(fixture, 3);
      fixture.store.purge(
          new Purge(PurgeKind.URL, new long[] {StoreFixture.scope(name(4))}, false, ""));
      fixture.store.purge(
          new Purge(PurgeKind.URL, new long[] {StoreFixture.scope(name(5))}, true, ""));
      Map<String, InspectedObject> found =
          fixture.store.inspection().ask(LONG, survey -> all(survey, 100));
      assertEquals(30, found.size());
      assertTrue(get(found, name(4)).isPurged(), "not swept yet, and dead");
      assertTrue(get(found, name(5)).isSoftPurged());
      assertFalse(get(found, name(5)).isPurged());
      assertFalse(get(found, name(6)).isPurged() || get(found, name(6)).isSoftPurged());
      StoreCensus census = fixture.store.inspection().ask(LONG, InspectionTest::census);
      assertEquals(29, census.parts().stream().mapToLong(StoreCensus.Part::objects).sum());
      InspectedObject one =
          fixture
              .store
              .inspection()
              .ask(
                  LONG,
                  survey ->
                      survey.find(
                          StoreFixture.scope("hi" + name(10)), StoreFixture.scope("lo" + name(10))))
              .orElseThrow();
      assertEquals(name(10), one.head().key());
      assertEquals(
          List.of(new InspectedObject.Run(0, one.slices().count() - 1, true, null)),
          one.slices().runs());
      assertTrue(
          fixture.store.inspection().ask(LONG, survey -> survey.find(1, 2)).isEmpty(),
          "never stored");
      assertEquals(
          1,
          fixture
              .store
              .inspection()
              .ask(LONG, survey -> survey.variants(StoreFixture.scope(name(7)), 10))
              .size());
    }
  }

  @Test
  void theCensusAddsUpToWhatIsThere() throws Exception {
    try (StoreFixture fixture = open(1)) {
      for (int n = 0; n < 300; n++) {
        put(fixture, n);
        if (n % 3 == 0) {
          byte[] ignored = fixture.read(fixture.store.lane(0), name(n / 2));
        }
      }
      settle(fixture);
      StoreCensus census = fixture.store.inspection().ask(LONG, InspectionTest::census);
      Map<String, InspectedObject> found =
          fixture.store.inspection().ask(LONG, survey -> all(survey, 1000));
      assertTrue(census.isComplete());
      assertEquals(memoryRegions() + 32, census.cells().size());
      long inMemory = 0;
      long onDisk = 0;
      for (StoreCensus.Part part : census.parts()) {
        if (part.tier().equals("d0")) {
          onDisk += part.objects();
        } else {
          inMemory += part.objects();
          assertEquals(part.objects(), Arrays.stream(part.sizes()).sum(), "each has a size");
        }
        assertTrue(part.usedBytes() <= part.capacityBytes());
        assertTrue(part.liveBytes() + part.deadBytes() <= part.usedBytes());
        assertTrue(part.touchedBytes() <= part.liveBytes());
      }
      assertEquals(found.values().stream().filter(one -> one.inMemory() != null).count(), inMemory);
      assertEquals(found.values().stream().filter(one -> one.onDisk() != null).count(), onDisk);
      assertEquals(
          List.of(new StoreCensus.Group("all", 300, memoryBytes(found))), census.topGroups(5));
      assertTrue(
          census.cells().stream().anyMatch(cell -> cell.segment() == Tier.Segment.PROTECTED),
          "what was read again is protected");
      assertTrue(census.cells().stream().anyMatch(cell -> cell.touchedBytes() > 0));
    }
  }

  private static long memoryBytes(Map<String, InspectedObject> found) {
    return found.values().stream()
        .filter(one -> one.inMemory() != null)
        .mapToLong(one -> one.head().totalLength())
        .sum();
  }

  @Test
  void aByteThatChangedInMemoryIsFoundAndBecomesAMiss() throws Exception {
    try (StoreFixture fixture = open(0)) {
      for (int n = 0; n < 40; n++) {
        put(fixture, n);
      }
      StoreLane lane = fixture.store.lane(0);
      assertEquals(StoreLane.Found.HIT, StoreFixture.find(lane, name(7)));
      int region = lane.head().region();
      int at = lane.head().bodyOffset() + 5;
      lane.unpin(region);
      var bytes = fixture.store.region(region);
      bytes.set(ValueLayout.JAVA_BYTE, at, (byte) ~bytes.get(ValueLayout.JAVA_BYTE, at));

      Verification run = fixture.store.inspection().verify(0);
      awaitEnd(run);
      assertEquals(1, run.flawCount(), run.flaws()::toString);
      assertEquals(name(7), run.flaws().getFirst().key());
      assertEquals("checksum mismatch", run.flaws().getFirst().why());
      assertEquals(StoreLane.Found.MISS, StoreFixture.find(lane, name(7)));
      assertEquals(1, fixture.store.stats().checksumFailures());
      for (int n = 0; n < 40; n++) {
        if (n != 7) {
          assertArrayEquals(body(n), fixture.read(lane, name(n)));
        }
      }
      Verification again = fixture.store.inspection().verify(0);
      awaitEnd(again);
      assertEquals(0, again.flawCount());
      assertEquals(2, again.id());
    }
  }

  private static void awaitEnd(Verification run) {
    while (run.state() == Verification.State.RUNNING) {
      Thread.onSpinWait();
    }
    assertEquals(Verification.State.DONE, run.state());
  }

  @Test
  void aByteThatChangedOnADiskIsFoundAndOnlyItsCopyGoes() throws Exception {
    try (StoreFixture fixture = open(1)) {
      for (int n = 0; n < 300; n++) {
        put(fixture, n);
      }
      settle(fixture);
      InspectedObject victim =
          fixture.store.inspection().ask(LONG, survey -> all(survey, 1000)).values().stream()
              .filter(one -> one.inMemory() == null && one.head().isInline())
              .findFirst()
              .orElseThrow();
      flip(directory.resolve("d0").resolve(DeviceView.NAME), onDisk(victim));

      Verification run = fixture.store.inspection().verify(0);
      awaitEnd(run);
      assertEquals(1, run.flawCount(), run.flaws()::toString);
      assertEquals(victim.head().key(), run.flaws().getFirst().key());
      assertEquals("d0", run.flaws().getFirst().tier());
      StoreLane lane = fixture.store.lane(0);
      assertEquals(StoreLane.Found.MISS, StoreFixture.find(lane, victim.head().key()));
      assertEquals(299, fixture.store.inspection().ask(LONG, survey -> all(survey, 1000)).size());
    }
  }

  /** The last byte of a record on a disk: of its body. */
  private static long onDisk(InspectedObject one) {
    Entry entry = one.onDisk();
    assertNotNull(entry);
    return DeviceHeader.LENGTH
        + (long) entry.region() * entry.in().regionBytes()
        + entry.offset()
        + entry.length()
        - 1;
  }

  private static boolean isInFirstTier(InspectedObject one) {
    Entry entry = one.inMemory();
    return entry != null && entry.region() < MEMORY / REGION;
  }

  private static long inMemory(InspectedObject one) {
    Entry entry = one.inMemory();
    assertNotNull(entry);
    return TierHeader.LENGTH + (long) entry.region() * REGION + entry.offset() + entry.length() - 1;
  }

  private static void flip(Path file, long at) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer one = ByteBuffer.allocate(1);
      assertEquals(1, channel.read(one, at));
      one.put(0, (byte) ~one.get(0));
      assertEquals(1, channel.write(one.flip(), at));
    }
  }

  @Test
  void lookingWhileRecordsComeAndGoFindsNoFault() throws Exception {
    StoreSettings settings =
        StoreSettings.of(directory.resolve("data"), MEMORY, 1, clock::get)
            .withMemoryDirectory(directory.resolve("memory"))
            .withSizes(REGION, 20_000, 64)
            .withLockMemory(false)
            .withDisks(
                DiskSettings.of(
                    List.of(DeviceSettings.of("d0", directory.resolve("d0"), 16 << 20))));
    try (ObjectStore store = ObjectStore.open(settings)) {
      Verification run = store.inspection().verify(0);
      StoreLane lane = store.lane(0);
      int questions = 0;
      for (int n = 0; n < 8_000; n++) {
        HeadSpec spec = StoreFixture.spec(name(n % 900), store.nextBirth(), -1, "host");
        InstallOutcome ignored =
            lane.putSmall(spec, ByteBuffer.wrap(StoreFixture.body(n, n % 9_000)));
        if (n % 400 == 0) {
          store.inspection().ask(LONG, survey -> survey.list(head -> true, 5_000, Position.START));
          StoreCensus census = store.inspection().ask(LONG, InspectionTest::census);
          assertTrue(census.isComplete());
          questions++;
        }
        if (run.state() != Verification.State.RUNNING) {
          assertEquals(0, run.flawCount(), run.flaws()::toString);
          run = store.inspection().verify(0);
        }
      }
      awaitEnd(run);
      assertEquals(0, run.flawCount(), run.flaws()::toString);
      assertTrue(run.id() > 3 && questions == 20, "verified " + run.id() + " times");
      assertTrue(store.stats().reclaimedRegions() > 10);
      assertEquals(0, store.stats().pins());
    }
  }

  @Test
  void aVerificationKeepsItsRateAndIsCancelled() throws Exception {
    try (StoreFixture fixture = open(0)) {
      for (int n = 0; n < 60; n++) {
        put(fixture, n);
      }
      AtomicLong nanos = new AtomicLong();
      Verification slow = new Verification(1, 1_000_000, nanos::get, nanos::addAndGet);
      fixture
          .store
          .inspection()
          .ask(
              LONG,
              survey -> {
                slow.run(survey, Repair.NONE);
                return slow;
              });
      assertTrue(slow.checkedBytes() > 500_000);
      assertEquals((double) slow.checkedBytes() * 1e3, (double) nanos.get(), 1e6);
      Verification cancelled = new Verification(2, 0, System::nanoTime, pause -> {});
      cancelled.cancel();
      Verification.State state =
          fixture
              .store
              .inspection()
              .ask(
                  LONG,
                  survey -> {
                    cancelled.run(survey, Repair.NONE);
                    return cancelled.state();
                  });
      assertEquals(Verification.State.CANCELLED, state);
      assertEquals(0, cancelled.records());
    }
  }

  // --- files at rest
  // ------------------------------------------------------------------------------

  private Map<Path, Long> checksums() throws IOException {
    Map<Path, Long> sums = new HashMap<>();
    try (var files = Files.walk(directory)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        CRC32C crc = new CRC32C();
        crc.update(Files.readAllBytes(file));
        sums.put(file, crc.getValue());
      }
    }
    return sums;
  }

  @Test
  void atRestAfterAKillTheSameIsThereAndNothingIsWritten() throws Exception {
    Set<String> live;
    try (StoreFixture fixture = open(2)) {
      for (int n = 0; n < 400; n++) {
        put(fixture, n);
      }
      settle(fixture);
      put(fixture, 3);
      fixture.store.purge(
          new Purge(PurgeKind.URL, new long[] {StoreFixture.scope(name(9))}, false, ""));
      settle(fixture);
      live = fixture.store.inspection().ask(LONG, survey -> all(survey, 1000)).keySet();
      fixture.store.abandon();
      Map<Path, Long> before = checksums();
      try (OfflineStore resting = rest(2)) {
        assertEquals(List.of(), resting.problems());
        StoreInspector survey = resting.survey(() -> false);
        Map<String, InspectedObject> found = all(survey, 11);
        assertEquals(new TreeSet<>(live), new TreeSet<>(found.keySet()));
        assertTrue(get(found, name(9)).isPurged(), "the journal says so");
        for (InspectedObject one : found.values()) {
          assertEquals(0, one.slices().missing(), one.head().key());
        }
        StoreCensus census = census(survey);
        assertEquals(memoryRegions() + 64, census.cells().size());
        assertEquals(List.of(), verify(survey));
      }
      assertEquals(before, checksums(), "looking wrote something");
      fixture.store = ObjectStore.open(fixture.settings);
      fixture.stepAll();
      assertNotNull(fixture.read(fixture.store.lane(0), name(10)));
    }
  }

  @Test
  void whatASweepMarkedDeadIsCountedAsDeadAndIsNoFlaw() throws Exception {
    try (StoreFixture fixture = open(1)) {
      long[] scopes = new long[100];
      for (int n = 0; n < 400; n++) {
        put(fixture, n);
        if (n < 2 * scopes.length && n % 2 == 0) {
          scopes[n / 2] = StoreFixture.scope(name(n));
        }
      }
      settle(fixture);
      long before = fixture.store.inspection().ask(LONG, InspectionTest::deadOnDisk);
      fixture.store.purge(new Purge(PurgeKind.URL, scopes, false, ""));
      for (int n = 0; n < 100 && fixture.store.stats().purgeScopes() > 0; n++) {
        fixture.clock.addAndGet(60_000);
        fixture.stepAll();
      }
      assertEquals(0, fixture.store.stats().purgeScopes(), "not swept");
      long dead = fixture.store.inspection().ask(LONG, InspectionTest::deadOnDisk);
      assertTrue(dead >= before + scopes.length, dead + " dead, " + before + " before");
      fixture.store.abandon();
      try (OfflineStore resting = rest(1)) {
        StoreInspector survey = resting.survey(() -> false);
        Map<String, InspectedObject> found = all(survey, 1000);
        for (int n = 0; n < 2 * scopes.length; n++) {
          assertEquals(n % 2 != 0, found.containsKey(name(n)), name(n));
        }
        assertTrue(deadOnDisk(survey) >= scopes.length);
        assertEquals(List.of(), verify(survey));
      }
      fixture.store = ObjectStore.open(fixture.settings);
    }
  }

  private static long deadOnDisk(StoreInspector survey) throws IOException {
    return census(survey).parts().stream()
        .filter(part -> !part.tier().equals("memory"))
        .mapToLong(StoreCensus.Part::deadRecords)
        .sum();
  }

  @Test
  void verifyAtRestFindsExactlyTheRecordsWhoseBytesChanged() throws Exception {
    try (StoreFixture fixture = open(1)) {
      for (int n = 0; n < 300; n++) {
        put(fixture, n);
      }
      settle(fixture);
    }
    Set<String> damaged = new HashSet<>();
    try (OfflineStore resting = rest(1)) {
      Map<String, InspectedObject> found = all(resting.survey(() -> false), 1000);
      InspectedObject inMemory =
          found.values().stream()
              .filter(one -> isInFirstTier(one) && one.head().isInline())
              .findFirst()
              .orElseThrow();
      InspectedObject onDisk =
          found.values().stream()
              .filter(one -> one.onDisk() != null && one.inMemory() == null)
              .filter(one -> one.head().isInline())
              .findFirst()
              .orElseThrow();
      flip(directory.resolve("memory").resolve(TierFile.NAME), inMemory(inMemory));
      flip(directory.resolve("d0").resolve(DeviceView.NAME), onDisk(onDisk));
      damaged.add("memory " + inMemory.head().key());
      damaged.add("d0 " + onDisk.head().key());
    }
    try (OfflineStore resting = rest(1)) {
      Set<String> told = new HashSet<>();
      for (Flaw flaw : verify(resting.survey(() -> false))) {
        assertEquals("checksum mismatch", flaw.why());
        told.add(flaw.tier() + " " + flaw.key());
      }
      assertEquals(damaged, told);
    }
  }

  @Test
  void aRunningOwnerIsNamedAndNothingIsOpened() throws Exception {
    try (StoreFixture fixture = open(0)) {
      put(fixture, 1);
      DirectoryInUseException refused = assertThrows(DirectoryInUseException.class, () -> rest(0));
      assertTrue(
          String.valueOf(refused.getMessage()).contains("" + ProcessHandle.current().pid()),
          refused.getMessage());
      fixture.reopen();
    }
    try (OfflineStore resting = rest(0)) {
      assertEquals(1, all(resting.survey(() -> false), 10).size());
      StoreException refused = assertThrows(StoreException.class, () -> open(0));
      assertEquals(StoreException.Kind.OWNED, refused.kind());
    }
    open(0).close();
  }

  @Test
  void filesThatAreCutOffOrForeignAreToldInALine() throws Exception {
    try (StoreFixture fixture = open(1)) {
      put(fixture, 1);
    }
    Path tier = directory.resolve("memory").resolve(TierFile.NAME);
    Path disk = directory.resolve("d0").resolve(DeviceView.NAME);
    byte[] whole = Files.readAllBytes(tier);
    Files.write(tier, Arrays.copyOf(whole, whole.length - 1));
    problem("is truncated: " + (whole.length - 1) + " bytes instead of " + whole.length);
    Files.write(tier, Arrays.copyOf(whole, 100));
    problem("is truncated: 100 bytes");
    Files.write(tier, new byte[0]);
    problem("is truncated: 0 bytes");
    byte[] damaged = whole.clone();
    damaged[TierHeader.REGION_COUNT_OFFSET]++;
    Files.write(tier, damaged);
    problem("its first page is damaged (checksum)");
    Files.writeString(tier, "something else entirely ".repeat(1000));
    problem("is not a Forebay memory tier");
    Files.write(tier, whole);
    Files.write(disk, Arrays.copyOf(Files.readAllBytes(disk), 1 << 20));
    problem("disk.store is truncated: 1048576 bytes");
    Files.write(disk, new byte[10]);
    problem("disk.store is truncated at 10");
    Files.delete(tier);
    Files.delete(disk);
    for (Path middle : tiers) {
      Files.delete(middle.resolve(MiddleTierMemory.NAME));
    }
    assertThrows(IOException.class, () -> rest(1));
    IOException nowhere =
        assertThrows(
            IOException.class,
            () ->
                OfflineStore.open(
                    new OfflineStore.Places(directory.resolve("nowhere"), null, Map.of()),
                    PurgeMatcher.Compiler.NONE,
                    clock::get));
    assertTrue(String.valueOf(nowhere.getMessage()).contains("there is no directory"));
  }

  private void problem(String expected) throws IOException {
    try (OfflineStore resting = rest(1)) {
      assertEquals(1, resting.problems().size(), resting.problems()::toString);
      assertTrue(resting.problems().getFirst().contains(expected), resting.problems()::toString);
      List<Flaw> ignored = verify(resting.survey(() -> false));
    }
  }

  /** Whatever bytes are turned over, looking ends, and says so or sees less. */
  @Test
  void randomDamageNeitherCrashesNorHangs() throws Exception {
    try (StoreFixture fixture = open(1)) {
      for (int n = 0; n < 300; n++) {
        put(fixture, n);
      }
      settle(fixture);
      fixture.store.abandon();
      Path tier = directory.resolve("memory").resolve(TierFile.NAME);
      Path disk = directory.resolve("d0").resolve(DeviceView.NAME);
      byte[] tierBytes = Files.readAllBytes(tier);
      byte[] diskBytes = Files.readAllBytes(disk);
      long seed = System.nanoTime();
      SplittableRandom random = new SplittableRandom(seed);
      int flaws = 0;
      for (int round = 0; round < 12; round++) {
        Files.write(tier, damaged(tierBytes, TierHeader.LENGTH, REGION, random));
        Files.write(disk, damaged(diskBytes, DeviceHeader.LENGTH, 1 << 20, random));
        try (OfflineStore resting = rest(1)) {
          StoreInspector survey = resting.survey(() -> false);
          assertTrue(all(survey, 50).size() <= 300, "seed " + seed);
          assertTrue(census(survey).isComplete(), "seed " + seed);
          flaws += verify(survey).size();
        }
      }
      assertTrue(flaws > 20, "seed " + seed + " found " + flaws);
      Files.write(tier, tierBytes);
      Files.write(disk, diskBytes);
      fixture.store = ObjectStore.open(fixture.settings);
      fixture.stepAll();
    }
  }

  /** Turns over bytes anywhere, and more of them where headers and directories lie. */
  private static byte[] damaged(byte[] whole, int start, int regionBytes, SplittableRandom random) {
    byte[] bytes = whole.clone();
    for (int n = 0; n < 200; n++) {
      int region = random.nextInt((bytes.length - start) / regionBytes);
      int base = start + region * regionBytes;
      int at =
          switch (random.nextInt(3)) {
            case 0 -> base + random.nextInt(regionBytes);
            case 1 -> base + random.nextInt(64);
            default -> base + regionBytes - 1 - random.nextInt(8_192);
          };
      bytes[at] = (byte) random.nextInt(256);
    }
    return bytes;
  }
}
