package io.forebay.server.cluster.purge;

import io.forebay.server.cluster.etcd.EtcdException;
import io.forebay.server.cluster.member.Member;
import io.forebay.server.cluster.member.Membership;
import io.forebay.server.cluster.purge.ReceiptRule.State;
import io.forebay.server.config.ClusterConfig.Wait;
import io.forebay.storage.purge.PurgePosition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Waits until every node of the cluster has confirmed a purge or is fenced. Any thread that may
 * block.
 */
public final class Confirmations {
  /** Time between reads of etcd for nodes that do not answer and may be fenced. */
  private static final long MEMBERS_MILLIS = 500;

  private final Membership membership;
  private final OwnPosition own;
  private final PositionPolls polls;

  /** Held by the one thread that reads etcd for all that wait. */
  private final ReentrantLock looking = new ReentrantLock();

  /** Guarded by {@link #looking}. */
  private @Nullable Look last;

  /**
   * The nodes by a read of etcd that lay between two times of {@link System#nanoTime}; null where
   * etcd did not answer.
   */
  private record Look(long from, long to, @Nullable List<Member> members) {}

  public Confirmations(Membership membership, OwnPosition own, PositionClient positions) {
    this.membership = membership;
    this.own = own;
    this.polls = new PositionPolls(positions);
  }

  /** Questions that this node has asked others. */
  public long asked() {
    return polls.asked();
  }

  /**
   * Waits for the nodes that a purge needs, for a limited time.
   *
   * @param members read from etcd at the purge's revision or later
   */
  public Receipt await(long revision, List<Member> members, Wait wait, Duration most)
      throws InterruptedException {
    long start = System.nanoTime();
    PurgePosition at = own.applied();
    if (at == null) {
      throw new IllegalStateException("the node has not read the log yet");
    }
    polls.keep(members);
    List<Member> others = new ArrayList<>();
    for (Member member : members) {
      if (!member.name().equals(membership.self().name())
          && ReceiptRule.isWaitedFor(wait, membership.self(), member)) {
        others.add(member);
      }
    }
    return new Round(revision, at.epoch(), start, start + most.toNanos()).run(others);
  }

  /** The wait for one purge. */
  private final class Round {
    private final long revision;
    private final String epoch;
    private final long start;
    private final long deadline;
    private final Map<String, State> states = new ConcurrentHashMap<>();
    private final Map<String, PositionPolls.Wait> waits = new TreeMap<>();

    Round(long revision, String epoch, long start, long deadline) {
      this.revision = revision;
      this.epoch = epoch;
      this.start = start;
      this.deadline = deadline;
    }

    Receipt run(List<Member> others) throws InterruptedException {
      CountDownLatch open = new CountDownLatch(others.size());
      try {
        for (Member member : others) {
          states.put(member.name(), ReceiptRule.state(false, member));
          waits.put(
              member.name(),
              polls.await(
                  member,
                  revision,
                  epoch,
                  () -> {
                    states.put(member.name(), State.CONFIRMED);
                    open.countDown();
                  }));
        }
        boolean isOwnDone = own.await(revision, epoch, deadline - System.nanoTime());
        awaitOthers(open);
        return receipt(isOwnDone);
      } finally {
        waits.values().forEach(PositionPolls.Wait::end);
      }
    }

    private void awaitOthers(CountDownLatch open) throws InterruptedException {
      while (System.nanoTime() < deadline && states.containsValue(State.PENDING)) {
        long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        if (open.await(Math.clamp(left, 1, MEMBERS_MILLIS), TimeUnit.MILLISECONDS)) {
          return;
        }
        look();
      }
    }

    /** Reads from etcd which of the nodes that do not answer are fenced. */
    private void look() throws InterruptedException {
      List<Member> now = membersSince(start);
      if (now != null) {
        states.replaceAll((name, state) ->
            state == State.PENDING ? ReceiptRule.state(false, find(now, name)) : state);
      }
    }

    private Receipt receipt(boolean isOwnDone) {
      List<String> confirmed = new ArrayList<>();
      List<String> fenced = new ArrayList<>();
      Map<String, String> pending = new TreeMap<>();
      String self = membership.self().name();
      if (isOwnDone) {
        confirmed.add(self);
      } else {
        String problem = own.problem();
        pending.put(self, problem == null ? "has not applied it yet" : problem);
      }
      new TreeMap<>(states)
          .forEach((name, state) -> {
            switch (state) {
              case CONFIRMED -> confirmed.add(name);
              case FENCED -> fenced.add(name);
              case PENDING -> {
                PositionPolls.Wait wait = waits.get(name);
                String reason = wait == null ? null : wait.reason();
                pending.put(name, reason == null ? "has not answered yet" : reason);
              }
            }
          });
      confirmed.sort(null);
      return new Receipt(
          revision,
          pending.isEmpty(),
          System.nanoTime() - start,
          List.copyOf(confirmed),
          List.copyOf(fenced),
          pending,
          false);
    }
  }

  private static @Nullable Member find(List<Member> members, String name) {
    return members.stream().filter(one -> one.name().equals(name)).findFirst().orElse(null);
  }

  /**
   * The nodes by a read that began after a given time; all purges that wait share one read. Null
   * where etcd does not answer.
   */
  private @Nullable List<Member> membersSince(long time) throws InterruptedException {
    looking.lockInterruptibly();
    try {
      Look known = last;
      long now = System.nanoTime();
      if (known != null
          && known.from() - time > 0
          && now - known.to() < TimeUnit.MILLISECONDS.toNanos(MEMBERS_MILLIS)) {
        return known.members();
      }
      List<Member> read;
      try {
        read = membership.members();
      } catch (EtcdException e) {
        read = null;
      }
      last = new Look(now, System.nanoTime(), read);
      return read;
    } finally {
      looking.unlock();
    }
  }
}
