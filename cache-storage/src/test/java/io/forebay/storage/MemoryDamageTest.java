package io.forebay.storage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.disk.DeviceSettings;
import io.forebay.storage.disk.DiskSettings;
import io.forebay.storage.disk.ScrubStats;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.layout.TierHeader;
import io.forebay.storage.object.InstallOutcome;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Damaged bytes of the memory tier. */
class MemoryDamageTest {
  private static final int OBJECTS = 60;
  private static final int REGION = 1 << 18;

  @TempDir Path directory;

  private StoreSettings settings() {
    return StoreSettings.of(directory.resolve("data"), 8 << 20, 1, () -> 0)
        .withMemoryDirectory(directory.resolve("memory"))
        .withSizes(REGION, 4096, 64)
        .withPurges(64, 1000, 1 << 16)
        .withLockMemory(false);
  }

  private StoreSettings withDisk() {
    DeviceSettings device =
        new DeviceSettings(
            "d", directory.resolve("disk"), 16 << 20, 1 << 20, 1 << 18, 4, 1, 3, 10_000, 0);
    return settings().withDisks(DiskSettings.of(List.of(device)));
  }

  private static byte[] body(int n) {
    return StoreFixture.body(n, 12_000 + n);
  }

  private static void fill(StoreFixture fixture) {
    for (int n = 0; n < OBJECTS; n++) {
      assertEquals(
          InstallOutcome.INSTALLED,
          fixture.put(fixture.store.lane(0), "/" + n, body(n), true, "tag"));
    }
  }

  private static int hits(StoreFixture fixture) {
    int hits = 0;
    for (int n = 0; n < OBJECTS; n++) {
      byte[] read = fixture.read(fixture.store.lane(0), "/" + n);
      if (read != null) {
        assertArrayEquals(body(n), read, "/" + n);
        hits++;
      }
    }
    return hits;
  }

  private Path tier() {
    return directory.resolve("memory/memory.tier");
  }

  /** Changes a byte in the middle of an object's body, in the file. */
  private void damage(int n) throws IOException {
    byte[] bytes = Files.readAllBytes(tier());
    byte[] body = body(n);
    int at = 0;
    while (!Arrays.equals(bytes, at, at + 64, body, 0, 64)) {
      at += 8;
    }
    write(at + 5_000, (byte) (bytes[at + 5_000] ^ 4));
  }

  private void write(long at, byte value) throws IOException {
    try (FileChannel channel = FileChannel.open(tier(), StandardOpenOption.WRITE)) {
      assertEquals(1, channel.write(ByteBuffer.wrap(new byte[] {value}), at));
    }
  }

  @Test
  void aByteChangedAfterACleanStopIsAMissAndIsCounted() throws Exception {
    try (StoreFixture fixture = new StoreFixture(settings())) {
      fill(fixture);
      fixture.store.close();
      damage(20);
      fixture.store = ObjectStore.open(fixture.settings);
      assertEquals(RecoveryState.Phase.WARM, fixture.store.recovery().phase());
      assertEquals(OBJECTS - 1, hits(fixture));
      assertNull(fixture.read(fixture.store.lane(0), "/20"));
      assertEquals(1, fixture.store.stats().checksumFailures());
      assertEquals(
          InstallOutcome.INSTALLED,
          fixture.put(fixture.store.lane(0), "/20", body(20), true, "tag"));
      assertEquals(OBJECTS, hits(fixture));
    }
  }

  @Test
  void whatIsDamagedInMemoryComesFromTheDiskThatHasItToo() throws Exception {
    try (StoreFixture fixture = new StoreFixture(withDisk())) {
      fill(fixture);
      awaitRecovery(fixture);
      fixture.store.close();
      damage(20);
      fixture.store = ObjectStore.open(fixture.settings);
      awaitRecovery(fixture);
      assertEquals(OBJECTS, hits(fixture));
      assertEquals(1, fixture.store.stats().checksumFailures());
      assertTrue(fixture.store.diskStats().getFirst().reads() > 0);
    }
  }

  @Test
  void theScrubFindsDamageBeforeAnybodyAsks() throws Exception {
    try (StoreFixture fixture = new StoreFixture(settings().withScrub(1 << 20))) {
      fill(fixture);
      awaitRounds(fixture, 1);
      ScrubStats first = fixture.store.stats().scrub();
      assertEquals(0, first.badRecords());
      assertTrue(first.bytes() > OBJECTS * 12_000L);
      StoreLane lane = fixture.store.lane(0);
      assertEquals(StoreLane.Found.HIT, StoreFixture.find(lane, "/7"));
      int region = lane.head().region();
      int at = lane.head().bodyOffset() + 5;
      lane.unpin(region);
      var bytes = fixture.store.region(region);
      bytes.set(ValueLayout.JAVA_BYTE, at, (byte) ~bytes.get(ValueLayout.JAVA_BYTE, at));
      long asked = fixture.store.stats().nearHits() + fixture.store.stats().indexHits();

      fixture.clock.addAndGet(3_600_000);
      awaitRounds(fixture, 2);
      ScrubStats second = fixture.store.stats().scrub();
      assertEquals(1, second.badRecords());
      assertEquals(1, fixture.store.stats().checksumFailures());
      assertEquals(fixture.clock.get(), second.lastRoundMillis());
      assertEquals(asked, fixture.store.stats().nearHits() + fixture.store.stats().indexHits());
      assertEquals(StoreLane.Found.MISS, StoreFixture.find(lane, "/7"));
      assertEquals(OBJECTS - 1, hits(fixture));
    }
  }

  private static void awaitRecovery(StoreFixture fixture) {
    for (int n = 0; n < 100 && !fixture.store.recovery().isComplete(); n++) {
      fixture.clock.addAndGet(100);
      fixture.stepAll();
    }
    assertTrue(fixture.store.recovery().isComplete());
  }

  private static void awaitRounds(StoreFixture fixture, long rounds) {
    for (int n = 0; n < 1_000 && fixture.store.stats().scrub().rounds() < rounds; n++) {
      fixture.clock.addAndGet(100);
      fixture.steps(10);
    }
    assertEquals(rounds, fixture.store.stats().scrub().rounds());
  }

  @Test
  void aTierWhoseMagicHasAFlippedBitOpensEmptyAndAStrangersFileIsRefused() throws Exception {
    try (StoreFixture fixture = new StoreFixture(settings())) {
      fill(fixture);
      fixture.store.close();
      byte first = Files.readAllBytes(tier())[TierHeader.MAGIC_OFFSET];
      write(TierHeader.MAGIC_OFFSET, (byte) (first ^ 1));
      fixture.store = ObjectStore.open(fixture.settings);
      assertEquals(RecoveryState.Phase.EMPTY, fixture.store.recovery().phase());
      assertEquals(0, hits(fixture));
      fill(fixture);
      assertEquals(OBJECTS, hits(fixture));
    }
  }

  @Test
  void damagedRegionHeadersCostTheirRegionAndNothingElse() throws Exception {
    try (StoreFixture fixture = new StoreFixture(settings())) {
      fill(fixture);
      fixture.store.close();
      // The generation of the region that was filled first.
      byte generation = Files.readAllBytes(tier())[TierHeader.LENGTH + 4];
      write(TierHeader.LENGTH + 4, (byte) (generation ^ 2));
      fixture.store = ObjectStore.open(fixture.settings);
      assertEquals(RecoveryState.Phase.REBUILDING, fixture.store.recovery().phase());
      fixture.stepAll();
      int hits = hits(fixture);
      assertTrue(hits > 0 && hits < OBJECTS, hits + " hits");
      fill(fixture);
      assertEquals(OBJECTS, hits(fixture));
    }
  }
}
