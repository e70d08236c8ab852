package io.forebay.server.cluster.fleet;

import io.forebay.server.cluster.etcd.EtcdException;
import io.forebay.server.cluster.fleet.FleetStore.Current;
import io.forebay.server.cluster.fleet.RolloutWatch.Decision;
import io.forebay.server.cluster.member.FleetConfigState;
import io.forebay.server.cluster.member.Member;
import io.forebay.server.cluster.member.Membership;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides about roll-outs by the reports of all nodes. Each node has one; of two decisions etcd
 * takes the first. Confined to the thread of the agent.
 */
final class RolloutController {
  private static final Logger LOG = LoggerFactory.getLogger(RolloutController.class);

  private final FleetStore store;
  private final Membership membership;
  private final RolloutWatch watch = new RolloutWatch(RolloutWatch.PATIENCE);
  private final LongSupplier nanoTime;
  private final Clock clock;

  RolloutController(FleetStore store, Membership membership, LongSupplier nanoTime, Clock clock) {
    this.store = store;
    this.membership = membership;
    this.nanoTime = nanoTime;
    this.clock = clock;
  }

  /** The latest report of each node of the cluster. */
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

  /** Looks at the roll-out, and ends its stage or gives it up where that is due. */
  void step(Current current, FleetConfigState state) throws EtcdException, InterruptedException {
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
}
