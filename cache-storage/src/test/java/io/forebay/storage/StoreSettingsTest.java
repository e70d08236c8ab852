package io.forebay.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class StoreSettingsTest {

  private static StoreSettings settings(long memoryBytes, int lanes) {
    return StoreSettings.of(Path.of("nowhere"), memoryBytes, lanes, () -> 0);
  }

  @ParameterizedTest
  @CsvSource({
    "1, 65536",
    "8, 65536",
    "9, 32768",
    "16, 32768",
    "64, 8192",
    "256, 8192",
  })
  void fewLanesHaveLargeNearIndexesAndManyHaveSmallOnes(int lanes, int expected)
      throws StoreException {
    assertEquals(expected, settings(8L << 30, lanes).resolved().nearEntries());
  }

  @Test
  void aNearIndexHasNoMoreEntriesThanTheIndex() throws StoreException {
    StoreSettings few = settings(8L << 30, 1).withIndexEntries(5000);
    assertEquals(4096, few.resolved().nearEntries());
  }

  @Test
  void whatIsSetStays() throws StoreException {
    assertEquals(64, settings(8L << 30, 1).withSizes(0, 0, 64).resolved().nearEntries());
  }
}
