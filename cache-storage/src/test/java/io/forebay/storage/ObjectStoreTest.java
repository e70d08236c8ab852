package io.forebay.storage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ObjectStoreTest {
  @TempDir Path directory;

  @Test
  void returnsEveryLengthAsItWasStored() throws Exception {
    try (StoreFixture fixture = new StoreFixture(directory, 16 * StoreFixture.MEBI, 1 << 20, 1)) {
      StoreLane lane = fixture.store.lane(0);
      int slice = fixture.store.sliceBytes();
      int[] lengths = {
        0,
        1,
        63,
        64,
        65,
        1000,
        fixture.store.inlineBytes(),
        fixture.store.inlineBytes() + 1,
        slice - 1,
        slice,
        slice + 1,
        3 * slice,
        3 * slice + 17
      };
      for (int length : lengths) {
        for (boolean isKnown : new boolean[] {true, false}) {
          String name = "/" + length + isKnown;
          assertNull(fixture.read(lane, name));
          byte[] body = StoreFixture.body(length, length);
          assertEquals(Install.INSTALLED, fixture.put(lane, name, body, isKnown), name);
          for (int round = 0; round < 3; round++) {
            assertArrayEquals(body, fixture.read(lane, name), name);
          }
        }
      }
      assertNotNull(fixture.read(lane, "/64true"));
      assertEquals(0, fixture.store.stats().unfinishedBytes());
    }
  }
}
