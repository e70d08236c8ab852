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

  /** The order whose version was found to be the one in force, by its content. */
  private String compared = "";

  /** Whether a document may be in force in part. */
  private boolean isUnsure;

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
      LastGoodDocument lastGood,
      ConfigText.@Nullable Fleet started,
      LongSupplier nanoTime,
      Clock clock) {
    this.store = store;
    this.membership = membership;
    this.node = node;
    this.shared = shared;
    this.directory = directory;
    this.lastGood = lastGood;
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
        step();
      } while (!closing.await(PERIOD_MILLIS, TimeUnit.MILLISECONDS));
    } catch (InterruptedException e) {
      // Closed.
    }
  }

  /** Follows the state in etcd once. */
  void step() throws InterruptedException {
    FleetConfigState state = membership.config();
    if (state == null) {
      return;
    }
    // A failure of one does not stop the other.
    String ofTls = attempt(() -> shared.step(state));
    String ofConfig = attempt(() -> follow(state));
    problem = ofConfig != null ? ofConfig : ofTls;
  }

  private interface Action {
    void run() throws EtcdException, FleetException, IOException, InterruptedException;
  }

  /** Why it failed; null where it did not. */
  private static @Nullable String attempt(Action action) throws InterruptedException {
    try {
      action.run();
      return null;
    } catch (EtcdException | FleetException | IOException e) {
      LOG.debug("the fleet's configuration: {}", e.getMessage());
      return String.valueOf(e.getMessage());
    } catch (RuntimeException | StackOverflowError | LinkageError e) {
      LOG.error("the fleet's configuration failed", e);
      return String.valueOf(e);
    }
  }

  private void follow(FleetConfigState state)
      throws EtcdException, FleetException, IOException, InterruptedException {
    Current current = FleetStore.current(state.rollout());
    Rollout rollout = current.rollout();
    Member self = membership.self();
    // etcd is new or was emptied: the node keeps the document that it has.
    boolean isUnknown = current.revision() == 0;
    long wanted = isUnknown ? version : RolloutPlan.wanted(rollout, self.name(), self.group());
    String late =
        attempt(() -> {
          if (isUnknown || isInForce(wanted, rollout)) {
            failed = 0;
            failure = null;
          } else if (isWorthTrying(wanted, rollout)) {
            take(wanted, rollout);
          }
        });
    // Also after a failure: if all nodes fail, one of them must report that and roll back.
    report(rollout);
    decide(current, state);
    if (late == null && wanted == version && !rollout.isRolling() && !isUnknown) {
      settle();
    }
    String reason = failure == null ? late : failure;
    if (reason != null) {
      throw new FleetException(FleetException.Kind.REFUSED, reason);
    }
  }

  /**
   * Whether a version is in force: its content, not its number alone, since an etcd that was
   * emptied or restored gives numbers out again. The hash is compared once for each order.
   */
  private boolean isInForce(long wanted, Rollout rollout)
      throws EtcdException, FleetException, InterruptedException {
    if (wanted != version || isUnsure) {
      return false;
    }
    Path has = main;
    if (wanted == 0 || has == null || compared.equals(rollout.id())) {
      return true;
    }
    boolean isSame = FleetDirectory.isOf(has, wanted, store.version(wanted).manifest());
    if (isSame) {
      compared = rollout.id();
    }
    return isSame;
  }

  // --- the node's own version -------------------------------------------------------------------

  private boolean isWorthTrying(long wanted, Rollout rollout) {
    return wanted != failed
        || !failedAt.equals(rollout.id())
        || (!rollout.isRolling() && nanoTime.getAsLong() - failedNanos >= RETRY_NANOS);
  }

  /** A document that cannot be read back or unpacked is refused like one that is wrong. */
  private void take(long wanted, Rollout rollout) throws EtcdException, InterruptedException {
    Path unpacked = null;
    List<String> errors;
    try {
      if (wanted == 0) {
        errors = apply(null, "fleet");
      } else {
        DocumentVersion stored = store.version(wanted);
        unpacked = directory.unpack(wanted, stored.manifest(), store.document(stored.manifest()));
        errors =
            apply(new ConfigText.Fleet(unpacked.toString(), wanted), "fleet, " + stored.author());
      }
    } catch (FleetException e) {
      errors = List.of(String.valueOf(e.getMessage()));
    } catch (IOException e) {
      errors = List.of(e.toString());
    }
    if (errors.isEmpty()) {
      compared = rollout.id();
      saved = -1;
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

  private List<String> apply(ConfigText.@Nullable Fleet document, String author) {
    try {
      List<String> errors = node.apply(document, author);
      isUnsure &= !errors.isEmpty();
      return errors;
    } catch (RuntimeException | StackOverflowError | LinkageError e) {
      // The next step applies the wanted version again.
      isUnsure = true;
      LOG.error("a document of the fleet failed", e);
      return List.of(e.toString());
    }
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

  private void decide(Current current, FleetConfigState state)
      throws EtcdException, InterruptedException {
    long now = nanoTime.getAsLong();
    if (!membership.isConfigCurrent(now)) {
      // While etcd does not answer, no node knows whether a stage holds.
      watch.pause();
      return;
    }
    Rollout rollout = current.rollout();
    String self = membership.self().name();
    String at = clock.instant().toString();
    switch (watch.step(rollout, reports(state), now)) {
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
