package io.forebay.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.IndexCapacity.Learned;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IndexCapacityTest {
  private static final long MEBI = 1 << 20;
  private static final Learned NOTHING = Learned.NOTHING;
  private static final long GIBI = 1 << 30;
  private static final long TEBI = 1L << 40;

  @TempDir Path directory;

  @Test
  void followsTheSizes() {
    IndexCapacity bound = IndexCapacity.of(GIBI, TEBI, 0, NOTHING, 0);
    assertEquals(GIBI / 4096 + TEBI / 32768, bound.entries());
    assertFalse(bound.isLimitedByMemory());
    assertEquals(32768, bound.diskBytesPerEntry());
    assertEquals(GIBI / 4096, bound.memoryEntries());
  }

  @Test
  void disksHaveAnEntryForEachSmallObjectWhereMemoryAllows() {
    IndexCapacity whole = IndexCapacity.of(GIBI, 100 * GIBI, 0, NOTHING, 6 * GIBI);
    assertEquals(8192, whole.diskBytesPerEntry());
    assertFalse(whole.isLimitedByMemory());
    IndexCapacity part = IndexCapacity.of(GIBI, TEBI, 0, NOTHING, 6 * GIBI);
    assertTrue(part.diskBytesPerEntry() > 8192 && part.diskBytesPerEntry() < 32768, part::toString);
    long quarter = 6 * GIBI / 4;
    assertTrue(part.diskEntries() * 23 <= quarter, part::toString);
    assertTrue(part.diskEntries() * 23 > quarter * 15 / 16, part::toString);
    IndexCapacity least = IndexCapacity.of(GIBI, TEBI, 0, NOTHING, 2 * GIBI);
    assertEquals(32768, least.diskBytesPerEntry());
  }

  @Test
  void aSettingWinsOverEverythingElse() {
    IndexCapacity bound = IndexCapacity.of(GIBI, TEBI, 1000, new Learned(5000, 5000), MEBI);
    assertEquals(500, bound.memoryEntries());
    assertEquals(500, bound.diskEntries());
    assertEquals(1000, IndexCapacity.of(GIBI, 0, 1000, NOTHING, MEBI).memoryEntries());
    long more = GIBI / 4096;
    assertEquals(more, IndexCapacity.of(GIBI, TEBI, 9 * more, NOTHING, 0).memoryEntries());
    assertEquals(8 * more, IndexCapacity.of(GIBI, TEBI, 9 * more, NOTHING, 0).diskEntries());
  }

  @Test
  void whatAnEarlierRunNeededRaisesIt() {
    assertEquals(
        1_000_000, IndexCapacity.of(64 * MEBI, 0, 0, new Learned(1_000_000, 0), 0).entries());
    assertEquals(16_384, IndexCapacity.of(64 * MEBI, 0, 0, new Learned(100, 100), 0).entries());
    IndexCapacity disks = IndexCapacity.of(64 * MEBI, GIBI, 0, new Learned(0, 1_000_000), 0);
    assertEquals(16_384, disks.memoryEntries());
    assertEquals(1_000_000, disks.diskEntries());
  }

  @Test
  void memoryLimitsWhatDisksCallFor() {
    IndexCapacity bound = IndexCapacity.of(150 * GIBI, 8 * 28 * TEBI, 0, NOTHING, 32 * GIBI);
    assertTrue(bound.isLimitedByMemory());
    assertTrue(bound.bytes() <= 32 * GIBI + MEBI, bound::toString);
    assertTrue(bound.diskEntries() > 1_250_000_000, bound::toString);
    assertEquals(150 * GIBI / 4096 + 8 * 28 * TEBI / 32768, bound.wanted());
  }

  @Test
  void theMemoryTiersOwnEntriesAreNotGivenUp() {
    IndexCapacity bound = IndexCapacity.of(GIBI, TEBI, 0, NOTHING, MEBI);
    assertEquals(GIBI / 4096, bound.memoryEntries());
    assertEquals(GIBI / 4096 / 4, bound.diskEntries());
  }

  @Test
  void aFewPagesOfMemoryMoreMakeTheSameIndex() {
    assertEquals(
        IndexCapacity.of(GIBI, 1024 * TEBI, 0, NOTHING, 32 * GIBI).entries(),
        IndexCapacity.of(GIBI, 1024 * TEBI, 0, NOTHING, 32 * GIBI + 4096).entries());
  }

  @Test
  void isLearnedOverARestart() throws IOException {
    assertEquals(NOTHING, IndexCapacity.learned(directory));
    IndexCapacity.learn(directory, new Learned(123_456, 0));
    IndexCapacity.learn(directory, new Learned(1_234_567, 1_000_000_000_000L));
    assertEquals(new Learned(1_234_567, 1_000_000_000_000L), IndexCapacity.learned(directory));
  }

  @Test
  void theOneNumberOfAnEarlierVersionIsThatOfTheDisks() throws IOException {
    Files.writeString(directory.resolve("index.entries"), "123456\n");
    assertEquals(new Learned(0, 123_456), IndexCapacity.learned(directory));
  }

  @Test
  void aRecordThatIsNoNumberCountsAsNone() throws IOException {
    Files.writeString(directory.resolve("index.entries"), "many\n");
    assertEquals(NOTHING, IndexCapacity.learned(directory));
    Files.writeString(directory.resolve("index.entries"), "");
    assertEquals(NOTHING, IndexCapacity.learned(directory));
  }
}
