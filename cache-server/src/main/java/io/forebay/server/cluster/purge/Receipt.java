package io.forebay.server.cluster.purge;

import java.util.List;
import java.util.Map;

/**
 * On which nodes a purge is true.
 *
 * @param revision of the log at which the purge is; 0 where it is queued
 * @param isAcknowledged whether no node that was waited for may still use what it names
 * @param confirmed nodes that have it in force
 * @param fenced nodes that use nothing without validation, and apply it before they do
 * @param pending the others with the reason
 * @param isQueued whether it is not in the log yet: it is in force on the node that took it, which
 *     writes it to the log once that can be written
 */
public record Receipt(
    long revision,
    boolean isAcknowledged,
    long tookNanos,
    List<String> confirmed,
    List<String> fenced,
    Map<String, String> pending,
    boolean isQueued) {}
