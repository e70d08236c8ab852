package io.forebay.server.cluster.purge;

import io.forebay.server.cluster.member.Member;
import io.forebay.storage.purge.PurgePosition;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks other nodes for their positions, for all purges that wait. Each node gets one question at a
 * time, for any number of purges.
 *
 * <pre>
 *   await(node, 7, …), await(node, 8, …), await(node, 9, …)
 *        └─▶ at-least=7 ──▶ node;  "8" ◀── answers 7 and 8  ─▶ at-least=9 ──▶ …
 * </pre>
 *
 * <p>The question is for the lowest revision that a purge waits for. A node that stops between the
 * lowest and the highest would never answer a question for the highest. Any thread.
 */
final class PositionPolls {
  private static final Logger LOG = LoggerFactory.getLogger(PositionPolls.class);

  /** The exception says nothing to those who read receipts. */
  private static final String DEFECT =
      "could not be asked because of an internal error, see the log of the node that took the purge";

  private static final long RETRY_MILLIS = 200;

  /** The longest time that a node may wait with its answer. */
  private static final long POLL_MILLIS = 5_000;

  private final PositionClient positions;
  private final ReentrantLock lock = new ReentrantLock();

  /** One for each node that a purge waits for. Guarded by the lock. */
  private final Map<Log, Poll> polls = new HashMap<>();

  /** The highest position in the answers of each node. Guarded by the lock. */
  private final Map<String, PurgePosition> told = new HashMap<>();

  private final AtomicLong asked = new AtomicLong();

  PositionPolls(PositionClient positions) {
    this.positions = positions;
  }

  /** A node in a log: positions in different logs have no order. */
  private record Log(String node, String epoch) {}

  /** A wait for one node. Its result is called with the lock held, and must not block. */
  final class Wait {
    private final Log log;
    private final long revision;
    private final Runnable whenReached;

    private Wait(Log log, long revision, Runnable whenReached) {
      this.log = log;
      this.revision = revision;
      this.whenReached = whenReached;
    }

    /** Why the node has not applied the revision; null where no reason is known. */
    @Nullable String reason() {
      lock.lock();
      try {
        Poll poll = polls.get(log);
        return poll == null ? null : poll.reason;
      } finally {
        lock.unlock();
      }
    }

    /** Ends the wait. */
    void end() {
      lock.lock();
      try {
        Poll poll = polls.get(log);
        if (poll != null && poll.remove(this)) {
          polls.remove(log);
          poll.end();
        }
      } finally {
        lock.unlock();
      }
    }
  }

  /** Questions asked since the start. */
  long asked() {
    return asked.get();
  }

  /** Forgets the positions of all other nodes. */
  void keep(List<Member> members) {
    lock.lock();
    try {
      boolean ignored =
          told.keySet()
              .removeIf(name -> members.stream().noneMatch(member -> member.name().equals(name)));
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until a node has applied a revision, which may be so before this returns.
   *
   * @param whenReached is called at most once
   */
  Wait await(Member member, long revision, String epoch, Runnable whenReached) {
    Wait wait = new Wait(new Log(member.name(), epoch), revision, whenReached);
    lock.lock();
    try {
      PurgePosition known = told.get(member.name());
      if (known != null && known.epoch().equals(epoch) && known.revision() >= revision) {
        whenReached.run();
        return wait;
      }
      Poll poll = polls.get(wait.log);
      if (poll == null) {
        poll = new Poll(wait.log, member);
        polls.put(wait.log, poll);
        poll.add(wait);
        poll.start();
      } else {
        poll.member = member;
        poll.add(wait);
      }
      return wait;
    } finally {
      lock.unlock();
    }
  }

  /** The questions to one node. Its fields are guarded by the lock. */
  private final class Poll {
    private final Log log;
    private final Condition ended = lock.newCondition();
    private final Thread thread = Thread.ofVirtual().name("confirm").unstarted(this::run);
    private final TreeMap<Long, Map<Wait, Boolean>> waits = new TreeMap<>();
    private Member member;
    private @Nullable String reason;
    private boolean isOver;

    Poll(Log log, Member member) {
      this.log = log;
      this.member = member;
    }

    void start() {
      thread.start();
    }

    void add(Wait wait) {
      waits.computeIfAbsent(wait.revision, revision -> new HashMap<>()).put(wait, true);
    }

    /** Whether it was the last wait for the node. */
    boolean remove(Wait wait) {
      Map<Wait, Boolean> same = waits.get(wait.revision);
      if (same != null && same.remove(wait) != null && same.isEmpty()) {
        waits.remove(wait.revision);
      }
      return waits.isEmpty();
    }

    void end() {
      isOver = true;
      ended.signalAll();
      // No purge waits for the answer any more.
      thread.interrupt();
    }

    private void run() {
      try {
        while (true) {
          Member now;
          long least;
          lock.lockInterruptibly();
          try {
            long pause = reason == null ? 0 : TimeUnit.MILLISECONDS.toNanos(RETRY_MILLIS);
            while (pause > 0 && !isOver) {
              pause = ended.awaitNanos(pause);
            }
            if (isOver) {
              return;
            }
            now = member;
            least = waits.firstKey();
          } finally {
            lock.unlock();
          }
          ask(now, least);
        }
      } catch (InterruptedException e) {
        // No purge waits for the answer any more.
      }
    }

    private void ask(Member now, long least) throws InterruptedException {
      PurgePosition at = null;
      String why = null;
      asked.incrementAndGet();
      try {
        at = positions.ask(now, least, log.epoch, POLL_MILLIS);
      } catch (IOException e) {
        why = String.valueOf(e.getMessage());
      } catch (RuntimeException e) {
        why = DEFECT;
        LOG.error("node {} could not be asked for its position", now.name(), e);
      }
      lock.lock();
      try {
        if (isOver) {
          return;
        }
        reason = why;
        if (at != null) {
          told.merge(log.node, at, (a, b) -> a.reaches(b) ? a : b);
        }
        if (at != null && at.epoch().equals(log.epoch) && at.revision() >= least) {
          reached(at.revision());
        } else if (why == null) {
          reason = "is at revision " + (at == null ? "0" : at.revision());
        }
      } finally {
        lock.unlock();
      }
    }

    private void reached(long revision) {
      Map<Long, Map<Wait, Boolean>> done = waits.headMap(revision, true);
      done.values().forEach(same -> same.keySet().forEach(wait -> wait.whenReached.run()));
      done.clear();
      if (waits.isEmpty()) {
        polls.remove(log);
        isOver = true;
      }
    }
  }
}
