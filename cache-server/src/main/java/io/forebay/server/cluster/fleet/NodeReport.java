package io.forebay.server.cluster.fleet;

import org.jspecify.annotations.Nullable;

/**
 * A node's report of its configuration.
 *
 * @param version of the document in force there; 0 for none, -1 where there is no report
 * @param failed the version that the node last refused; 0 for none
 * @param problem why it refused it
 * @param mark roll-out, stage and version that {@code traffic} belongs to
 * @param traffic of the node since that stage began
 * @param before traffic of the node until then
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
