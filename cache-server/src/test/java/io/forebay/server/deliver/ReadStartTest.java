package io.forebay.server.deliver;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.forebay.server.counters.LoopCounters;
import io.forebay.storage.ObjectStore;
import io.forebay.storage.StoreSettings;
import io.netty.buffer.ByteBufAllocator;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Disks are told once a turn of the loop what was asked for. */
final class ReadStartTest {
  @Test
  void allThatATurnAsksForIsStartedOnceAtItsEnd(@TempDir Path directory) throws Exception {
    List<Runnable> tasks = new ArrayList<>();
    try (ObjectStore store =
        ObjectStore.open(
            StoreSettings.of(directory.resolve("data"), 1 << 20, 1, System::currentTimeMillis)
                .withMemoryDirectory(directory.resolve("memory"))
                .withLockMemory(false))) {
      Leases leases =
          new Leases(
              store,
              store.lane(0),
              ByteBufAllocator.DEFAULT,
              new CopyQuota(0),
              new LoopCounters(),
              true);
      leases.startReads(tasks::add);
      leases.startReads(tasks::add);
      assertEquals(1, tasks.size());
      tasks.removeFirst().run();
      leases.startReads(tasks::add);
      assertEquals(1, tasks.size());
    }
  }
}
