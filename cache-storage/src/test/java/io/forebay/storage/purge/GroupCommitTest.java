package io.forebay.storage.purge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Concurrent purges share an fsync; an acknowledged purge is durable all the same. */
@Timeout(60)
class GroupCommitTest {

  private static final int TOGETHER = 40;
  private static final int COPIES = 2;

  @TempDir Path directory;

  /** Counts what is forced, and can hold up a force or have it fail. */
  private static final class Disk implements Journal.Sync {
    private final AtomicInteger begun = new AtomicInteger();
    private volatile boolean isHeld;
    private volatile boolean isFailing;

    @Override
    public void force(FileChannel channel, boolean metaData) throws IOException {
      int ignored = begun.incrementAndGet();
      await("the disk is released", () -> !isHeld);
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
    return open(1 << 20, PurgeMatcher.Compiler.NONE);
  }

  private Purges open(long compactBytes, PurgeMatcher.Compiler compiler) throws IOException {
    return new Purges(
        directory.resolve("purge.journal"),
        1024,
        compactBytes,
        () -> 5,
        new SecureRandom(),
        compiler,
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
      assertEquals(
          2 * COPIES, disk.forces() - before, "one a copy for the first, one for all others");
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

  /** The journal is written anew again and again while others wait to be written to it. */
  @Test
  void compactionsUnderLoadLoseNothing() throws Exception {
    int threads = 8;
    int each = 60;
    List<Future<Void>> outcomes = new ArrayList<>();
    PurgeMatcher.Compiler any = text -> (memory, key, keyLength, head, headLength) -> true;
    long predicate;
    try (Purges purges = open(2048, any);
        ExecutorService pool = Executors.newFixedThreadPool(threads)) {
      predicate = purges.purge(PurgeKind.PATTERN.code(), new long[0], false, "any");
      for (int thread = 0; thread < threads; thread++) {
        long first = 1 + (long) thread * each;
        outcomes.add(
            pool.submit(() -> {
              for (long scope = first; scope < first + each; scope++) {
                long birth = purges.next();
                long number = purges.purge(1, new long[] {scope}, false, "load");
                assertTrue(number > birth && isDead(purges, scope, birth));
                // Refused where clients have their share.
                boolean ignored = purges.invalidate(10_000 + scope);
              }
              return null;
            }));
      }
      for (Future<Void> outcome : outcomes) {
        assertNull(outcome.get());
      }
      assertTrue(disk.forces() > 0);
    }
    try (Purges purges = open(2048, any)) {
      for (long scope = 1; scope <= (long) threads * each; scope++) {
        assertTrue(isDead(purges, scope, 1), "scope " + scope);
      }
      assertEquals(0, purges.floor());
      assertEquals(1, purges.predicateCount());
      PurgeLog.Entry entry = purges.log().find(predicate);
      assertTrue(entry != null && entry.text().equals("any"), "its text is in the new journal");
      assertTrue(purges.wantsTexts(new long[0], predicate - 1, predicate - 1));
      assertFalse(purges.wantsTexts(new long[0], predicate, predicate));
    }
    assertTrue(Files.size(directory.resolve("purge.journal")) < 200_000);
  }

  /** The thread that writes the table also does so for an event loop, which must not wait. */
  @Test
  void anInvalidationIsNotLostWhileTheTableIsWritten() throws Exception {
    AtomicBoolean isOver = new AtomicBoolean();
    try (Purges purges = open();
        ExecutorService pool = Executors.newSingleThreadExecutor()) {
      Future<?> other =
          pool.submit(() -> {
            while (!isOver.get()) {
              purges.sweptMemory(0);
            }
          });
      try {
        for (int n = 0; n < 5_000; n++) {
          long scope = 1 + (long) n % 16;
          long birth = purges.next();
          assertTrue(purges.invalidate(scope));
          long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
          while (!isDead(purges, scope, birth)) {
            assertTrue(System.nanoTime() < deadline, "lost");
            Thread.onSpinWait();
          }
        }
      } finally {
        isOver.set(true);
      }
      assertNull(other.get());
    }
  }

  @Test
  void aPurgeAloneCostsOneFsyncOfEachCopy() throws Exception {
    try (Purges purges = open()) {
      int before = disk.forces();
      for (int n = 0; n < 5; n++) {
        assertTrue(purges.purge(1, new long[] {n}, false, "alone") > 0);
      }
      assertEquals(5 * COPIES, disk.forces() - before);
    }
  }
}
