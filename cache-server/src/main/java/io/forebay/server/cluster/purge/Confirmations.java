package io.forebay.server.cluster.purge;

import io.forebay.server.cluster.etcd.EtcdException;
import io.forebay.server.cluster.member.Member;
import io.forebay.server.cluster.member.Membership;
import io.forebay.server.cluster.purge.ReceiptRule.State;
import io.forebay.server.config.ClusterConfig.Wait;
import io.forebay.storage.purge.PurgePosition;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Waits until a purge is true on the nodes of the cluster: each is asked for its position, by one
 * request that it answers when it has applied the purge. Any thread that may block.
 */
public final class Confirmations {
  /** How often etcd is asked whether nodes that do not answer are fenced. */
  private static final long MEMBERS_MILLIS = 500;

  private static final long RETRY_MILLIS = 200;

  /** For how long a node is asked to wait with its answer. */
  private static final long POLL_MILLIS = 5_000;

  private final Membership membership;
  private final PurgeApplier applier;
  private final Positions positions;

  /** The highest position that each node has told. */
  private final Map<String, PurgePosition> told = new ConcurrentHashMap<>();

  public Confirmations(Membership membership, PurgeApplier applier, Positions positions) {
    this.membership = membership;
    this.applier = applier;
    this.positions = positions;
  }

  /** The highest position that a node has told; null where it has told none. */
  public @Nullable PurgePosition told(String node) {
    return told.get(node);
  }

  /**
   * Waits for the nodes that a purge needs, at most for some time.
   *
   * @param members read from etcd at the purge's revision or later
   */
  public Receipt await(long revision, List<Member> members, Wait wait, Duration most)
      throws InterruptedException {
    long start = System.nanoTime();
    PurgePosition own = applier.applied();
    if (own == null) {
      throw new IllegalStateException("the node has not read the log yet");
    }
    Round round = new Round(revision, own.epoch(), start + most.toNanos());
    List<Member> others = new ArrayList<>();
    for (Member member : members) {
      if (!member.name().equals(membership.self().name())
          && ReceiptRule.isWaitedFor(wait, membership.self(), member)) {
        others.add(member);
      }
    }
    return round.run(others, start);
  }

  /** The wait for one purge. */
  private final class Round {
    private final long revision;
    private final String epoch;
    private final long deadline;
    private final Map<String, State> states = new ConcurrentHashMap<>();
    private final Map<String, String> reasons = new ConcurrentHashMap<>();

    Round(long revision, String epoch, long deadline) {
      this.revision = revision;
      this.epoch = epoch;
      this.deadline = deadline;
    }

    Receipt run(List<Member> others, long start) throws InterruptedException {
      CountDownLatch open = new CountDownLatch(others.size());
      List<Thread> askers = new ArrayList<>();
      for (Member member : others) {
        boolean isKnown = hasReached(told.get(member.name()));
        states.put(member.name(), ReceiptRule.state(isKnown, member));
        if (isKnown) {
          open.countDown();
        } else {
          askers.add(Thread.ofVirtual().name("confirm").start(() -> ask(member, open)));
        }
      }
      boolean isOwnDone = false;
      try {
        isOwnDone = applier.await(revision, epoch, deadline - System.nanoTime());
        awaitOthers(open);
      } finally {
        askers.forEach(Thread::interrupt);
      }
      return receipt(isOwnDone, start);
    }

    private void awaitOthers(CountDownLatch open) throws InterruptedException {
      while (System.nanoTime() < deadline && isAnyPending()) {
        long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        if (open.await(Math.clamp(left, 1, MEMBERS_MILLIS), TimeUnit.MILLISECONDS)) {
          return;
        }
        look();
      }
    }

    private boolean isAnyPending() {
      return states.containsValue(State.PENDING);
    }

    /** Whether nodes that do not answer are fenced by now. */
    private void look() throws InterruptedException {
      List<Member> now;
      try {
        now = membership.members();
      } catch (EtcdException e) {
        return;
      }
      states.replaceAll((name, state) ->
          state == State.CONFIRMED
              ? state
              : ReceiptRule.state(
                  false,
                  now.stream().filter(one -> one.name().equals(name)).findFirst().orElse(null)));
    }

    private void ask(Member member, CountDownLatch open) {
      try {
        while (System.nanoTime() < deadline && !askOnce(member)) {
          TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
        }
      } catch (InterruptedException e) {
        return;
      }
      open.countDown();
    }

    private boolean askOnce(Member member) throws InterruptedException {
      long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
      try {
        PurgePosition at = positions.ask(member, revision, epoch, Math.clamp(left, 1, POLL_MILLIS));
        if (at != null) {
          told.merge(member.name(), at, (a, b) -> a.reaches(b) ? a : b);
        }
        if (!hasReached(at)) {
          reasons.put(member.name(), "is at revision " + (at == null ? "0" : at.revision()));
          return false;
        }
        states.put(member.name(), State.CONFIRMED);
        return true;
      } catch (IOException e) {
        reasons.put(member.name(), String.valueOf(e.getMessage()));
        return false;
      }
    }

    private boolean hasReached(@Nullable PurgePosition at) {
      return at != null && at.epoch().equals(epoch) && at.revision() >= revision;
    }

    private Receipt receipt(boolean isOwnDone, long start) {
      List<String> confirmed = new ArrayList<>();
      List<String> fenced = new ArrayList<>();
      Map<String, String> pending = new TreeMap<>();
      String self = membership.self().name();
      if (isOwnDone) {
        confirmed.add(self);
      } else {
        String problem = applier.problem();
        pending.put(self, problem == null ? "has not applied it yet" : problem);
      }
      new TreeMap<>(states)
          .forEach((name, state) -> {
            switch (state) {
              case CONFIRMED -> confirmed.add(name);
              case FENCED -> fenced.add(name);
              case PENDING -> pending.put(name, reasons.getOrDefault(name, "has not answered yet"));
            }
          });
      confirmed.sort(null);
      return new Receipt(
          revision,
          pending.isEmpty(),
          System.nanoTime() - start,
          List.copyOf(confirmed),
          List.copyOf(fenced),
          pending);
    }
  }
}
