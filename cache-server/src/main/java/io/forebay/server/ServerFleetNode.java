package io.forebay.server;

import io.forebay.server.cluster.Cluster;
import io.forebay.server.cluster.fleet.FleetNode;
import io.forebay.server.cluster.fleet.TrafficCounts;
import io.forebay.server.config.ConfigText;
import io.forebay.server.config.ConfigView;
import io.forebay.server.counters.LoopCounters;
import io.forebay.server.counters.LoopCounters.CacheResult;
import io.forebay.server.counters.LoopCounters.MethodClass;
import io.forebay.server.node.NodeControl.Reload;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** This node for the configuration of its fleet: reloads, readiness and counters. */
final class ServerFleetNode implements FleetNode {
  private static final int SERVER_ERRORS = 5;

  private final Server server;
  private final ReloadService reloading;

  ServerFleetNode(Server server, ReloadService reloading) {
    this.server = server;
    this.reloading = reloading;
  }

  @Override
  public List<String> apply(ConfigText.@Nullable Fleet document, String author) {
    Reload done = reloading.join(document, author, false);
    server.refreshMetrics();
    return done.errors();
  }

  @Override
  public Check check(ConfigText.Fleet document) {
    Reload outcome = reloading.join(document, "check", true);
    return new Check(outcome.changed(), outcome.errors());
  }

  @Override
  public List<ConfigView.Change> changes(
      ConfigText.@Nullable Fleet before, ConfigText.@Nullable Fleet after) {
    return reloading.changesTo(before, after);
  }

  @Override
  public boolean isReady() {
    return server.notReady().stream().allMatch(one -> one.code().equals(Cluster.DRAINING));
  }

  @Override
  public TrafficCounts traffic() {
    long requests = 0;
    long errors = 0;
    long lookups = 0;
    long hits = 0;
    for (LoopCounters loop : server.counters()) {
      for (MethodClass method : MethodClass.values()) {
        for (CacheResult result : CacheResult.values()) {
          for (int status = 1; status <= SERVER_ERRORS; status++) {
            long count = loop.requests(method, result, status);
            requests += count;
            errors += status == SERVER_ERRORS ? count : 0;
            switch (result) {
              case HIT, STALE -> {
                lookups += count;
                hits += count;
              }
              case REVALIDATED, JOINED, MISS -> lookups += count;
              default -> {}
            }
          }
        }
      }
    }
    return new TrafficCounts(requests, errors, lookups, hits);
  }
}
