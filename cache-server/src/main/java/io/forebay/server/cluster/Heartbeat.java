package io.forebay.server.cluster;

import io.forebay.server.cluster.etcd.EtcdException;
import io.forebay.server.cluster.member.Fence;
import io.forebay.server.cluster.member.LogHead;
import io.forebay.server.cluster.member.Membership;
import io.forebay.server.cluster.member.NameTakenException;
import io.forebay.server.cluster.purge.PurgeApplier;
import io.forebay.storage.purge.PurgePosition;
import java.util.List;
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

  /** Beats without progress after which the watch counts as stuck. */
  private static final int STUCK_BEATS = 3;

  /** A task that runs each second beside the proof, while etcd answers. */
  interface Errand {
    void run() throws EtcdException, InterruptedException;
  }

  private final Membership membership;
  private final PurgeApplier applier;
  private final List<Errand> errands;
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
  private @Nullable Thread errand;

  /**
   * A heartbeat.
   *
   * @param errands tasks of each beat; they run on another thread, so no proof waits for them
   */
  Heartbeat(Membership membership, PurgeApplier applier, Fence fence, List<Errand> errands) {
    this.membership = membership;
    this.applier = applier;
    this.fence = fence;
    this.errands = List.copyOf(errands);
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

  /** The latest read of the log; null before the first. */
  @Nullable LogHead head() {
    return head;
  }

  /** Age of the latest proof in seconds; NaN where there was none. */
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
      // Closed.
    }
  }

  private @Nullable String beat() throws InterruptedException {
    long now = System.nanoTime();
    try {
      membership.keepAlive();
      isNameTaken = false;
      // Read before the log: a position that is read after it may be beyond the newest purge that
      // was read.
      PurgePosition at = applier.applied();
      LogHead read = membership.head();
      head = read;
      if (!read.isOwn()) {
        membership.lost();
        return "the node is no longer registered as alive";
      }
      runErrands();
      return prove(read, at, now);
    } catch (NameTakenException e) {
      isNameTaken = true;
      fence.close();
      return e.getMessage();
    } catch (EtcdException e) {
      return String.valueOf(e.getMessage());
    } catch (RuntimeException e) {
      LOG.error("the cluster's heartbeat failed", e);
      return "an internal error, see the log of this node";
    }
  }

  /** Starts the errands, unless those of an earlier beat still run. */
  private void runErrands() {
    Thread last = errand;
    if (last == null || !last.isAlive()) {
      errand =
          Thread.ofVirtual()
              .name("errands")
              .start(() -> {
                for (Errand one : errands) {
                  run(one);
                }
              });
    }
  }

  private void run(Errand one) {
    try {
      one.run();
    } catch (EtcdException e) {
      LOG.debug("left for later: {}", e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      LOG.error("an errand of the cluster failed", e);
    }
  }

  private @Nullable String prove(LogHead read, @Nullable PurgePosition at, long now)
      throws InterruptedException {
    if (at == null) {
      return "the log has not been read yet";
    }
    // A log without a name comes from a restore. The applier gives it a name, even if its watch
    // still works.
    if (!at.epoch().equals(read.epoch()) || at.revision() > read.newest()) {
      fence.close();
      applier.restart();
      return "the log is another one than before, or was set back";
    }
    if (applier.await(read.newest(), at.epoch(), TimeUnit.MILLISECONDS.toNanos(APPLY_MILLIS))) {
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

  /** Ends the thread: after the return no proof extends the fence. */
  @Override
  public void close() {
    closing.countDown();
    thread.interrupt();
    try {
      thread.join();
      Thread last = errand;
      if (last != null) {
        last.interrupt();
        last.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
