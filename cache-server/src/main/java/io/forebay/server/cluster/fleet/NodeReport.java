package io.forebay.server.cluster.fleet;

import org.jspecify.annotations.Nullable;

/**
 * What a node says of its configuration.
 *
 * @param version of the document in force there; 0 for none, -1 where it does not say
 * @param failed the version that it refused last; 0 for none
 * @param problem why
 * @param mark of which roll-out, stage and version the traffic is
 * @param traffic since then
 * @param before traffic of the node up to then
 */
public record NodeReport(
    String node,
    String group,
    boolean isAlive,
    long version,
    long failed,
    @Nullable String problem,
    boolean isReady,
    String mark,
    TrafficCounts traffic,
    TrafficCounts before) {}
