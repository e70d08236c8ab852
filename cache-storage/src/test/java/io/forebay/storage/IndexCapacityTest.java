package io.forebay.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IndexCapacityTest {
  private static final long MEBI = 1 << 20;
  private static final long GIBI = 1 << 30;
  private static final long TEBI = 1L << 40;

  @TempDir Path directory;

  @Test
  void followsTheSizes() {
    IndexCapacity bound = IndexCapacity.of(GIBI, TEBI, 0, 0, 0);
    assertEquals(GIBI / 4096 + TEBI / 65536, bound.entries());
    assertFalse(bound.isLimitedByMemory());
    assertEquals(65536, bound.diskBytesPerEntry());
  }

  @Test
  void aSettingWinsOverEverythingElse() {
    assertEquals(1000, IndexCapacity.of(GIBI, TEBI, 1000, 5000, MEBI).entries());
  }

  @Test
  void whatAnEarlierRunNeededRaisesIt() {
    assertEquals(1_000_000, IndexCapacity.of(64 * MEBI, 0, 0, 1_000_000, 0).entries());
    assertEquals(16_384, IndexCapacity.of(64 * MEBI, 0, 0, 100, 0).entries());
  }

  @Test
  void memoryLimitsWhatDisksCallFor() {
    IndexCapacity bound = IndexCapacity.of(150 * GIBI, 8 * 28 * TEBI, 0, 0, 32 * GIBI);
    assertTrue(bound.isLimitedByMemory());
    assertTrue(bound.bytes() <= 32 * GIBI + MEBI, bound::toString);
    assertTrue(bound.entries() > 290_000_000, bound::toString);
    assertEquals(2_000_000_000, bound.wanted());
  }

  @Test
  void theMemoryTiersOwnEntriesAreNotGivenUp() {
    assertEquals(GIBI / 4096, IndexCapacity.of(GIBI, TEBI, 0, 0, MEBI).entries());
  }

  @Test
  void aFewPagesOfMemoryMoreMakeTheSameIndex() {
    assertEquals(
        IndexCapacity.of(GIBI, 1024 * TEBI, 0, 0, 32 * GIBI).entries(),
        IndexCapacity.of(GIBI, 1024 * TEBI, 0, 0, 32 * GIBI + 4096).entries());
  }

  @Test
  void isLearnedOverARestart() throws IOException {
    assertEquals(0, IndexCapacity.learned(directory));
    IndexCapacity.learn(directory, 123_456);
    IndexCapacity.learn(directory, 1_234_567);
    assertEquals(1_234_567, IndexCapacity.learned(directory));
  }

  @Test
  void aRecordThatIsNoNumberCountsAsNone() throws IOException {
    Files.writeString(directory.resolve("index.entries"), "many\n");
    assertEquals(0, IndexCapacity.learned(directory));
    Files.writeString(directory.resolve("index.entries"), "");
    assertEquals(0, IndexCapacity.learned(directory));
  }
}
