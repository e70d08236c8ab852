package io.forebay.storage.purge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Purges that come together share an fsync; what is acknowledged is on disk all the same. */
@Timeout(60)
class GroupCommitTest {

  private static final int TOGETHER = 40;

  @TempDir Path directory;

  /** Counts what is forced, and can hold up a force or have it fail. */
  private static final class Disk implements Journal.Sync {
    private final AtomicInteger begun = new AtomicInteger();
    private volatile boolean isHeld;
    private volatile boolean isFailing;

    @Override
    public void force(FileChannel channel, boolean metaData) throws IOException {
      int ignored = begun.incrementAndGet();
      await("the disk is let go", () -> !isHeld);
      if (isFailing) {
        throw new IOException("no such luck");
      }
      channel.force(metaData);
    }

    int forces() {
      return begun.get();
    }
  }

  private static void await(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < deadline, () -> "did not come true: " + what);
      Thread.onSpinWait();
    }
  }

  private final Disk disk = new Disk();

  private Purges open() throws IOException {
    return new Purges(
        directory.resolve("purge.journal"),
        1024,
        1 << 20,
        () -> 5,
        new SecureRandom(),
        PurgeMatcher.Compiler.NONE,
        () -> {},
        disk);
  }

  private static boolean isDead(Purges purges, long scope, long birth) {
    return purges.check(new long[] {scope}, birth, birth) == Purges.DEAD;
  }

  /** One purge, and while its fsync lasts all the others; scopes from 1 on. */
  private List<Future<Long>> purgeTogether(Purges purges, Callable<Void> meanwhile)
      throws Exception {
    List<Future<Long>> outcomes = new ArrayList<>();
    try (ExecutorService threads = Executors.newCachedThreadPool()) {
      int before = disk.forces();
      disk.isHeld = true;
      try {
        for (int n = 1; n <= TOGETHER; n++) {
          long scope = n;
          outcomes.add(
              threads.submit(() -> purges.purge(1, new long[] {scope}, false, "scope " + scope)));
          if (n == 1) {
            await("the first is being forced", () -> disk.forces() > before);
          }
        }
        await("all others are in line", () -> purges.waiting() == TOGETHER - 1);
        assertNull(meanwhile.call());
      } finally {
        disk.isHeld = false;
      }
    }
    return outcomes;
  }

  @Test
  void purgesThatComeTogetherShareAnFsync() throws Exception {
    long highest = 0;
    try (Purges purges = open()) {
      int before = disk.forces();
      List<Future<Long>> outcomes = purgeTogether(purges, () -> null);
      assertEquals(2, disk.forces() - before, "one for the first, one for all others");
      Set<Long> numbers = new HashSet<>();
      for (int n = 1; n <= TOGETHER; n++) {
        long number = outcomes.get(n - 1).get();
        assertTrue(numbers.add(number), "numbers are never given out twice");
        assertTrue(isDead(purges, n, number - 1));
        assertFalse(isDead(purges, n, number + 1));
        highest = Math.max(highest, number);
      }
      assertEquals(highest, purges.sequence());
      assertEquals(highest, purges.settled());
      assertEquals(TOGETHER, purges.acknowledged());
    }
    try (Purges purges = open()) {
      for (int n = 1; n <= TOGETHER; n++) {
        assertTrue(isDead(purges, n, 0), "scope " + n + " after a restart");
      }
      assertEquals(highest, purges.sequence());
    }
  }

  @Test
  void aPurgeThatIsNotOnDiskYetIsNotInForce() throws Exception {
    try (Purges purges = open()) {
      long before = purges.sequence();
      long birth = purges.next();
      List<Future<Long>> outcomes =
          purgeTogether(
              purges,
              () -> {
                for (int n = 1; n <= TOGETHER; n++) {
                  assertFalse(isDead(purges, n, birth), "scope " + n);
                }
                assertEquals(before, purges.sequence());
                return null;
              });
      for (int n = 1; n <= TOGETHER; n++) {
        assertTrue(outcomes.get(n - 1).get() > birth);
        assertTrue(isDead(purges, n, birth), "scope " + n);
      }
    }
  }

  @Test
  void anFsyncThatFailsFailsAllThatSharedIt() throws Exception {
    long birth;
    try (Purges purges = open()) {
      birth = purges.next();
      long kept = purges.purge(1, new long[] {1000}, false, "before");
      disk.isFailing = true;
      List<Future<Long>> outcomes = purgeTogether(purges, () -> null);
      for (int n = 1; n <= TOGETHER; n++) {
        assertTrue(hasFailed(outcomes.get(n - 1)), "purge " + n);
        assertFalse(isDead(purges, n, birth), "scope " + n + " is not in force");
      }
      assertEquals(TOGETHER, purges.failed());
      assertEquals(kept, purges.sequence());
      assertEquals(kept, purges.settled(), "nobody is on the way any more");
      disk.isFailing = false;
      // Written anew, whole, before anything else is acknowledged.
      long after = purges.purge(1, new long[] {2000}, false, "after");
      assertTrue(after > kept);
    }
    try (Purges purges = open()) {
      assertTrue(isDead(purges, 1000, birth));
      assertTrue(isDead(purges, 2000, birth));
      for (int n = 1; n <= TOGETHER; n++) {
        assertFalse(isDead(purges, n, birth), "scope " + n + " is not in the new journal");
      }
    }
  }

  private static boolean hasFailed(Future<Long> outcome) throws InterruptedException {
    try {
      return outcome.get() < 0;
    } catch (ExecutionException e) {
      return e.getCause() instanceof IOException;
    }
  }

  @Test
  void aPurgeAloneCostsOneFsync() throws Exception {
    try (Purges purges = open()) {
      int before = disk.forces();
      for (int n = 0; n < 5; n++) {
        assertTrue(purges.purge(1, new long[] {n}, false, "alone") > 0);
      }
      assertEquals(5, disk.forces() - before);
    }
  }
}
