package io.forebay.server.origin.limit;

/**
 * The adaptive limit of an origin at this moment, for reports.
 *
 * @param limit requests that may be in progress
 * @param inProgress those that are
 * @param isMeasuring whether the limit is halved for a moment
 * @param baseMillis latency of the origin with little to do; 0 if not known yet
 * @param latencyMillis the present one; 0 if not known yet
 */
public record LimitStatus(
    String origin,
    int limit,
    int inProgress,
    boolean isMeasuring,
    double baseMillis,
    double latencyMillis) {}
