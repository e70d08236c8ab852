package io.forebay.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.lane.ObjectWriter;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.object.InstallOutcome;
import io.forebay.storage.object.SliceLocation;
import io.forebay.storage.object.StoredHead;
import io.forebay.storage.purge.Purge;
import io.forebay.storage.purge.PurgeFailedException;
import io.forebay.storage.purge.PurgeKind;
import io.forebay.storage.purge.PurgeReceipt;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Several lanes and an administrator run against the store's own reclaim thread with little space:
 * a record that is reused while it is read shows as a wrong byte, a late purge as an old birth.
 */
@Tag("slow")
class ConcurrencyTest {
  private static final int LANES = 3;
  private static final int NAMES = 800;

  @TempDir Path directory;

  @Tag("full")
  @Test
  void readersNeverSeeReusedOrPurgedBytes() throws Exception {
    run(40_000);
  }

  @Test
  @Tag("campaign")
  void readersNeverSeeReusedOrPurgedBytesForLong() throws Exception {
    run(10_000_000);
  }

  private void run(int operations) throws Exception {
    long seed = new SplittableRandom().nextLong();
    System.out.println("ConcurrencyTest seed " + seed + "L");
    AtomicReference<Throwable> failure = new AtomicReference<>();
    ConcurrentHashMap<String, Long> purged = new ConcurrentHashMap<>();
    AtomicLong hits = new AtomicLong();
    StoreSettings settings =
        StoreSettings.of(directory.resolve("data"), 6 << 20, LANES, System::currentTimeMillis)
            .withMemoryDirectory(directory.resolve("memory"))
            .withSizes(1 << 17, 0, 128)
            .withPurges(200, 5, 1 << 16)
            .withLockMemory(false);
    try (ObjectStore store = ObjectStore.open(StoreFixture.divided(settings))) {
      List<Thread> threads = new ArrayList<>();
      for (int lane = 0; lane < LANES; lane++) {
        StoreLane own = store.lane(lane);
        SplittableRandom random = new SplittableRandom(seed + lane);
        threads.add(
            Thread.ofPlatform()
                .start(() -> {
                  try {
                    for (int n = 0; n < operations && failure.get() == null; n++) {
                      operate(store, own, random, purged, hits);
                    }
                  } catch (Throwable e) {
                    failure.set(e);
                  }
                }));
      }
      for (Thread thread : threads) {
        thread.join();
      }
      if (failure.get() != null) {
        throw new AssertionError("seed " + seed + "L", failure.get());
      }
      StoreStats stats = store.stats();
      System.out.println("  " + hits + " hits, " + stats);
      assertEquals(0, stats.pins());
      assertEquals(0, stats.unfinishedBytes());
      assertEquals(0, stats.checksumFailures());
      assertTrue(stats.reclaimedRegions() > 50, "hardly any reclaim");
      assertTrue(hits.get() > operations / 20, "hardly any hits");
    }
  }

  private static void operate(
      ObjectStore store,
      StoreLane lane,
      SplittableRandom random,
      ConcurrentHashMap<String, Long> purged,
      AtomicLong hits)
      throws PurgeFailedException {
    // Few names are wanted often, so that there is something to keep.
    int range = random.nextInt(3) == 0 ? NAMES : NAMES / 20;
    String name = "/" + random.nextInt(range);
    int dice = random.nextInt(1000);
    if (dice < 998 || random.nextInt(4) > 0) {
      long purge = purged.getOrDefault(name, 0L);
      StoreLane.Found found = StoreFixture.find(lane, name);
      if (found == StoreLane.Found.MISS) {
        store(store, lane, name, random);
      } else if (found == StoreLane.Found.HIT) {
        hits.incrementAndGet();
        read(store, lane, name, purge);
      }
    } else {
      PurgeReceipt receipt =
          store.purge(new Purge(PurgeKind.TAG, new long[] {StoreFixture.scope(name)}, false, name));
      purged.merge(name, receipt.sequence(), Math::max);
    }
  }

  private static byte[] body(String name, long birth) {
    long seed = StoreFixture.scope(name) ^ birth;
    return StoreFixture.body(seed, Math.floorMod(Long.hashCode(seed), 20_000));
  }

  private static void store(
      ObjectStore store, StoreLane lane, String name, SplittableRandom random) {
    long birth = store.nextBirth();
    byte[] body = body(name, birth);
    ObjectWriter writer =
        lane.begin(StoreFixture.spec(name, birth, random.nextBoolean() ? body.length : -1));
    if (writer == null) {
      return;
    }
    if (!writer.append(ByteBuffer.wrap(body))) {
      writer.abort();
    } else if (writer.finish() == InstallOutcome.BUSY) {
      writer.abort();
    }
  }

  private static void read(ObjectStore store, StoreLane lane, String name, long purge) {
    StoredHead head = lane.head();
    int region = head.region();
    long birth = head.bodyBirth();
    try {
      assertTrue(birth > purge, () -> name + " born " + birth + " was purged at " + purge);
      byte[] expected = body(name, birth);
      assertEquals(expected.length, head.totalLength());
      byte[] body = new byte[expected.length];
      if (head.bodyOffset() >= 0) {
        store.regionBuffer(region).get(head.bodyOffset(), body);
      } else {
        long id = head.objectId();
        int at = 0;
        for (int slice = 0; at < body.length; slice++) {
          if (lane.findSlice(id, slice) != StoreLane.Found.HIT) {
            return;
          }
          SliceLocation pos = lane.slice();
          store.regionBuffer(pos.region()).get(pos.offset(), body, at, pos.length());
          at += pos.length();
          lane.unpin(pos.region());
        }
      }
      assertTrue(Arrays.equals(expected, body), () -> name + " born " + birth + " differs");
    } finally {
      lane.unpin(region);
    }
  }
}
