package io.forebay.storage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.StoreSettings.MiddleTier;
import io.forebay.storage.object.InstallOutcome;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A middle tier and the data directory on a file system that loses power; the first is lost. */
@Tag("full")
class MiddleTierPowerCutTest {
  private static final int REGION = 1 << 16;
  private static final int OBJECTS = 500;
  private static final int BODY = 3_000;

  /** The file system writes nothing by itself for a while. */
  private static final String OPTIONS = "nodev,commit=300";

  @TempDir Path directory;

  private StoreSettings settings(LoopDevice loop, String memory) {
    return StoreSettings.of(loop.path().resolve("data"), 16 * REGION, 1, () -> 0)
        .withMemoryDirectory(directory.resolve(memory))
        .withSizes(REGION, 4096, 1024)
        .withLockMemory(false)
        .withTiers(List.of(new MiddleTier(loop.path().resolve("middle"), 48L * REGION)));
  }

  private static void put(StoreFixture fixture, int version) {
    for (int n = 0; n < OBJECTS; n++) {
      assertEquals(
          InstallOutcome.INSTALLED,
          fixture.put(fixture.store.lane(0), "/" + n, body(n, version), true));
      fixture.stepAll();
    }
  }

  private static byte[] body(int n, int version) {
    return StoreFixture.body(1_000L * version + n, BODY);
  }

  /** Objects that are there, each of this version. */
  private static int hits(StoreFixture fixture, int version) {
    int hits = 0;
    for (int n = 0; n < OBJECTS; n++) {
      byte[] found = fixture.read(fixture.store.lane(0), "/" + n);
      if (found != null) {
        assertArrayEquals(body(n, version), found, "/" + n);
        hits++;
      }
    }
    return hits;
  }

  @Test
  void aTierThatWasStoppedInOrderKeepsItsObjectsWithoutTheFirstOne() throws Exception {
    try (LoopDevice loop = LoopDevice.make(directory.resolve("loop"), 32 << 20, OPTIONS)) {
      try (StoreFixture fixture = new StoreFixture(settings(loop, "memory"))) {
        put(fixture, 1);
      }
      try (LoopDevice left = loop.powerCut(directory.resolve("cut"), OPTIONS);
          StoreFixture fixture = new StoreFixture(settings(left, "other memory"))) {
        fixture.stepAll();
        assertTrue(hits(fixture, 1) > OBJECTS / 3);
      }
    }
  }

  @Test
  void aPowerCutAfterAStartLeavesNothingOfBeforeThatStart() throws Exception {
    try (LoopDevice loop = LoopDevice.make(directory.resolve("loop"), 32 << 20, OPTIONS)) {
      try (StoreFixture fixture = new StoreFixture(settings(loop, "memory"))) {
        put(fixture, 1);
      }
      try (StoreFixture fixture = new StoreFixture(settings(loop, "memory"))) {
        fixture.stepAll();
        assertEquals(OBJECTS, hits(fixture, 1));
        put(fixture, 2);
        try (LoopDevice left = loop.powerCut(directory.resolve("cut"), OPTIONS);
            StoreFixture after = new StoreFixture(settings(left, "other memory"))) {
          after.stepAll();
          assertEquals(0, hits(after, 2), "what was replaced must not come back");
        }
      }
    }
  }

  @Test
  void aStartWithoutTheTierIsKnownAfterAPowerCut() throws Exception {
    try (LoopDevice loop = LoopDevice.make(directory.resolve("loop"), 32 << 20, OPTIONS)) {
      try (StoreFixture fixture = new StoreFixture(settings(loop, "memory"))) {
        put(fixture, 1);
      }
      StoreSettings without = settings(loop, "memory").withTiers(List.of());
      try (ObjectStore ignored = ObjectStore.open(without.withThreads(without.threads(), true));
          LoopDevice left = loop.powerCut(directory.resolve("cut"), OPTIONS);
          StoreFixture after = new StoreFixture(settings(left, "other memory"))) {
        after.stepAll();
        assertEquals(0, hits(after, 1), "it may have been replaced meanwhile");
      }
    }
  }
}
