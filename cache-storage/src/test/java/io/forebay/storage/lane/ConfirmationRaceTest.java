package io.forebay.storage.lane;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.forebay.storage.StoreFixture;
import io.forebay.storage.object.HeadSpec;
import io.forebay.storage.object.InstallOutcome;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Lanes get a 304 for the same object at the same time: whichever is quicker, it stays there. */
@Tag("slow")
final class ConfirmationRaceTest {
  private static final int LANES = 3;
  private static final int CONFIRMATIONS = 2_000;

  @TempDir Path directory;

  @Test
  void anObjectThatLanesConfirmIsThereForEach() throws Exception {
    try (StoreFixture fixture =
        new StoreFixture(directory, 32 * StoreFixture.MEBI, 1 << 20, LANES)) {
      StoreLane first = fixture.store.lane(0);
      assertEquals(InstallOutcome.INSTALLED, fixture.put(first, "/a", new byte[100], false));
      assertEquals(StoreLane.Found.HIT, StoreFixture.find(first, "/a"));
      long id = first.head().objectId();
      first.unpin(first.head().region());
      Set<InstallOutcome> outcomes = ConcurrentHashMap.newKeySet();
      Set<StoreLane.Found> named = ConcurrentHashMap.newKeySet();
      List<Thread> threads = new ArrayList<>();
      for (int n = 0; n < LANES; n++) {
        StoreLane lane = fixture.store.lane(n);
        threads.add(
            Thread.ofPlatform()
                .start(() -> {
                  for (int i = 0; i < CONFIRMATIONS; i++) {
                    HeadSpec spec = StoreFixture.spec("/a", fixture.store.nextBirth(), -1);
                    outcomes.add(lane.refresh(spec, id));
                    named.add(lane.lookup.names(spec.hi(), spec.lo(), id));
                  }
                }));
      }
      for (Thread thread : threads) {
        thread.join();
      }
      outcomes.removeAll(
          EnumSet.of(InstallOutcome.INSTALLED, InstallOutcome.OLDER, InstallOutcome.BUSY));
      assertEquals(Set.of(), outcomes);
      named.removeAll(EnumSet.of(StoreLane.Found.HIT, StoreLane.Found.BUSY));
      assertEquals(Set.of(), named);
    }
  }
}
