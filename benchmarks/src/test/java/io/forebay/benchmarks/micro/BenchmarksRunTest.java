package io.forebay.benchmarks.micro;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.lang.management.ManagementFactory;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Benchmarks do what they say, a few times each: what nobody runs breaks unseen. */
@Tag("slow")
final class BenchmarksRunTest {
  private static final int SOME = 20;
  private static final int WARM_UP = 3_000;
  private static final int MEASURED = 1_000;

  /** Of what a path that allocates nothing may seem to: the thread's own, and the compilers'. */
  private static final long NOISE_BYTES = 8;

  private interface Operation {
    long run();
  }

  @Tag("full")
  @Test
  void loopsBesideEachOtherHitOneStoreAndAllocateNothing() throws Exception {
    ThreadedHitBenchmark benchmark = new ThreadedHitBenchmark();
    ThreadedHitBenchmark.Shared shared = new ThreadedHitBenchmark.Shared();
    shared.bodyBytes = 10_240;
    shared.objects = SOME;
    shared.open();
    try {
      for (int loops = 0; loops < 2; loops++) {
        long bytes =
            onLoopThread(() -> {
              ThreadedHitBenchmark.Loop loop = new ThreadedHitBenchmark.Loop();
              loop.open(shared);
              long before = loop.edge().fastHits();
              long allocated = allocated(() -> benchmark.hit(loop), 10_240);
              assertEquals(WARM_UP + MEASURED, loop.edge().fastHits() - before);
              return allocated;
            });
        assertTrue(bytes <= NOISE_BYTES, bytes + " bytes a hit");
      }
    } finally {
      shared.close();
    }
  }

  @Test
  void rulesAreAskedWithoutAllocation() throws Exception {
    RuleBenchmark benchmark = new RuleBenchmark();
    for (String shape : new String[] {"1x1", "100x1", "1x100"}) {
      RuleBenchmark.Routes routes = new RuleBenchmark.Routes();
      routes.shape = shape;
      routes.compile();
      long bytes = onLoopThread(() -> allocated(() -> benchmark.match(routes) ? 1 : 0, 1));
      assertTrue(bytes <= NOISE_BYTES, bytes + " bytes for " + shape);
    }
  }

  @Test
  void recordsAreEncrypted() throws Exception {
    for (int recordBytes : new int[] {1400, 16_384}) {
      TlsRecordBenchmark.Connection connection = new TlsRecordBenchmark.Connection();
      connection.bodyBytes = 40_000;
      connection.recordBytes = recordBytes;
      connection.connect();
      try {
        int records = (40_000 + recordBytes - 1) / recordBytes;
        // Header, type and tag of each (RFC 8446 §5.2).
        assertEquals(
            40_000 + 22L * records, new TlsRecordBenchmark().encrypt(connection), "" + recordBytes);
      } finally {
        connection.close();
      }
    }
  }

  @Test
  void requestsOverHttp2AreHits() {
    Http2HitBenchmark.Warm warm = new Http2HitBenchmark.Warm();
    warm.bodyBytes = 10_240;
    warm.objects = SOME;
    warm.fill();
    try {
      Http2HitBenchmark benchmark = new Http2HitBenchmark();
      // More than the first window of a connection, and more than one credit.
      for (int i = 0; i < 80; i++) {
        assertTrue(benchmark.hit(warm) > 10_240, "the answer to request " + i);
      }
      assertTrue(warm.isConnected());
    } finally {
      warm.close();
    }
  }

  @Test
  void slicesAreReadFromADisk() {
    DiskSliceBenchmark.Stored stored = new DiskSliceBenchmark.Stored();
    stored.memoryMebibytes = 4;
    stored.fill();
    try {
      DiskSliceBenchmark benchmark = new DiskSliceBenchmark();
      for (int i = 0; i < 2 * stored.count(); i++) {
        assertNotEquals(0, benchmark.read(stored), "slice " + i);
      }
    } finally {
      stored.close();
    }
  }

  @Test
  void objectsAreLoadedFromADisk() {
    DiskLoadBenchmark.Stored stored = new DiskLoadBenchmark.Stored();
    stored.bodyBytes = 10_240;
    stored.memoryMebibytes = 4;
    stored.fill();
    try {
      DiskLoadBenchmark benchmark = new DiskLoadBenchmark();
      long before = stored.loads();
      for (int i = 0; i < SOME; i++) {
        assertEquals(10_240, benchmark.load(stored));
      }
      assertEquals(before + SOME, stored.loads());
    } finally {
      stored.close();
    }
  }

  @Test
  void missesAreStored() {
    for (int bodyBytes : new int[] {10_240, 1 << 20}) {
      FillBenchmark.Full full = new FillBenchmark.Full();
      full.bodyBytes = bodyBytes;
      full.memoryBytes = 8L << 20;
      full.fill();
      try {
        for (int i = 0; i < SOME; i++) {
          assertTrue(new FillBenchmark().miss(full) > bodyBytes);
        }
      } finally {
        full.close();
      }
    }
  }

  @Test
  void staleObjectsAreConfirmed() {
    RevalidationBenchmark.Stale stale = new RevalidationBenchmark.Stale();
    stale.bodyBytes = 10_240;
    stale.objects = SOME;
    stale.fill();
    try {
      long before = stale.confirmed();
      for (int i = 0; i < 2 * SOME; i++) {
        assertTrue(new RevalidationBenchmark().revalidate(stale) > 10_240);
      }
      assertEquals(before + 2 * SOME, stale.confirmed());
    } finally {
      stale.close();
    }
  }

  /** Bytes that an operation allocates when it has been run for a while, the least of some runs. */
  private static long allocated(Operation operation, long atLeast) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    for (int i = 0; i < WARM_UP; i++) {
      assertTrue(operation.run() >= atLeast);
    }
    long least = Long.MAX_VALUE;
    int runs = 10;
    for (int run = 0; run < runs; run++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < MEASURED / runs; i++) {
        long ignored = operation.run();
      }
      long bytes = threads.getCurrentThreadAllocatedBytes() - before;
      least = Math.min(least, bytes / (MEASURED / runs));
    }
    return least;
  }

  /** On a thread like those of loops, with buffers that nobody follows, as in service. */
  private static <T> T onLoopThread(Callable<T> task) throws Exception {
    ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
    try {
      FutureTask<T> running = new FutureTask<>(task);
      new DefaultThreadFactory("loop", true).newThread(running).start();
      return running.get(60, TimeUnit.SECONDS);
    } finally {
      ResourceLeakDetector.setLevel(level);
    }
  }
}
