package io.forebay.server.origin.probe;

/**
 * The probes of one server, for metrics.
 *
 * @param server its URL
 * @param probes that ended since it is probed
 * @param failures those of them that failed
 * @param passing addresses that pass
 * @param failing addresses that fail
 */
public record ServerProbes(
    String origin, String server, long probes, long failures, int passing, int failing) {}
