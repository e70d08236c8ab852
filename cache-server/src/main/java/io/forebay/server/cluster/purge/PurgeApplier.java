package io.forebay.server.cluster.purge;

import io.forebay.server.cluster.etcd.EtcdException;
import io.forebay.server.cluster.etcd.EtcdException.Kind;
import io.forebay.server.cluster.etcd.EtcdWatch;
import io.forebay.server.cluster.etcd.KeyValue;
import io.forebay.server.cluster.etcd.WatchBatch;
import io.forebay.server.cluster.member.Fence;
import io.forebay.server.cluster.member.LogHead;
import io.forebay.server.cluster.member.Membership;
import io.forebay.server.cluster.purge.LoggedPurges.Logged;
import io.forebay.server.purge.PurgeOrder;
import io.forebay.server.text.Printable;
import io.forebay.storage.purge.PurgeKind;
import io.forebay.storage.purge.PurgePosition;
import io.forebay.storage.purge.PurgesFullException;
import io.forebay.storage.purge.ReplicatedPurges;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies the purges of the log to this node, in order, on a thread of its own. The table of faults
 * in docs/CLUSTER.md says what it does when it cannot follow the log.
 */
public final class PurgeApplier implements OwnPosition, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PurgeApplier.class);
  private static final long FIRST_PAUSE_MILLIS = 100;
  private static final long MAX_PAUSE_MILLIS = 2_000;
  private static final long JOURNAL_PAUSE_MILLIS = 500;
  private static final long PATTERN_PAUSE_MILLIS = 200;

  /** The longest wait for the sweep of earlier patterns. */
  private static final long PATTERN_WAIT_NANOS = TimeUnit.SECONDS.toNanos(20);

  /** A cluster's epoch: 32 hexadecimal digits. */
  private static final String ANY_REVISION = ":0";

  private final PurgeLog log;
  private final Membership membership;
  private final LoggedPurges purges;
  private final Fence fence;
  private final Thread thread;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition advanced = lock.newCondition();

  /**
   * Ends pauses of the thread. Nothing interrupts it, since an interrupt would close the file of
   * the journal.
   */
  private final CountDownLatch closing = new CountDownLatch(1);

  private volatile boolean isRestartWanted;
  private volatile @Nullable EtcdWatch watch;
  private volatile @Nullable PurgePosition applied;
  private volatile @Nullable String problem;

  /** Why the journal cannot be written; null when it can. */
  private volatile @Nullable String journalProblem;

  private final AtomicLong appliedPurges = new AtomicLong();
  private final AtomicLong gaps = new AtomicLong();
  private final AtomicLong unreadable = new AtomicLong();

  /** Whether the watch has delivered a message since it was opened. Confined to the thread. */
  private boolean hasRead;

  /** Entries of a revision that may not be complete. Confined to the thread. */
  private final List<KeyValue> held = new ArrayList<>();

  public PurgeApplier(PurgeLog log, Membership membership, LoggedPurges purges, Fence fence) {
    this.log = log;
    this.membership = membership;
    this.purges = purges;
    this.fence = fence;
    this.applied = purges.applied();
    this.thread = Thread.ofPlatform().daemon(true).name("purge-feed").unstarted(this::run);
  }

  public void start() {
    thread.start();
  }

  @Override
  public @Nullable PurgePosition applied() {
    return applied;
  }

  @Override
  public @Nullable String problem() {
    String journal = journalProblem;
    return journal == null ? problem : journal;
  }

  /** Why the journal of this node cannot be written; null when it can. */
  public @Nullable String journalProblem() {
    return journalProblem;
  }

  /** Purges of the log that were put in force since the start. */
  public long appliedPurges() {
    return appliedPurges.get();
  }

  /** How often purges may have been missed. */
  public long gaps() {
    return gaps.get();
  }

  /** Entries that this version could not read; each purged everything. */
  public long unreadable() {
    return unreadable.get();
  }

  /**
   * Reads the log again and opens a new watch, because the watch is stuck, or the log is another
   * one.
   */
  public void restart() {
    isRestartWanted = true;
    EtcdWatch current = watch;
    if (current != null) {
      current.close();
    }
  }

  @Override
  public boolean await(long revision, String epoch, long nanos) throws InterruptedException {
    long left = nanos;
    lock.lockInterruptibly();
    try {
      while (!hasReached(revision, epoch)) {
        if (left <= 0) {
          return false;
        }
        left = advanced.awaitNanos(left);
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  private boolean hasReached(long revision, String epoch) {
    PurgePosition at = applied;
    return at != null && at.epoch().equals(epoch) && at.revision() >= revision;
  }

  private void run() {
    long pause = FIRST_PAUSE_MILLIS;
    try {
      do {
        isRestartWanted = false;
        hasRead = false;
        held.clear();
        followOnce();
        pause = hasRead ? FIRST_PAUSE_MILLIS : Math.min(MAX_PAUSE_MILLIS, 2 * pause);
      } while (!closing.await(isRestartWanted ? FIRST_PAUSE_MILLIS : pause, TimeUnit.MILLISECONDS));
    } catch (InterruptedException e) {
      // Closed.
    }
  }

  private void followOnce() throws InterruptedException {
    try {
      follow();
    } catch (EtcdException e) {
      if (!isRestartWanted) {
        report(String.valueOf(e.getMessage()));
      }
    } catch (RuntimeException e) {
      LOG.error("the log of purges could not be followed", e);
      report("an internal error, see the log of this node");
    }
  }

  private boolean isClosed() {
    return closing.getCount() == 0;
  }

  /** Ends the thread after a close. */
  private void pause(long millis) throws InterruptedException {
    if (closing.await(millis, TimeUnit.MILLISECONDS)) {
      throw new InterruptedException("closed");
    }
  }

  private void report(String why) {
    if (problem == null && !isClosed()) {
      LOG.warn("the log of purges is not followed: {}", why);
    }
    problem = why;
  }

  private void followed() {
    if (problem != null) {
      LOG.info("the log of purges is followed again");
      problem = null;
    }
  }

  private void follow() throws EtcdException, InterruptedException {
    long next = begin(head());
    while (!isClosed() && !isRestartWanted) {
      try (EtcdWatch opened = log.watch(next)) {
        watch = opened;
        followed();
        while (!isClosed() && !isRestartWanted) {
          WatchBatch batch = opened.next();
          hasRead = true;
          next = Math.max(next, apply(batch) + 1);
        }
      } catch (EtcdException e) {
        if (e.kind() != Kind.COMPACTED) {
          throw e;
        }
        held.clear();
        next = catchUp(head());
      } finally {
        watch = null;
      }
    }
  }

  private LogHead head() throws EtcdException, InterruptedException {
    LogHead head = membership.head();
    if (head.epoch() == null) {
      log.create();
      head = membership.head();
    }
    PurgePosition at = purges.applied();
    if (at != null && at.isSameLog(positionOf(head)) && at.revision() > head.newest()) {
      LOG.warn(
          "the log of purges was set back, from revision {} to {}: it gets another name",
          at.revision(),
          head.newest());
      log.rename(head);
      head = membership.head();
    }
    return head;
  }

  /**
   * The position of the newest purge. A position is always that of a purge: so a node whose
   * position is beyond the newest purge knows that the log was set back, even if other keys were
   * written to etcd since.
   */
  private static PurgePosition positionOf(LogHead head) {
    PurgePosition named = PurgePosition.parse(head.epoch() + ANY_REVISION);
    if (named == null) {
      throw new IllegalStateException(
          "the epoch of the log is not 32 hexadecimal digits: "
              + Printable.json(String.valueOf(head.epoch())));
    }
    return named.at(head.newest());
  }

  /** Gives the revision at which the watch begins. */
  private long begin(LogHead head) throws InterruptedException {
    String why = gap(head);
    if (why != null) {
      skip(positionOf(head), why);
      return head.revision() + 1;
    }
    PurgePosition at = applied;
    return at == null ? head.revision() + 1 : at.revision() + 1;
  }

  /** Why this node may have missed purges; null where it has missed none. */
  private @Nullable String gap(LogHead head) {
    PurgePosition at = purges.applied();
    if (at == null) {
      return "the node has not followed the log before";
    }
    if (!at.isSameLog(positionOf(head))) {
      return "the log is another one than before";
    }
    return at.revision() < head.floor()
        ? "the log has forgotten purges since revision " + at.revision()
        : null;
  }

  private void skip(PurgePosition to, String why) throws InterruptedException {
    fence.close();
    gaps.incrementAndGet();
    LOG.warn("purges may have been missed: {}; see cluster.purge.gap", why);
    untilDurable(() -> purges.skipTo(to));
    advance(to);
  }

  /** Applies missed purges from pages of the log, because etcd has compacted its history. */
  private long catchUp(LogHead head) throws EtcdException, InterruptedException {
    String why = gap(head);
    PurgePosition to = positionOf(head);
    if (why != null) {
      skip(to, why);
      return head.revision() + 1;
    }
    PurgePosition at = applied;
    long from = at == null ? 1 : at.revision() + 1;
    List<KeyValue> missed = log.missed(from, head.revision(), purges.freeScopes());
    if (missed == null) {
      skip(to, "more purges were missed than can be in force");
    } else {
      apply(missed, head.newest());
    }
    return head.revision() + 1;
  }

  /** Applies entries; gives the last revision applied. */
  private long apply(WatchBatch batch) throws InterruptedException {
    held.addAll(batch.puts());
    List<KeyValue> whole = new ArrayList<>();
    held.removeIf(kv -> kv.revision() <= batch.complete() && whole.add(kv));
    if (!whole.isEmpty()) {
      apply(whole, whole.getLast().revision());
    }
    return batch.complete();
  }

  /** Applies entries in batches of whole revisions. */
  private void apply(List<KeyValue> entries, long end) throws InterruptedException {
    List<Logged> batch = new ArrayList<>();
    long last = 0;
    int at = 0;
    while (at < entries.size()) {
      int next = at;
      long revision = entries.get(at).revision();
      List<Logged> orders = new ArrayList<>();
      while (next < entries.size() && entries.get(next).revision() == revision) {
        orders.add(new Logged(order(entries.get(next++)), revision));
      }
      if (!batch.isEmpty() && batch.size() + orders.size() > ReplicatedPurges.MAX_BATCH) {
        enforce(batch, last);
        batch.clear();
      }
      batch.addAll(orders);
      last = revision;
      at = next;
    }
    enforce(batch, end);
  }

  private PurgeOrder order(KeyValue kv) {
    PurgeEntry entry = PurgeEntry.read(kv.value());
    if (entry != null) {
      return entry.order();
    }
    unreadable.incrementAndGet();
    LOG.error(
        "the purge at revision {} cannot be read by this version: everything is purged",
        kv.revision());
    return everything("unreadable purge at revision " + kv.revision());
  }

  private static PurgeOrder everything(String text) {
    return new PurgeOrder(PurgeKind.EVERYTHING, text, false);
  }

  /** Whether an order has a place among the patterns until the store is swept for it. */
  private static boolean isPattern(PurgeOrder order) {
    return order.kind() == PurgeKind.PATTERN || order.storedBefore() != null;
  }

  private interface Write {
    void run() throws IOException;
  }

  private void enforce(List<Logged> batch, long revision) throws InterruptedException {
    PurgePosition before = applied;
    if (before == null) {
      throw new IllegalStateException("purges are applied before there is a position");
    }
    PurgePosition position = before.at(revision);
    if (before.reaches(position)) {
      return;
    }
    long start = System.nanoTime();
    List<Logged> orders = List.copyOf(batch);
    Outcome outcome = applyOnce(orders, position);
    while (outcome != Outcome.APPLIED) {
      if (outcome == Outcome.REFUSED) {
        LOG.error("purges up to revision {} cannot be applied: everything is purged", revision);
        orders =
            List.of(
                new Logged(everything("in place of purges up to revision " + revision), revision));
      } else if (System.nanoTime() - start < PATTERN_WAIT_NANOS) {
        pause(PATTERN_PAUSE_MILLIS);
      } else {
        LOG.warn("too many purges by pattern: everything is purged at revision {}", revision);
        orders =
            orders.stream()
                .map(one ->
                    isPattern(one.order())
                        ? new Logged(everything(one.order().text()), one.revision())
                        : one)
                .toList();
      }
      outcome = applyOnce(orders, position);
    }
    appliedPurges.addAndGet(batch.size());
    advance(position);
    untilDurable(purges::mirror);
  }

  private enum Outcome {
    APPLIED,
    /** Waits for the sweep, because too many patterns are in force. */
    FULL,
    REFUSED
  }

  private Outcome applyOnce(List<Logged> orders, PurgePosition position)
      throws InterruptedException {
    Outcome[] outcome = {Outcome.APPLIED};
    untilDurable(() -> {
      try {
        purges.apply(orders, position);
      } catch (PurgesFullException e) {
        outcome[0] = Outcome.FULL;
      } catch (IllegalArgumentException e) {
        LOG.error("purges of the log are not well-formed", e);
        outcome[0] = Outcome.REFUSED;
      }
    });
    return outcome[0];
  }

  /** Repeats a write to the journal until it is on disk. */
  private void untilDurable(Write write) throws InterruptedException {
    while (true) {
      try {
        write.run();
        journalProblem = null;
        return;
      } catch (IOException e) {
        if (journalProblem == null) {
          LOG.error("purges of the log cannot be made durable: {}", e.toString());
        }
        journalProblem = "purges of the log cannot be made durable: " + e.getMessage();
        pause(JOURNAL_PAUSE_MILLIS);
      }
    }
  }

  private void advance(PurgePosition position) {
    lock.lock();
    try {
      applied = position;
      advanced.signalAll();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    closing.countDown();
    restart();
    try {
      thread.join(TimeUnit.SECONDS.toMillis(5));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
