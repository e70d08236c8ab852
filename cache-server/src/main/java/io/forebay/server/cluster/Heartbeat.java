package io.forebay.server.cluster;

import io.forebay.server.cluster.etcd.EtcdException;
import io.forebay.server.cluster.member.Fence;
import io.forebay.server.cluster.member.LogHead;
import io.forebay.server.cluster.member.Membership;
import io.forebay.server.cluster.member.NameTakenException;
import io.forebay.server.cluster.purge.PurgeApplier;
import io.forebay.server.cluster.purge.PurgeCollector;
import io.forebay.storage.purge.PurgePosition;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Proves each second, on a thread of its own, that the node knows all purges, and extends the fence
 * from the moment before the proof began:
 *
 * <pre>
 *   now ─▶ lease prolonged ─▶ newest purge read ─▶ applied here ─▶ fence = now + fence-after
 * </pre>
 *
 * <p>The lease is prolonged first, and lasts longer. A purge that finds the lease gone was written
 * after every proof that began under it, and is applied before the next one.
 */
final class Heartbeat implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Heartbeat.class);
  private static final long PERIOD_MILLIS = 1_000;
  private static final long APPLY_MILLIS = 800;

  /** Without progress for so long, the watch counts as stuck. */
  private static final int STUCK_BEATS = 3;

  private static final int COLLECT_EVERY = 10;

  private final Membership membership;
  private final PurgeApplier applier;
  private final PurgeCollector collector;
  private final Fence fence;
  private final CountDownLatch closing = new CountDownLatch(1);
  private final Thread thread;

  private volatile @Nullable String problem = "the log has not been read yet";
  private volatile boolean isNameTaken;
  private volatile @Nullable LogHead head;
  private volatile long provenNanos;
  private volatile boolean isProven;

  // Confined to the thread.
  private @Nullable PurgePosition before;
  private int beatsWithoutProgress;
  private long beats;

  Heartbeat(Membership membership, PurgeApplier applier, PurgeCollector collector, Fence fence) {
    this.membership = membership;
    this.applier = applier;
    this.collector = collector;
    this.fence = fence;
    this.thread = Thread.ofPlatform().daemon(true).name("cluster").unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  /** Why the last proof failed; null when it did not. */
  @Nullable String problem() {
    return problem;
  }

  boolean isNameTaken() {
    return isNameTaken;
  }

  /** What was read of the log last; null for nothing yet. */
  @Nullable LogHead head() {
    return head;
  }

  /** Since when the latest proof counts, in seconds; NaN where there was none. */
  double proofAgeSeconds() {
    return isProven ? (System.nanoTime() - provenNanos) / 1e9 : Double.NaN;
  }

  private void run() {
    try {
      do {
        String failed = beat();
        if (failed != null && problem == null) {
          LOG.warn("the node cannot prove that it knows all purges: {}", failed);
        } else if (failed == null && problem != null) {
          LOG.info("the node knows all purges of the cluster");
        }
        problem = failed;
      } while (!closing.await(PERIOD_MILLIS, TimeUnit.MILLISECONDS));
    } catch (InterruptedException e) {
      // It is over.
    }
  }

  private @Nullable String beat() throws InterruptedException {
    long now = System.nanoTime();
    try {
      membership.keepAlive();
      isNameTaken = false;
      LogHead read = membership.head();
      head = read;
      if (!read.isOwn()) {
        membership.lost();
        return "the node is no longer registered as alive";
      }
      String failed = prove(read, now);
      if (failed == null && beats++ % COLLECT_EVERY == 0) {
        collect();
      }
      return failed;
    } catch (NameTakenException e) {
      isNameTaken = true;
      fence.close();
      return e.getMessage();
    } catch (EtcdException e) {
      return String.valueOf(e.getMessage());
    } catch (RuntimeException e) {
      LOG.error("the cluster's heartbeat failed", e);
      return String.valueOf(e);
    }
  }

  private void collect() throws InterruptedException {
    try {
      int ignored = collector.step();
    } catch (EtcdException e) {
      LOG.debug("old purges stay in the log for now: {}", e.getMessage());
    }
  }

  private @Nullable String prove(LogHead read, long now) throws InterruptedException {
    PurgePosition at = applier.applied();
    String epoch = read.epoch();
    if (epoch == null || at == null) {
      return "the log has not been read yet";
    }
    if (!at.epoch().equals(epoch) || at.revision() > read.revision()) {
      fence.close();
      applier.restart();
      return "the log is another one than before, or was set back";
    }
    if (applier.await(read.newest(), epoch, TimeUnit.MILLISECONDS.toNanos(APPLY_MILLIS))) {
      provenNanos = now;
      isProven = true;
      beatsWithoutProgress = 0;
      fence.extend(now);
      return null;
    }
    beatsWithoutProgress = at.equals(before) ? beatsWithoutProgress + 1 : 0;
    before = at;
    if (beatsWithoutProgress >= STUCK_BEATS && applier.journalProblem() == null) {
      beatsWithoutProgress = 0;
      applier.restart();
    }
    String why = applier.problem();
    return "purges up to revision "
        + read.newest()
        + " are in the log, and up to "
        + at.revision()
        + " in force here"
        + (why == null ? "" : ": " + why);
  }

  /** When this returns, the fence is not extended any more. */
  @Override
  public void close() {
    closing.countDown();
    try {
      thread.join(TimeUnit.SECONDS.toMillis(10));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
