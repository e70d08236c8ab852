package io.forebay.server.cluster.fleet;

import io.forebay.server.cluster.etcd.EtcdException;
import io.forebay.server.cluster.fleet.FleetStore.Current;
import io.forebay.server.cluster.fleet.RolloutWatch.Decision;
import io.forebay.server.cluster.member.FleetConfigState;
import io.forebay.server.cluster.member.Member;
import io.forebay.server.cluster.member.Membership;
import io.forebay.server.config.ConfigText;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts the version in force that this node should have, reports the outcome, and watches roll-outs.
 * It uses what the heartbeat has read from etcd, and reads more only after a change. One thread,
 * {@code fleet}.
 */
final class FleetAgent implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(FleetAgent.class);
  private static final long PERIOD_MILLIS = 1_000;

  /** Time between reports of traffic during a roll-out; each is a write to etcd. */
  private static final long FIGURES_NANOS = TimeUnit.SECONDS.toNanos(2);

  /**
   * Time after which the agent tries a refused version again, since the node's own file may have
   * changed.
   */
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final FleetStore store;
  private final Membership membership;
  private final FleetNode node;
  private final SharedTls shared;
  private final FleetDirectory directory;
  private final LastGoodDocument lastGood;
  private final LongSupplier nanoTime;
  private final Clock clock;
  private final RolloutWatch watch = new RolloutWatch(RolloutWatch.PATIENCE);
  private final CountDownLatch closing = new CountDownLatch(1);
  private final Thread thread;

  private volatile long version;
  private volatile @Nullable String problem;

  // Confined to the thread.
  private @Nullable Path main;
  private long failed;
  private String failedAt = "";
  private long failedNanos;
  private @Nullable String failure;
  private long saved = -1;
  private String mark = "";
  private TrafficCounts markedAt = TrafficCounts.NONE;
  private TrafficCounts shown = TrafficCounts.NONE;
  private long shownNanos;

  /**
   * An agent.
   *
   * @param started the document of this start; null for none
   */
  FleetAgent(
      FleetStore store,
      Membership membership,
      FleetNode node,
      SharedTls shared,
      FleetDirectory directory,
      ConfigText.@Nullable Fleet started,
      LongSupplier nanoTime,
      Clock clock) {
    this.store = store;
    this.membership = membership;
    this.node = node;
    this.shared = shared;
    this.directory = directory;
    this.lastGood = new LastGoodDocument(directory.root());
    this.nanoTime = nanoTime;
    this.clock = clock;
    this.version = started == null ? 0 : started.version();
    this.main = started == null ? null : Path.of(started.file());
    this.thread = Thread.ofPlatform().daemon(true).name("fleet").unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  /** The version in force here; 0 for none. */
  long version() {
    return version;
  }

  /** A problem that an operator should know of; null for none. */
  @Nullable String problem() {
    return problem;
  }

  private void run() {
    try {
      do {
        try {
          step();
          problem = failure;
        } catch (EtcdException | FleetException | IOException e) {
          problem = String.valueOf(e.getMessage());
          LOG.debug("the fleet's configuration: {}", problem);
        } catch (RuntimeException e) {
          problem = "an internal error, see the log of this node";
          LOG.error("the fleet's configuration failed", e);
        }
      } while (!closing.await(PERIOD_MILLIS, TimeUnit.MILLISECONDS));
    } catch (InterruptedException e) {
      // Closed.
    }
  }

  private void step() throws EtcdException, FleetException, IOException, InterruptedException {
    FleetConfigState state = membership.config();
    if (state == null) {
      return;
    }
    shared.step(state);
    Current current = FleetStore.current(state.rollout());
    Rollout rollout = current.rollout();
    Member self = membership.self();
    // etcd is new or was emptied: the node keeps the document that it has.
    boolean isUnknown = current.revision() == 0;
    long wanted = isUnknown ? version : RolloutPlan.wanted(rollout, self.name(), self.group());
    if (wanted == version) {
      failed = 0;
      failure = null;
    } else if (isWorthTrying(wanted, rollout)) {
      take(wanted, rollout);
    }
    if (wanted == version && !rollout.isRolling() && !isUnknown) {
      settle();
    }
    report(rollout);
    decide(current, reports(state));
  }

  // --- the node's own version -------------------------------------------------------------------

  private boolean isWorthTrying(long wanted, Rollout rollout) {
    return wanted != failed
        || !failedAt.equals(rollout.id())
        || (!rollout.isRolling() && nanoTime.getAsLong() - failedNanos >= RETRY_NANOS);
  }

  private void take(long wanted, Rollout rollout)
      throws EtcdException, FleetException, IOException, InterruptedException {
    Path unpacked = null;
    List<String> errors;
    if (wanted == 0) {
      errors = node.apply(null, "fleet");
    } else {
      DocumentVersion stored = store.version(wanted);
      unpacked = directory.unpack(wanted, stored.manifest(), store.document(stored.manifest()));
      errors =
          node.apply(
              new ConfigText.Fleet(unpacked.toString(), wanted), "fleet, " + stored.author());
    }
    if (errors.isEmpty()) {
      LOG.info("version {} of the fleet's document is in force", wanted);
      version = wanted;
      main = unpacked;
      failed = 0;
      failure = null;
      return;
    }
    failed = wanted;
    failedAt = rollout.id();
    failedNanos = nanoTime.getAsLong();
    failure =
        "version " + wanted + " of the fleet's document is refused: " + String.join("; ", errors);
    LOG.error("{}", failure);
  }

  /** A version that all nodes should have becomes the last good document. */
  private void settle() throws EtcdException, FleetException, IOException, InterruptedException {
    if (saved == version) {
      return;
    }
    Path kept = main;
    if (version == 0) {
      lastGood.delete();
    } else {
      lastGood.save(version, store.document(store.version(version).manifest()));
    }
    directory.keep(kept == null ? Set.of() : new HashSet<>(List.of(kept)));
    saved = version;
  }

  private void report(Rollout rollout) {
    long now = nanoTime.getAsLong();
    String current = rollout.isRolling() ? RolloutPlan.mark(rollout, version) : "";
    TrafficCounts sinceStart = node.traffic();
    if (!current.equals(mark)) {
      mark = current;
      markedAt = sinceStart;
      shown = TrafficCounts.NONE;
      shownNanos = now;
    } else if (!mark.isEmpty() && now - shownNanos >= FIGURES_NANOS) {
      shown = sinceStart.minus(markedAt);
      shownNanos = now;
    }
    membership.report(
        FleetJson.text(
            new NodeReport(
                membership.self().name(),
                membership.self().group(),
                true,
                version,
                failed,
                failure,
                node.isReady(),
                mark,
                shown,
                mark.isEmpty() ? TrafficCounts.NONE : markedAt)));
  }

  // --- the roll-out -----------------------------------------------------------------------------

  static List<NodeReport> reports(FleetConfigState state) {
    List<NodeReport> reports = new ArrayList<>();
    for (Member member : state.members()) {
      reports.add(
          FleetJson.report(
              member.name(),
              member.group(),
              member.isAlive(),
              member.isAlive() ? state.reports().get(member.name()) : null));
    }
    return reports;
  }

  private void decide(Current current, List<NodeReport> nodes)
      throws EtcdException, InterruptedException {
    Rollout rollout = current.rollout();
    String self = membership.self().name();
    String at = clock.instant().toString();
    switch (watch.step(rollout, nodes, nanoTime.getAsLong())) {
      case Decision.Wait _ -> {}
      case Decision.Advance(TrafficCounts others, String why) -> {
        if (store.change(rollout.advance(others, why, self, at), current.revision())) {
          LOG.info("version {} of the fleet's document: {}", rollout.candidate(), why);
        }
      }
      case Decision.GiveUp(String why) -> {
        if (store.change(rollout.giveUp(why, self, at), current.revision())) {
          LOG.error(
              "version {} of the fleet's document is rolled back: {}", rollout.candidate(), why);
        }
      }
    }
  }

  /** Ends the thread: after the return the agent puts no document in force. */
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
