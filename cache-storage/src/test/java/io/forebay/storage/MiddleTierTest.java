package io.forebay.storage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.StoreSettings.MiddleTier;
import io.forebay.storage.disk.DeviceSettings;
import io.forebay.storage.disk.DiskSettings;
import io.forebay.storage.evict.Tuning;
import io.forebay.storage.inspect.Listing.Position;
import io.forebay.storage.inspect.StoreInspector;
import io.forebay.storage.inspect.Tier;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.layout.Layouts;
import io.forebay.storage.layout.TierHeader;
import io.forebay.storage.lock.DirectoryLock;
import io.forebay.storage.memory.MiddleTierMemory;
import io.forebay.storage.memory.TierFile;
import io.forebay.storage.object.InstallOutcome;
import io.forebay.storage.placement.StorageClass;
import io.forebay.storage.purge.Purge;
import io.forebay.storage.purge.PurgeKind;
import io.forebay.storage.purge.PurgeMatcher;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tiers between the memory tier and the disks: what comes there, what comes back, what stays. */
@Tag("slow")
class MiddleTierTest {
  private static final int REGION = 1 << 16;
  private static final int FIRST = 16;
  private static final int MIDDLE = 32;
  private static final int BODY = 3_000;

  /** Of bodies, in a region. */
  private static final int PER_REGION = 18;

  @TempDir Path directory;

  private StoreSettings settings() {
    return StoreSettings.of(directory.resolve("data"), FIRST * REGION, 1, () -> 0)
        .withMemoryDirectory(directory.resolve("memory"))
        .withSizes(REGION, 4096, 1024)
        .withEviction(new Tuning(0.5, 1, 0))
        .withLockMemory(false);
  }

  private MiddleTier tier(String name, int regions) {
    return new MiddleTier(directory.resolve(name), (long) regions * REGION);
  }

  private StoreSettings withMiddle() {
    return settings().withTiers(List.of(tier("middle", MIDDLE)));
  }

  private static byte[] bodyOf(String name) {
    return StoreFixture.body(StoreFixture.scope(name), BODY);
  }

  private static void put(StoreFixture fixture, String name) {
    assertEquals(
        InstallOutcome.INSTALLED,
        fixture.put(fixture.store.lane(0), name, bodyOf(name), true, "host", "tag " + name));
    fixture.stepAll();
  }

  /** Names of the form prefix and number, from one to another. */
  private static List<String> fill(StoreFixture fixture, String prefix, int regions) {
    List<String> names = new ArrayList<>();
    for (int n = 0; n < regions * PER_REGION; n++) {
      names.add(prefix + n);
      put(fixture, prefix + n);
    }
    return names;
  }

  private static int readable(StoreFixture fixture, List<String> names) {
    int count = 0;
    for (String name : names) {
      byte[] body = fixture.read(fixture.store.lane(0), name);
      if (body != null) {
        assertArrayEquals(bodyOf(name), body, name);
        count++;
      }
    }
    return count;
  }

  /** Where the head of an object lies; -1 if it is not in memory. */
  private static int regionOf(StoreFixture fixture, String name) {
    StoreLane lane = fixture.store.lane(0);
    if (StoreFixture.find(lane, name) != StoreLane.Found.HIT) {
      return -1;
    }
    int region = lane.head().region();
    lane.unpin(region);
    return region;
  }

  private static long inMiddle(StoreFixture fixture, List<String> names) {
    return names.stream().filter(name -> regionOf(fixture, name) >= FIRST).count();
  }

  private static MiddleTierStats stats(StoreFixture fixture) {
    return fixture.store.stats().middleTiers().getFirst();
  }

  @Test
  void whatLeavesTheFirstTierIsServedFromTheNext() throws Exception {
    try (StoreFixture fixture = new StoreFixture(withMiddle())) {
      List<String> names = fill(fixture, "/", FIRST + MIDDLE / 2);
      assertEquals(names.size(), readable(fixture, names));
      assertTrue(inMiddle(fixture, names) > MIDDLE / 3 * PER_REGION);
      assertEquals(0, fixture.store.stats().evictedRecords());
      assertTrue(stats(fixture).demotedRecords() > 0);
      assertEquals(MIDDLE, stats(fixture).regionCount());
    }
  }

  @Test
  @OneTier("it is about a store without one")
  void withoutATierTheSameObjectsAreGone() throws Exception {
    try (StoreFixture fixture = new StoreFixture(settings())) {
      List<String> names = fill(fixture, "/", FIRST + MIDDLE / 2);
      assertTrue(readable(fixture, names) < FIRST * PER_REGION);
      assertEquals(List.of(), fixture.store.stats().middleTiers());
    }
  }

  @Test
  void largeBodiesLieInSeveralTiersAndAreReadAsOne() throws Exception {
    try (StoreFixture fixture = new StoreFixture(withMiddle())) {
      byte[] body = StoreFixture.body(1, 5 * REGION);
      assertEquals(
          InstallOutcome.INSTALLED, fixture.put(fixture.store.lane(0), "/large", body, true));
      fixture.stepAll();
      fill(fixture, "/", FIRST + 2);
      assertTrue(regionOf(fixture, "/large") >= FIRST);
      assertArrayEquals(body, fixture.read(fixture.store.lane(0), "/large"));
    }
  }

  @Test
  void whatIsRequestedOftenComesBackIntoTheFirstTier() throws Exception {
    try (StoreFixture fixture = new StoreFixture(withMiddle())) {
      List<String> names = fill(fixture, "/", FIRST + MIDDLE / 2);
      List<String> wanted = names.subList(0, 20);
      assertEquals(20, inMiddle(fixture, wanted));
      for (int n = 0; n < 3; n++) {
        assertEquals(20, readable(fixture, wanted));
      }
      for (int n = 0; n < 60; n++) {
        fixture.clock.addAndGet(1_000);
        fixture.stepAll();
      }
      assertEquals(0, inMiddle(fixture, wanted));
      assertEquals(20, stats(fixture).promotedRecords());
      assertEquals(20, readable(fixture, wanted));
    }
  }

  @Test
  void promotionsHaveABoundedRate() throws Exception {
    try (StoreFixture fixture = new StoreFixture(withMiddle())) {
      List<String> names = fill(fixture, "/", FIRST + MIDDLE / 2);
      for (int n = 0; n < 4; n++) {
        int ignored = readable(fixture, names);
      }
      long before = stats(fixture).promotedRecords();
      // In two minutes the first tier may be filled once.
      for (int n = 0; n < 30; n++) {
        fixture.clock.addAndGet(1_000);
        fixture.stepAll();
      }
      long promoted = stats(fixture).promotedRecords() - before;
      assertTrue(promoted > 0);
      assertTrue(promoted <= (FIRST / 4 + 1) * (PER_REGION + 3), promoted + " promoted");
    }
  }

  @Test
  void whatLeavesTheLastTierGoesToTheDisks() throws Exception {
    StoreSettings settings =
        withMiddle()
            .withSizes(REGION, 16_384, 1024)
            .withDisks(
                DiskSettings.of(
                    List.of(DeviceSettings.of("disk", directory.resolve("disk"), 64 << 20))));
    try (StoreFixture fixture = new StoreFixture(settings)) {
      List<String> names = fill(fixture, "/", 2 * (FIRST + MIDDLE));
      assertTrue(fixture.store.diskStats().getFirst().writtenBytes() > 0);
      assertEquals(names.size(), readable(fixture, names));
    }
  }

  @Test
  void twoMiddleTiersFollowOneAnother() throws Exception {
    StoreSettings settings =
        settings().withTiers(List.of(tier("middle", MIDDLE), tier("last", MIDDLE)));
    try (StoreFixture fixture = new StoreFixture(settings)) {
      List<String> names = fill(fixture, "/", FIRST + MIDDLE + MIDDLE / 2);
      assertEquals(names.size(), readable(fixture, names));
      long inLast =
          names.stream().filter(name -> regionOf(fixture, name) >= FIRST + MIDDLE).count();
      assertTrue(inLast > MIDDLE / 3 * PER_REGION, inLast + " in the last");
      fixture.reopen();
      assertEquals(RecoveryState.Phase.WARM, fixture.store.recovery().phase());
      assertEquals(names.size(), readable(fixture, names));
    }
  }

  // --- purges

  @Test
  void aPurgeFindsWhatLiesInAMiddleTier() throws Exception {
    try (StoreFixture fixture = new StoreFixture(withMiddle())) {
      List<String> names = fill(fixture, "/", FIRST + MIDDLE / 2);
      String old = names.getFirst();
      assertTrue(regionOf(fixture, old) >= FIRST);
      fixture.store.purge(
          new Purge(PurgeKind.TAG, new long[] {StoreFixture.scope("tag " + old)}, false, "tag"));
      assertNull(fixture.read(fixture.store.lane(0), old));
      fixture.store.purge(Purge.everything(true, "soft"));
      String other = names.get(1);
      assertEquals(StoreLane.Found.HIT, StoreFixture.find(fixture.store.lane(0), other));
      assertTrue(fixture.store.lane(0).head().softPurged());
      fixture.store.lane(0).unpin(fixture.store.lane(0).head().region());
    }
  }

  @Test
  void aPurgeStaysInForceWhenItIsForgottenAndTheStoreStartsAgain() throws Exception {
    try (StoreFixture fixture = new StoreFixture(withMiddle())) {
      List<String> names = fill(fixture, "/", FIRST + MIDDLE / 2);
      fixture.store.purge(
          new Purge(
              PurgeKind.URL, new long[] {StoreFixture.scope(names.getFirst())}, false, "url"));
      fixture.clock.addAndGet(120_000);
      fixture.stepAll();
      assertEquals(0, fixture.store.stats().purgeScopes());
      fixture.store.abandon();
      fixture.store = ObjectStore.open(fixture.settings);
      fixture.stepAll();
      assertNull(fixture.read(fixture.store.lane(0), names.getFirst()));
      assertEquals(names.size() - 1, readable(fixture, names));
    }
  }

  // --- starts

  @Test
  void aCleanRestartKeepsAllTiersAndTheIndex() throws Exception {
    try (StoreFixture fixture = new StoreFixture(withMiddle())) {
      List<String> names = fill(fixture, "/", FIRST + MIDDLE / 2);
      fixture.reopen();
      assertEquals(RecoveryState.Phase.WARM, fixture.store.recovery().phase());
      assertEquals(names.size(), readable(fixture, names));
    }
  }

  @Test
  void aKillKeepsAllTiers() throws Exception {
    try (StoreFixture fixture = new StoreFixture(withMiddle())) {
      List<String> names = fill(fixture, "/", FIRST + MIDDLE / 2);
      fixture.store.abandon();
      fixture.store = ObjectStore.open(fixture.settings);
      assertEquals(RecoveryState.Phase.REBUILDING, fixture.store.recovery().phase());
      fixture.stepAll();
      assertEquals(names.size(), readable(fixture, names));
    }
  }

  @Test
  void aMiddleTierThatIsGoneIsEmptyAndTheFirstKeepsItsObjects() throws Exception {
    try (StoreFixture fixture = new StoreFixture(withMiddle())) {
      List<String> names = fill(fixture, "/", FIRST + MIDDLE / 2);
      long inFirst = names.size() - inMiddle(fixture, names);
      fixture.store.close();
      Files.delete(directory.resolve("middle").resolve(MiddleTierMemory.NAME));
      fixture.store = ObjectStore.open(fixture.settings);
      fixture.stepAll();
      assertEquals(inFirst, readable(fixture, names));
      assertTrue(inFirst > FIRST / 2 * PER_REGION);
    }
  }

  @Test
  void aFirstTierThatIsGoneIsEmptyAndTheNextKeepsItsObjects() throws Exception {
    try (StoreFixture fixture = new StoreFixture(withMiddle())) {
      List<String> names = fill(fixture, "/", FIRST + MIDDLE / 2);
      long inMiddle = inMiddle(fixture, names);
      fixture.store.close();
      Files.delete(fixture.memory().resolve(TierFile.NAME));
      fixture.store = ObjectStore.open(fixture.settings);
      fixture.stepAll();
      assertEquals(inMiddle, readable(fixture, names));
      assertTrue(inMiddle > MIDDLE / 3 * PER_REGION);
      put(fixture, "/new");
      assertArrayEquals(bodyOf("/new"), fixture.read(fixture.store.lane(0), "/new"));
    }
  }

  @Test
  void aMiddleTierOfAnotherSizeOpensEmpty() throws Exception {
    List<String> names;
    long inFirst;
    AtomicLong clock = new AtomicLong(1_000_000);
    try (StoreFixture fixture = new StoreFixture(withMiddle(), clock)) {
      names = fill(fixture, "/", FIRST + MIDDLE / 2);
      inFirst = names.size() - inMiddle(fixture, names);
    }
    StoreSettings larger = settings().withTiers(List.of(tier("middle", MIDDLE + 1)));
    try (StoreFixture fixture = new StoreFixture(larger, clock)) {
      fixture.stepAll();
      assertEquals(inFirst, readable(fixture, names));
      assertEquals(MIDDLE + 1, stats(fixture).regionCount());
    }
  }

  /** It has the younger copy nowhere: what it holds must not come back. */
  @Test
  void aMiddleTierThatWasAwayDuringAStartOpensEmpty() throws Exception {
    AtomicLong clock = new AtomicLong(1_000_000);
    List<String> names;
    try (StoreFixture fixture = new StoreFixture(withMiddle(), clock)) {
      names = fill(fixture, "/", FIRST + MIDDLE / 2);
      assertTrue(regionOf(fixture, names.getFirst()) >= FIRST);
    }
    StoreSettings another = settings().withTiers(List.of(tier("another", MIDDLE)));
    for (StoreSettings meanwhile : List.of(settings(), another)) {
      try (StoreFixture fixture = new StoreFixture(meanwhile, clock)) {
        fixture.stepAll();
        byte[] younger = StoreFixture.body(7, 100);
        assertEquals(
            InstallOutcome.INSTALLED,
            fixture.put(fixture.store.lane(0), names.getFirst(), younger, true));
        assertTrue(
            fixture
                .store
                .lane(0)
                .invalidate(
                    StoreFixture.scope("hi" + names.getFirst()),
                    StoreFixture.scope("lo" + names.getFirst())));
      }
      try (StoreFixture fixture = new StoreFixture(withMiddle(), clock)) {
        fixture.stepAll();
        assertNull(fixture.read(fixture.store.lane(0), names.getFirst()));
        names = fill(fixture, "/", FIRST + MIDDLE / 2);
      }
    }
  }

  /** Another store's tier is not this one's. */
  @Test
  void aTierOfAnotherStoreOpensEmpty() throws Exception {
    List<String> names;
    try (StoreFixture fixture = new StoreFixture(withMiddle())) {
      names = fill(fixture, "/", FIRST + MIDDLE / 2);
    }
    StoreSettings other =
        StoreSettings.of(directory.resolve("other"), FIRST * REGION, 1, () -> 0)
            .withMemoryDirectory(directory.resolve("other memory"))
            .withSizes(REGION, 4096, 1024)
            .withLockMemory(false)
            .withTiers(List.of(tier("middle", MIDDLE)));
    try (StoreFixture fixture = new StoreFixture(other)) {
      fixture.stepAll();
      assertEquals(0, readable(fixture, names));
    }
  }

  @Test
  void aTierThatIsCutWhileItIsUsedIsFoundOutAndTheNextStartIsEmpty() throws Exception {
    try (StoreFixture fixture = new StoreFixture(withMiddle())) {
      List<String> names = fill(fixture, "/", FIRST + MIDDLE / 2);
      Path file = directory.resolve("middle").resolve(MiddleTierMemory.NAME);
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
        channel.truncate(4 * REGION);
      }
      fixture.stepAll();
      assertTrue(fixture.store.isMemoryLost());
      assertEquals(0, readable(fixture, names));
      fixture.reopen();
      fixture.stepAll();
      assertEquals(0, readable(fixture, names));
      put(fixture, "/new");
      assertArrayEquals(bodyOf("/new"), fixture.read(fixture.store.lane(0), "/new"));
    }
  }

  /** A request finds it out before the store's thread does, and is a miss. */
  @Test
  void aLookUpInATierThatWasCutIsAMiss() throws Exception {
    StoreFixture fixture = new StoreFixture(withMiddle());
    try {
      List<String> names = fill(fixture, "/", FIRST + MIDDLE / 2);
      assertTrue(regionOf(fixture, names.getFirst()) >= FIRST);
      Path file = directory.resolve("middle").resolve(MiddleTierMemory.NAME);
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
        channel.truncate(4096);
      }
      assertEquals(
          StoreLane.Found.MISS, StoreFixture.find(fixture.store.lane(0), names.getFirst()));
      assertTrue(fixture.store.isMemoryLost());
    } finally {
      // Not the fixture: the look-up that failed has left its pin.
      fixture.store.close();
    }
  }

  @Test
  void aStoreAtRestShowsWhatLiesInAllTiers() throws Exception {
    List<String> names;
    long inFirst;
    try (StoreFixture fixture = new StoreFixture(withMiddle())) {
      names = fill(fixture, "/", FIRST + MIDDLE / 2);
      inFirst = names.size() - inMiddle(fixture, names);
      assertEquals(
          List.of("memory", "tier1"),
          fixture
              .store
              .inspection()
              .ask(
                  Duration.ofMinutes(1),
                  survey -> survey.tiers().stream().map(Tier::name).toList()));
    }
    for (boolean isNamed : List.of(true, false)) {
      List<Path> tiers = isNamed ? List.of(directory.resolve("middle")) : List.of();
      try (OfflineStore store =
          OfflineStore.open(
              new OfflineStore.Places(
                  directory.resolve("data"), directory.resolve("memory"), tiers, Map.of()),
              PurgeMatcher.Compiler.NONE,
              () -> 1_000_000)) {
        StoreInspector survey = store.survey(() -> false);
        assertEquals(
            isNamed ? names.size() : inFirst,
            survey.list(head -> true, 10_000, Position.START).objects().size());
        assertEquals(isNamed ? 0 : 1, store.problems().size(), store.problems().toString());
      }
    }
  }

  // --- files

  @Test
  void filesAreTheUsersAloneAndAnotherStoreCannotTakeThem() throws Exception {
    try (StoreFixture fixture = new StoreFixture(withMiddle())) {
      Path middle = directory.resolve("middle");
      assertEquals(
          "rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(middle)));
      assertEquals(
          "rw-------",
          PosixFilePermissions.toString(
              Files.getPosixFilePermissions(middle.resolve(MiddleTierMemory.NAME))));
      StoreSettings other =
          StoreSettings.of(directory.resolve("other"), FIRST * REGION, 1, () -> 0)
              .withMemoryDirectory(directory.resolve("other memory"))
              .withSizes(REGION, 4096, 1024)
              .withLockMemory(false)
              .withTiers(List.of(tier("middle", MIDDLE)));
      StoreException refused = assertThrows(StoreException.class, () -> ObjectStore.open(other));
      assertEquals(StoreException.Kind.OWNED, refused.kind());
      assertNotNull(fixture.store);
    }
  }

  @Test
  void aStartThatFailsLeavesNoFileOfATier() throws Exception {
    Path foreign = directory.resolve("last");
    Files.createDirectory(foreign);
    Files.write(foreign.resolve(MiddleTierMemory.NAME), new byte[] {1, 2, 3, 4, 5, 6, 7, 8, 9});
    StoreSettings settings =
        settings().withTiers(List.of(tier("middle", MIDDLE), tier("last", MIDDLE)));
    StoreException refused = assertThrows(StoreException.class, () -> ObjectStore.open(settings));
    assertEquals(StoreException.Kind.FOREIGN_FORMAT, refused.kind());
    assertTrue(Files.notExists(directory.resolve("middle")));
    assertTrue(Files.notExists(directory.resolve("memory")));
    assertEquals(9, Files.size(foreign.resolve(MiddleTierMemory.NAME)));
  }

  @Test
  void aTierBelowEightRegionsIsRefused() {
    StoreException refused =
        assertThrows(
            StoreException.class,
            () -> ObjectStore.open(settings().withTiers(List.of(tier("middle", 7)))));
    assertEquals(StoreException.Kind.BAD_SETTINGS, refused.kind());
  }

  // --- storage classes

  /** A temporary directory may be on a disk, which is no place for them. */
  @Test
  void recordsOfTierMemoryComeOnlyIntoATierThatEndsWithTheMachinesMemory() throws Exception {
    Path shm = Files.createTempDirectory(Path.of("/dev/shm"), "forebay-test-tier-");
    try {
      for (Path place : List.of(shm.resolve("tier"), directory.resolve("tier"))) {
        boolean isVolatile = Files.getFileStore(place.getParent()).type().equals("tmpfs");
        StoreSettings settings =
            settings()
                .withClasses(List.of(StorageClass.of("secret", StorageClass.Tier.MEMORY)))
                .withTiers(List.of(new MiddleTier(place, (long) MIDDLE * REGION)));
        try (StoreFixture fixture = new StoreFixture(settings)) {
          StoreLane lane = fixture.store.lane(0);
          long birth = fixture.store.nextBirth();
          assertEquals(
              InstallOutcome.INSTALLED,
              lane.putSmall(
                  StoreFixture.spec("/secret", birth, 100)
                      .inClass(fixture.store.classes().number("secret")),
                  ByteBuffer.wrap(StoreFixture.body(1, 100))));
          fill(fixture, "/", FIRST + 4);
          assertEquals(isVolatile, regionOf(fixture, "/secret") >= FIRST, place.toString());
          assertEquals(isVolatile, fixture.read(lane, "/secret") != null);
        }
        Files.delete(directory.resolve("memory").resolve(TierFile.NAME));
      }
    } finally {
      for (String name :
          List.of("tier/" + MiddleTierMemory.NAME, "tier/" + DirectoryLock.NAME, "tier", "")) {
        Files.deleteIfExists(shm.resolve(name));
      }
    }
  }

  @Test
  @OneTier("it is about a store without one, too")
  void theHeaderSaysThatTheTierIsOneOfSeveral() throws Exception {
    try (StoreFixture fixture = new StoreFixture(settings())) {
      assertEquals(TierHeader.VERSION, version(fixture));
    }
    try (StoreFixture fixture = new StoreFixture(withMiddle())) {
      assertEquals(TierHeader.TIERS_VERSION, version(fixture));
      fixture.reopen();
      assertEquals(TierHeader.TIERS_VERSION, version(fixture));
    }
  }

  private static int version(StoreFixture fixture) throws Exception {
    try (FileChannel channel = FileChannel.open(fixture.memory().resolve(TierFile.NAME));
        Arena arena = Arena.ofConfined()) {
      MemorySegment header =
          channel.map(FileChannel.MapMode.READ_ONLY, 0, TierHeader.LENGTH, arena);
      return header.get(Layouts.INT, TierHeader.VERSION_OFFSET);
    }
  }
}
