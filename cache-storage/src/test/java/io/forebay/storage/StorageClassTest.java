package io.forebay.storage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.disk.DeviceSettings;
import io.forebay.storage.disk.DiskSettings;
import io.forebay.storage.disk.DiskTier;
import io.forebay.storage.evict.Tuning;
import io.forebay.storage.inspect.StoreCensus;
import io.forebay.storage.lane.ObjectWriter;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.layout.TierHeader;
import io.forebay.storage.object.HeadSpec;
import io.forebay.storage.object.InstallOutcome;
import io.forebay.storage.placement.StorageClass;
import io.forebay.storage.placement.StorageClass.Tier;
import io.forebay.storage.placement.StorageClassStats;
import io.forebay.storage.purge.Purge;
import io.forebay.storage.purge.PurgeKind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** Storage classes decide in which tiers objects lie and how much of memory they may take. */
@Tag("slow")
class StorageClassTest {
  private static final int MEMORY = 8 << 20;
  private static final int REGION = 1 << 18;
  private static final int BODY = 20_000;

  /** Of two slices of a region's sixteenth and a bit. */
  private static final int LARGE = 40_000;

  @TempDir Path directory;
  private final AtomicLong clock = new AtomicLong(1_000_000);
  private final SimulatedDisk simulated = new SimulatedDisk(clock, new SplittableRandom(2));

  private StoreSettings settings(List<StorageClass> classes, DiskSettings.Admission admission) {
    DeviceSettings device =
        new DeviceSettings(
            "d", directory.resolve("d"), 64 << 20, 1 << 20, 1 << 18, 4, 1, 3, 9_000, 0);
    return StoreSettings.of(directory.resolve("data"), MEMORY, 1, () -> 0)
        .withMemoryDirectory(directory.resolve("memory"))
        .withSizes(REGION, 20_000, 64)
        .withLockMemory(false)
        .withEviction(new Tuning(0.5, 1, 0))
        .withClasses(classes)
        .withDisks(
            DiskSettings.of(List.of(device))
                .with(admission, 0)
                .withStopMillis(60_000)
                .withOpener(simulated));
  }

  private StoreFixture open(StorageClass... classes) throws StoreException {
    return open(DiskSettings.Admission.ALWAYS, classes);
  }

  private StoreFixture open(DiskSettings.Admission admission, StorageClass... classes)
      throws StoreException {
    StoreFixture fixture = new StoreFixture(settings(List.of(classes), admission), clock);
    fixture.stepAll();
    return fixture;
  }

  private static byte[] body(String name, int length) {
    return StoreFixture.body(name.hashCode(), length);
  }

  private static void put(StoreFixture fixture, String storageClass, String name, int length) {
    StoreLane lane = fixture.store.lane(0);
    int number = fixture.store.classes().number(storageClass);
    assertEquals(storageClass.equals("default"), number == 0, storageClass);
    HeadSpec spec = StoreFixture.spec(name, fixture.store.nextBirth(), length).inClass(number);
    ObjectWriter writer = lane.begin(spec, true);
    assertNotNull(writer, name);
    assertTrue(writer.append(ByteBuffer.wrap(body(name, length))), name);
    assertEquals(InstallOutcome.INSTALLED, writer.finish(), name);
    fixture.steps(20);
  }

  private static void put(
      StoreFixture fixture, String storageClass, String prefix, int from, int to) {
    for (int n = from; n < to; n++) {
      put(fixture, storageClass, prefix + n, BODY);
    }
  }

  private static boolean isHit(StoreFixture fixture, String name, int length) {
    byte[] found = fixture.read(fixture.store.lane(0), name);
    if (found != null) {
      assertArrayEquals(body(name, length), found, name);
    }
    fixture.steps(20);
    return found != null;
  }

  private static int hits(StoreFixture fixture, String prefix, int from, int to) {
    int hits = 0;
    for (int n = from; n < to; n++) {
      hits += isHit(fixture, prefix + n, BODY) ? 1 : 0;
    }
    return hits;
  }

  /** Time in which disks are idle and full regions are looked at. */
  private void pass(StoreFixture fixture, int seconds) {
    for (int n = 0; n < seconds; n++) {
      clock.addAndGet(1_000);
      fixture.steps(100);
    }
    simulated.writeBack();
  }

  /** Stops in order and starts with the disks alone. */
  private void loseMemory(StoreFixture fixture) throws Exception {
    fixture.store.close();
    fixture.loseMemory();
    fixture.store = ObjectStore.open(fixture.settings);
    fixture.stepAll();
    assertTrue(fixture.store.recovery().isComplete());
  }

  private int version() throws IOException {
    return ByteBuffer.wrap(Files.readAllBytes(directory.resolve("memory/memory.tier")))
        .order(ByteOrder.LITTLE_ENDIAN)
        .getInt(TierHeader.VERSION_OFFSET);
  }

  private static StorageClassStats stats(StoreFixture fixture, String name) {
    return fixture.store.classStats().stream()
        .filter(one -> one.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  // --- tiers -------------------------------------------------------------------------------------

  @Test
  void whatIsForMemoryAloneComesToNoDisk() throws Exception {
    try (StoreFixture fixture = open(StorageClass.of("secret", Tier.MEMORY))) {
      put(fixture, "secret", "/s", 0, 100);
      put(fixture, "default", "/d", 0, 100);
      for (int round = 0; round < 3; round++) {
        assertEquals(100, hits(fixture, "/s", 0, 100));
        assertEquals(100, hits(fixture, "/d", 0, 100));
      }
      pass(fixture, 300);
      put(fixture, "secret", "/t", 0, 300);
      put(fixture, "default", "/e", 0, 300);
      pass(fixture, 10);
      assertEquals(0, stats(fixture, "secret").written());
      assertTrue(stats(fixture, "secret").evicted() > 50);
      loseMemory(fixture);
      assertEquals(0, hits(fixture, "/s", 0, 100) + hits(fixture, "/t", 0, 300));
      assertEquals(400, hits(fixture, "/d", 0, 100) + hits(fixture, "/e", 0, 300));
    }
  }

  @Test
  void slicesOfAnObjectForMemoryAloneComeToNoDiskEither() throws Exception {
    try (StoreFixture fixture = open(StorageClass.of("secret", Tier.MEMORY))) {
      for (int n = 0; n < 20; n++) {
        put(fixture, "secret", "/s" + n, LARGE);
        assertTrue(isHit(fixture, "/s" + n, LARGE));
      }
      pass(fixture, 300);
      assertEquals(0, fixture.store.diskStats().getFirst().writtenBytes());
      loseMemory(fixture);
      for (int n = 0; n < 20; n++) {
        assertFalse(isHit(fixture, "/s" + n, LARGE));
      }
    }
  }

  @Test
  void aDiskGetsWhatWasRequestedOftenEnough() throws Exception {
    StorageClass often = StorageClass.of("often", Tier.DISK).withDisk(2, 0, StorageClass.UNLIMITED);
    try (StoreFixture fixture = open(often)) {
      put(fixture, "often", "/o", 0, 100);
      // Closes the last region: requests count from then on.
      put(fixture, "default", "/d", 0, 20);
      assertEquals(60, hits(fixture, "/o", 0, 60));
      assertEquals(30, hits(fixture, "/o", 0, 30));
      pass(fixture, 300);
      loseMemory(fixture);
      assertEquals(30, hits(fixture, "/o", 0, 30));
      assertEquals(0, hits(fixture, "/o", 30, 100));
    }
  }

  @Test
  void anEvictedObjectGoesToADiskOnlyAfterItsRequests() throws Exception {
    StorageClass once = StorageClass.of("once", Tier.DISK).withDisk(1, 0, StorageClass.UNLIMITED);
    try (StoreFixture fixture = open(once)) {
      put(fixture, "once", "/o", 0, 100);
      put(fixture, "default", "/d", 0, 20);
      assertEquals(50, hits(fixture, "/o", 0, 50));
      put(fixture, "default", "/e", 0, 800);
      assertEquals(50, hits(fixture, "/o", 0, 50));
      assertEquals(0, hits(fixture, "/o", 50, 100));
    }
  }

  @Test
  void sizesDecideWhatGoesToADisk() throws Exception {
    StorageClass sized = StorageClass.of("sized", Tier.DEFAULT).withDisk(0, 10_000, 30_000);
    try (StoreFixture fixture = open(sized)) {
      for (int n = 0; n < 20; n++) {
        put(fixture, "sized", "/small" + n, 5_000);
        put(fixture, "sized", "/middle" + n, BODY);
        put(fixture, "sized", "/large" + n, LARGE);
      }
      loseMemory(fixture);
      for (int n = 0; n < 20; n++) {
        assertFalse(isHit(fixture, "/small" + n, 5_000));
        assertTrue(isHit(fixture, "/middle" + n, BODY));
        assertFalse(isHit(fixture, "/large" + n, LARGE));
      }
    }
  }

  @Test
  void bodiesThatAreTooLargeDoNotEnterTheProtectedSegment() throws Exception {
    StorageClass passing = StorageClass.of("passing", Tier.MEMORY).withMemoryMax(30_000);
    try (StoreFixture fixture = open(passing)) {
      for (int n = 0; n < 20; n++) {
        put(fixture, "passing", "/small" + n, BODY);
        put(fixture, "passing", "/large" + n, LARGE);
      }
      put(fixture, "default", "/d", 0, 20);
      for (int n = 0; n < 20; n++) {
        assertTrue(isHit(fixture, "/small" + n, BODY));
        assertTrue(isHit(fixture, "/large" + n, LARGE));
      }
      put(fixture, "default", "/e", 0, 500);
      int small = 0;
      for (int n = 0; n < 20; n++) {
        small += isHit(fixture, "/small" + n, BODY) ? 1 : 0;
        assertFalse(isHit(fixture, "/large" + n, LARGE));
      }
      assertEquals(20, small);
    }
  }

  @Test
  void theClassOfADiskIsOnItsDiskWhateverTheAdmission() throws Exception {
    try (StoreFixture fixture =
        open(DiskSettings.Admission.SECOND_HIT, StorageClass.of("cold", Tier.DISK))) {
      put(fixture, "cold", "/c", 0, 50);
      put(fixture, "default", "/d", 0, 50);
      put(fixture, "default", "/e", 0, 600);
      assertEquals(50, hits(fixture, "/c", 0, 50));
      assertEquals(0, hits(fixture, "/d", 0, 50));
      assertEquals(3 * 50, stats(fixture, "cold").written(), "heads and two slices each");
    }
  }

  // --- across restarts ---------------------------------------------------------------------------

  @Test
  @OneTier("the header of one of several tiers has a version of its own")
  void aTierWithoutClassesOpensWarmWithThem() throws Exception {
    try (StoreFixture fixture = open()) {
      put(fixture, "default", "/d", 0, 50);
      fixture.store.close();
      assertEquals(TierHeader.VERSION, version());
      fixture.store =
          ObjectStore.open(
              fixture.settings.withClasses(List.of(StorageClass.of("secret", Tier.MEMORY))));
      fixture.stepAll();
      assertEquals(RecoveryState.Phase.WARM, fixture.store.recovery().phase());
      put(fixture, "secret", "/s", 0, 50);
      assertEquals(50, hits(fixture, "/d", 0, 50));
      fixture.store.close();
      assertEquals(TierHeader.CLASSES_VERSION, version());
      fixture.store = ObjectStore.open(fixture.settings);
      fixture.stepAll();
      assertEquals(RecoveryState.Phase.WARM, fixture.store.recovery().phase());
      assertEquals(100, hits(fixture, "/d", 0, 50) + hits(fixture, "/s", 0, 50));
    }
  }

  @Test
  void recordsKeepTheirClassWhenTheStoreOpensAgain() throws Exception {
    StorageClass video = StorageClass.of("video", Tier.DEFAULT);
    StorageClass secret = StorageClass.of("secret", Tier.MEMORY);
    try (StoreFixture fixture = open(video, secret)) {
      put(fixture, "video", "/v", 0, 30);
      put(fixture, "secret", "/s", 0, 40);
      long videoBytes = stats(fixture, "video").memoryBytes();
      long secretBytes = stats(fixture, "secret").memoryBytes();
      assertTrue(videoBytes > 30 * BODY && secretBytes > 40 * BODY);
      // In another order, beside another one, first after a clean stop, then after a kill.
      StoreSettings other =
          fixture.settings.withClasses(List.of(StorageClass.of("first", Tier.DISK), secret, video));
      fixture.store.close();
      fixture.store = ObjectStore.open(other);
      fixture.stepAll();
      assertEquals(videoBytes, stats(fixture, "video").memoryBytes());
      assertEquals(secretBytes, stats(fixture, "secret").memoryBytes());
      fixture.store.abandon();
      fixture.store = ObjectStore.open(other);
      fixture.stepAll();
      assertEquals(videoBytes, stats(fixture, "video").memoryBytes());
      assertEquals(secretBytes, stats(fixture, "secret").memoryBytes());
      assertEquals(70, hits(fixture, "/v", 0, 30) + hits(fixture, "/s", 0, 40));
    }
  }

  @Test
  void aClassThatIsNotConfiguredAnyMoreIsNotWrittenToADisk() throws Exception {
    try (StoreFixture fixture =
        open(StorageClass.of("secret", Tier.MEMORY), StorageClass.of("video", Tier.DISK))) {
      put(fixture, "secret", "/s", 0, 40);
      put(fixture, "default", "/d", 0, 40);
      fixture.store.close();
      fixture.store =
          ObjectStore.open(
              fixture.settings.withClasses(List.of(StorageClass.of("other", Tier.DISK))));
      fixture.stepAll();
      assertEquals(40, hits(fixture, "/s", 0, 40));
      pass(fixture, 300);
      loseMemory(fixture);
      assertEquals(0, hits(fixture, "/s", 0, 40));
      assertEquals(40, hits(fixture, "/d", 0, 40));
    }
  }

  @Test
  void whatComesBackFromADiskHasItsClass() throws Exception {
    StorageClass video = StorageClass.of("video", Tier.DEFAULT);
    try (StoreFixture fixture = open(video)) {
      put(fixture, "video", "/v", 0, 40);
      for (int n = 0; n < 10; n++) {
        put(fixture, "video", "/large" + n, LARGE);
      }
      loseMemory(fixture);
      assertEquals(0, stats(fixture, "video").memoryBytes());
      assertEquals(40, hits(fixture, "/v", 0, 40));
      assertTrue(stats(fixture, "video").memoryBytes() > 40 * 300, "heads at least");
      long before = stats(fixture, "video").memoryBytes();
      for (int n = 0; n < 30; n++) {
        assertTrue(isHit(fixture, "/large" + n % 10, LARGE));
      }
      assertTrue(stats(fixture, "video").memoryBytes() > before + 10 * LARGE / 2);
    }
  }

  @Test
  void lostNumbersOpenTheMemoryTierEmpty() throws Exception {
    try (StoreFixture fixture = open(StorageClass.of("secret", Tier.MEMORY))) {
      put(fixture, "secret", "/s", 0, 40);
      put(fixture, "default", "/d", 0, 40);
      fixture.store.close();
      Path numbers = directory.resolve("data/storage.classes");
      assertEquals("forebay storage classes 1\n1 secret\n", Files.readString(numbers));
      Files.writeString(numbers, "forebay storage classes 1\n1 secr");
      fixture.store = ObjectStore.open(fixture.settings);
      fixture.stepAll();
      assertEquals(0, hits(fixture, "/s", 0, 40));
      assertEquals(40, hits(fixture, "/d", 0, 40), "the disk has them");
    }
  }

  @Test
  void classesComeAndGoWhileTheStoreIsOpen() throws Exception {
    try (StoreFixture fixture = open()) {
      put(fixture, "default", "/d", 0, 20);
      List<StorageClass> classes = List.of(StorageClass.of("secret", Tier.MEMORY));
      fixture.store.prepare(classes);
      assertEquals(0, fixture.store.classStats().size());
      fixture.store.configure(classes);
      put(fixture, "secret", "/s", 0, 20);
      assertTrue(stats(fixture, "secret").memoryBytes() > 20 * BODY);
      fixture.store.configure(List.of());
      assertNotEquals(0, fixture.store.classes().number("secret"), "of requests under way");
      assertEquals(List.of(), fixture.store.classStats());
      pass(fixture, 200);
      loseMemory(fixture);
      assertEquals(20, hits(fixture, "/d", 0, 20));
      assertEquals(0, hits(fixture, "/s", 0, 20));
    }
  }

  @Test
  void aCensusCountsClasses() throws Exception {
    StoreSettings settings =
        settings(List.of(StorageClass.of("video", Tier.DEFAULT)), DiskSettings.Admission.ALWAYS);
    try (StoreFixture fixture =
        new StoreFixture(
            settings.withDisks(settings.disks().withOpener(DiskTier.Opener.files())), clock)) {
      put(fixture, "video", "/v", 0, 30);
      put(fixture, "default", "/d", 0, 10);
      fixture.store.close();
      fixture.store = ObjectStore.open(fixture.settings);
      fixture.stepAll();
      int number = fixture.store.classes().number("video");
      List<StoreCensus.OfClass> counted =
          fixture
              .store
              .inspection()
              .ask(
                  Duration.ofMinutes(1), survey -> survey.census(head -> "", head -> -1).classes());
      assertEquals(List.of(0, number), counted.stream().map(StoreCensus.OfClass::number).toList());
      assertEquals(30, counted.getLast().memoryObjects());
      assertEquals(30, counted.getLast().diskObjects());
      assertTrue(counted.getLast().diskBytes() > 30 * BODY);
      assertEquals(10, counted.getFirst().memoryObjects());
      assertEquals("video", fixture.store.classes().name(number));
      assertNull(fixture.store.classes().name(number + 1));
    }
  }

  // --- shares ------------------------------------------------------------------------------------

  private static StorageClass shares(String name, int quota, int floor, int pinned) {
    return StorageClass.of(name, Tier.MEMORY).withShares(quota, floor, pinned);
  }

  // The others fill all of the tier, but for what one cell keeps spare and open.
  @DisabledIfSystemProperty(named = StoreFixture.CELLS, matches = "[2-9]")
  @Test
  void aClassOverItsQuotaGivesWayToOthers() throws Exception {
    try (StoreFixture fixture = open(shares("greedy", 20, 0, 0), shares("other", 100, 0, 0))) {
      put(fixture, "other", "/o", 0, 150);
      put(fixture, "greedy", "/g", 0, 1_000);
      long quota = stats(fixture, "greedy").quotaBytes();
      assertTrue(
          stats(fixture, "greedy").memoryBytes() <= MEMORY - 150L * BODY,
          stats(fixture, "greedy").toString());
      assertEquals(150, hits(fixture, "/o", 0, 150), "never requested, and all there");
      assertTrue(stats(fixture, "greedy").memoryBytes() > quota);
      // Others need the space now.
      put(fixture, "other", "/p", 0, 180);
      int others = hits(fixture, "/o", 0, 150) + hits(fixture, "/p", 0, 180);
      assertTrue(others > 320, others + " of 330");
      assertTrue(
          stats(fixture, "greedy").memoryBytes() <= quota + 2L * REGION,
          stats(fixture, "greedy").toString());
    }
  }

  @Test
  void aClassWithinItsQuotaIsTreatedLikeOthers() throws Exception {
    try (StoreFixture fixture = open(shares("modest", 50, 0, 0))) {
      put(fixture, "modest", "/m", 0, 100);
      assertEquals(100, hits(fixture, "/m", 0, 100));
      put(fixture, "default", "/d", 0, 250);
      assertTrue(hits(fixture, "/m", 0, 100) > 80, "requested, and so protected");
    }
  }

  @Test
  void aFloorIsLeftAlone() throws Exception {
    try (StoreFixture fixture = open(shares("small", 100, 30, 0))) {
      put(fixture, "small", "/s", 0, 100);
      put(fixture, "default", "/d", 0, 2_000);
      assertEquals(100, hits(fixture, "/s", 0, 100), "never requested before");
    }
  }

  @Test
  void aboveItsFloorAClassIsTreatedLikeOthers() throws Exception {
    try (StoreFixture fixture = open(shares("small", 100, 10, 0))) {
      put(fixture, "small", "/s", 0, 150);
      put(fixture, "default", "/d", 0, 2_000);
      int left = hits(fixture, "/s", 0, 150);
      long floor = stats(fixture, "small").floorBytes();
      assertTrue(
          left >= floor / (BODY + 1_000) - 2 && left <= (floor + 2 * REGION) / BODY,
          left + " of a floor of " + floor);
    }
  }

  @Test
  void aPinnedSetStaysWithinItsBudgetUntilItIsPurged() throws Exception {
    try (StoreFixture fixture = open(shares("pinned", 100, 0, 40))) {
      put(fixture, "pinned", "/p", 0, 140);
      put(fixture, "default", "/d", 0, 3_000);
      assertEquals(140, hits(fixture, "/p", 0, 140));
      fixture.store.purge(
          new Purge(PurgeKind.URL, new long[] {StoreFixture.scope("/p7")}, false, "/p7"));
      assertFalse(isHit(fixture, "/p7", BODY));
      fixture.store.purge(Purge.everything(false, "all"));
      assertEquals(0, hits(fixture, "/p", 0, 140));
      pass(fixture, 40);
      put(fixture, "pinned", "/q", 0, 140);
      put(fixture, "default", "/e", 0, 2_000);
      assertEquals(140, hits(fixture, "/q", 0, 140), "the dead leave their budget to others");
    }
  }

  @Test
  void pinnedObjectsSurviveARestart() throws Exception {
    try (StoreFixture fixture = open(shares("pinned", 100, 0, 40))) {
      put(fixture, "pinned", "/p", 0, 140);
      fixture.store.abandon();
      fixture.store = ObjectStore.open(fixture.settings);
      fixture.stepAll();
      put(fixture, "default", "/d", 0, 2_000);
      assertEquals(140, hits(fixture, "/p", 0, 140));
    }
  }

  @Test
  void spaceIsFoundWhenAllThatMayBeGuardedIs() throws Exception {
    try (StoreFixture fixture = open(shares("a", 100, 40, 0), shares("b", 100, 0, 35))) {
      for (int n = 0; n < 3_000; n++) {
        put(fixture, n % 3 == 0 ? "a" : n % 3 == 1 ? "b" : "default", "/" + n, BODY);
      }
      assertTrue(stats(fixture, "a").memoryBytes() >= stats(fixture, "a").floorBytes() * 9 / 10);
      assertTrue(stats(fixture, "b").memoryBytes() >= stats(fixture, "b").pinnedBytes() * 9 / 10);
      assertEquals(0, fixture.store.stats().refusedForSpace());
    }
  }

  @Test
  void accountsAreThoseOfTheDirectories() throws Exception {
    StorageClass video = StorageClass.of("video", Tier.DEFAULT);
    try (StoreFixture fixture = open(video, shares("b", 30, 10, 0))) {
      SplittableRandom random = new SplittableRandom(7);
      for (int n = 0; n < 2_000; n++) {
        String name = "/" + random.nextInt(300);
        put(fixture, n % 2 == 0 ? "video" : "b", name, 1_000 + random.nextInt(BODY));
      }
      long video1 = stats(fixture, "video").memoryBytes();
      long b1 = stats(fixture, "b").memoryBytes();
      fixture.store.abandon();
      fixture.store = ObjectStore.open(fixture.settings);
      fixture.stepAll();
      assertEquals(video1, stats(fixture, "video").memoryBytes());
      assertEquals(b1, stats(fixture, "b").memoryBytes());
    }
  }
}
