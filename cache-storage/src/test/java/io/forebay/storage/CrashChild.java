package io.forebay.storage;

import io.forebay.storage.lane.ObjectWriter;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.object.InstallOutcome;
import io.forebay.storage.purge.Purge;
import io.forebay.storage.purge.PurgeFailedException;
import io.forebay.storage.purge.PurgeKind;
import io.forebay.storage.purge.PurgeReceipt;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.SplittableRandom;

/**
 * The child process of the crash test: stores and purges on two lanes and reports this until it is
 * killed.
 */
final class CrashChild {
  private CrashChild() {}

  public static void main(String[] arguments) throws Exception {
    Path directory = Path.of(arguments[0]);
    long seed = Long.parseLong(arguments[1]);
    CrashTest.Behind behind = CrashTest.Behind.valueOf(arguments[2]);
    ObjectStore store = ObjectStore.open(CrashTest.settings(directory, behind));
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    Thread other = Thread.ofPlatform().start(() -> run(store, 1, seed + 1, out));
    run(store, 0, seed, out);
    other.join();
  }

  private static void run(ObjectStore store, int laneIndex, long seed, PrintStream out) {
    SplittableRandom random = new SplittableRandom(seed);
    StoreLane lane = store.lane(laneIndex);
    while (true) {
      String name = "/" + random.nextInt(CrashTest.NAMES);
      int dice = random.nextInt(1000);
      if (dice < 600) {
        store(store, lane, name, random, out);
      } else if (dice < 990) {
        StoreLane.Found found = StoreFixture.find(lane, name);
        if (found == StoreLane.Found.HIT) {
          lane.unpin(lane.head().region());
        } else if (found == StoreLane.Found.ON_DISK) {
          boolean ignored = lane.load(() -> {});
        }
      } else {
        purge(store, dice < 999 ? name : CrashTest.tag(name), out);
      }
    }
  }

  private static void purge(ObjectStore store, String scope, PrintStream out) {
    out.println("PURGING " + scope);
    try {
      PurgeReceipt receipt =
          store.purge(
              new Purge(PurgeKind.TAG, new long[] {StoreFixture.scope(scope)}, false, scope));
      out.println("PURGED " + scope + " " + receipt.sequence());
    } catch (PurgeFailedException e) {
      out.println("FAILED " + e);
    }
  }

  private static void store(
      ObjectStore store, StoreLane lane, String name, SplittableRandom random, PrintStream out) {
    long birth = store.nextBirth();
    byte[] body = CrashTest.body(name, birth);
    ObjectWriter writer =
        lane.begin(
            StoreFixture.spec(
                name, birth, random.nextBoolean() ? body.length : -1, CrashTest.tag(name)));
    if (writer == null) {
      return;
    }
    for (int at = 0; at < body.length; at += 7000) {
      if (!writer.append(ByteBuffer.wrap(body, at, Math.min(7000, body.length - at)))) {
        writer.abort();
        return;
      }
    }
    InstallOutcome result = writer.finish();
    if (result == InstallOutcome.BUSY) {
      writer.abort();
    } else if (result == InstallOutcome.INSTALLED) {
      out.println("STORED " + name + " " + birth);
    }
  }
}
