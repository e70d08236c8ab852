package io.forebay.server.cluster.fleet;

import io.forebay.server.cluster.etcd.EtcdException;
import io.forebay.server.cluster.fleet.FleetStore.Current;
import io.forebay.server.cluster.member.FleetConfigState;
import io.forebay.server.cluster.member.Member;
import io.forebay.server.cluster.member.Membership;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the state in etcd once a second: has the wanted version put in force, reports the
 * outcome, and has roll-outs watched. It uses what the heartbeat has read from etcd; more is read
 * only after a change. One thread, {@code fleet}.
 *
 * <pre>
 *   FleetConfigState ─▶ FleetAgent ─┬▶ SharedTickets        keys of session tickets
 *                                   ├▶ SharedChallenges     answers to ACME validations
 *                                   ├▶ ActiveDocument       the document in force on this node
 *                                   ├▶ Membership.report    with the counts of StageTraffic
 *                                   └▶ RolloutController    what becomes of the roll-out
 * </pre>
 */
final class FleetAgent implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(FleetAgent.class);
  private static final long PERIOD_MILLIS = 1_000;

  private final Membership membership;
  private final FleetNode node;
  private final SharedTickets tickets;
  private final SharedChallenges challenges;
  private final ActiveDocument document;
  private final StageTraffic traffic;
  private final RolloutController rollouts;
  private final CountDownLatch closing = new CountDownLatch(1);
  private final Thread thread;

  private volatile @Nullable String problem;
  private volatile boolean isAnswering;

  FleetAgent(
      Membership membership,
      FleetNode node,
      SharedTickets tickets,
      SharedChallenges challenges,
      ActiveDocument document,
      StageTraffic traffic,
      RolloutController rollouts) {
    this.membership = membership;
    this.node = node;
    this.tickets = tickets;
    this.challenges = challenges;
    this.document = document;
    this.traffic = traffic;
    this.rollouts = rollouts;
    this.thread = Thread.ofPlatform().daemon(true).name("fleet").unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  /** The version in force here; 0 for none. */
  long version() {
    return document.version();
  }

  /** Whether what the other nodes answer to ACME validations has been read once. */
  boolean isAnswering() {
    return isAnswering;
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
    // A failure of one does not stop the others.
    String ofChallenges = attempt(() -> challenges.step(state));
    isAnswering = true;
    String ofTickets = attempt(() -> tickets.step(state));
    String ofConfig = attempt(() -> follow(state));
    String ofTls = ofTickets != null ? ofTickets : ofChallenges;
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
    long wanted =
        isUnknown ? document.version() : RolloutPlan.wanted(rollout, self.name(), self.group());
    String late =
        attempt(() -> {
          if (isUnknown) {
            document.keep();
          } else {
            document.follow(wanted, rollout);
          }
        });
    // Also after a failure: if all nodes fail, one of them must report that and roll back.
    report(rollout);
    rollouts.step(current, state);
    if (late == null && wanted == document.version() && !rollout.isRolling() && !isUnknown) {
      document.settle();
    }
    String refused = document.whyRefused();
    String reason = refused == null ? late : refused;
    if (reason != null) {
      throw new FleetException(FleetException.Kind.REFUSED, reason);
    }
  }

  private void report(Rollout rollout) {
    traffic.update(rollout.isRolling() ? RolloutPlan.mark(rollout, document.version()) : "");
    membership.report(
        FleetJson.text(
            new NodeReport(
                membership.self().name(),
                membership.self().group(),
                true,
                document.version(),
                document.refused(),
                document.whyRefused(),
                node.isReady(),
                traffic.mark(),
                traffic.reported(),
                traffic.before())));
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
