package io.forebay.server.metric;

import io.forebay.server.cluster.ClusterFigures;
import io.forebay.server.peer.PeerCounters;
import io.micrometer.core.instrument.Meter;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToDoubleFunction;

/** Metrics of a node in a cluster. */
final class ClusterMetrics {
  private ClusterMetrics() {}

  /** A node that is alone has none of them. */
  static void add(MeterRegistrar meters, CachedReports from) {
    if (from.node().clusterFigures() == null) {
      return;
    }
    meters.counter(
        "forebay_cluster_fenced_requests",
        "Requests that needed a new answer of the origin because the node could not prove that it"
            + " knows all purges of its cluster.",
        () -> from.sum(c -> c.fenced));
    gauge(
        meters,
        from,
        "forebay_cluster_members",
        "Nodes that belong to the cluster.",
        ClusterFigures::members);
    gauge(
        meters,
        from,
        "forebay_cluster_alive",
        "Nodes of the cluster that are alive.",
        ClusterFigures::alive);
    gauge(
        meters,
        from,
        "forebay_cluster_position",
        "Revision of the log up to which purges are in force here.",
        ClusterFigures::revision);
    gauge(
        meters,
        from,
        "forebay_cluster_newest",
        "Revision of the newest purge in the log.",
        ClusterFigures::newest);
    gauge(
        meters,
        from,
        "forebay_cluster_proof_age_seconds",
        "Age of the latest proof that the node knows all purges; NaN until there is one.",
        ClusterFigures::proofAgeSeconds);
    gauge(
        meters,
        from,
        "forebay_cluster_fenced",
        "1 while stored responses are validated before use, or requests refused.",
        figures -> figures.isFenced() ? 1 : 0);
    counter(
        meters,
        from,
        "forebay_cluster_published_purges",
        "Purges that this node wrote to the log.",
        ClusterFigures::published);
    counter(
        meters,
        from,
        "forebay_cluster_unacknowledged_purges",
        "Purges of this node that another one had not confirmed in time.",
        ClusterFigures::unacknowledged);
    counter(
        meters,
        from,
        "forebay_cluster_confirm_seconds",
        "Time that purges of this node waited for confirmations.",
        ClusterFigures::confirmSeconds);
    counter(
        meters,
        from,
        "forebay_cluster_applied_purges",
        "Purges of the log that were put in force here.",
        ClusterFigures::applied);
    counter(
        meters,
        from,
        "forebay_cluster_gaps",
        "How often purges may have been missed, so that all that is stored was purged or has to be"
            + " validated.",
        ClusterFigures::gaps);
    counter(
        meters,
        from,
        "forebay_cluster_unreadable_purges",
        "Entries of the log that this version could not read, and took for purges of everything.",
        ClusterFigures::unreadable);
    addStates(meters, from);
    addPeers(meters, from);
  }

  /** Beside the others for the length of a method. */
  private static void addStates(MeterRegistrar meters, CachedReports from) {
    gauge(
        meters,
        from,
        "forebay_cluster_queued_purges",
        "Purges in force on this node that wait until the log can be written.",
        ClusterFigures::queued);
    gauge(
        meters,
        from,
        "forebay_cluster_draining",
        "1 while an operator drains the node.",
        figures -> figures.isDraining() ? 1 : 0);
    counter(
        meters,
        from,
        "forebay_cluster_position_questions",
        "Questions for their position that this node has asked other nodes, for receipts.",
        ClusterFigures::questions);
    counter(
        meters,
        from,
        "forebay_cluster_published_groups",
        "Groups of responses invalidated by clients that this node wrote to the log.",
        ClusterFigures::groupsPublished);
    counter(
        meters,
        from,
        "forebay_cluster_lost_groups",
        "Groups of responses invalidated by clients that were not written to the log because of a"
            + " bound: other nodes keep their responses.",
        ClusterFigures::groupsLost);
  }

  /** Of objects; a node that shares none has none of these either. */
  private static void addPeers(MeterRegistrar meters, CachedReports from) {
    PeerCounters counters = from.node().peerCounters();
    if (counters == null) {
      return;
    }
    String requests = "Requests for objects to other nodes, by what became of them.";
    asked(meters, requests, "store", counters.stored);
    asked(meters, requests, "fetch", counters.fetched);
    asked(meters, requests, "pass", counters.passed);
    asked(meters, requests, "declined", counters.declined);
    asked(meters, requests, "failed", counters.failed);
    meters.counter(
        "forebay_cluster_peer_ejections",
        "How often another node was not asked for objects for a while, because it had not answered.",
        counters.ejected::sum);
    meters.counter(
        "forebay_cluster_peer_lost_invalidations",
        "Invalidations by unsafe methods of clients that another node did not learn of.",
        counters.notForgotten::sum);
    String taken = "Requests for objects from other nodes.";
    taken(meters, taken, "taken", counters.taken);
    taken(meters, taken, "behind", counters.behind);
    taken(meters, taken, "refused", counters.refused);
  }

  private static void asked(MeterRegistrar meters, String help, String result, LongAdder of) {
    Meter ignored =
        meters.counter("forebay_cluster_peer_requests", help, of::sum, "result", result);
  }

  private static void taken(MeterRegistrar meters, String help, String result, LongAdder of) {
    Meter ignored =
        meters.counter("forebay_cluster_peer_received", help, of::sum, "result", result);
  }

  private static void gauge(
      MeterRegistrar meters,
      CachedReports from,
      String name,
      String help,
      ToDoubleFunction<ClusterFigures> value) {
    meters.gauge(name, help, () -> value(from, value));
  }

  private static void counter(
      MeterRegistrar meters,
      CachedReports from,
      String name,
      String help,
      ToDoubleFunction<ClusterFigures> value) {
    meters.counter(name, help, () -> value(from, value));
  }

  private static double value(CachedReports from, ToDoubleFunction<ClusterFigures> value) {
    ClusterFigures figures = from.node().clusterFigures();
    return figures == null ? Double.NaN : value.applyAsDouble(figures);
  }
}
