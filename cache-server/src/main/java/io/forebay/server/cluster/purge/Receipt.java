package io.forebay.server.cluster.purge;

import java.util.List;
import java.util.Map;

/**
 * The nodes on which a purge is true.
 *
 * @param revision of the log at which the purge is; 0 where it is queued
 * @param isAcknowledged whether every node that the purge waited for has confirmed it or is fenced
 * @param confirmed nodes that have it in force
 * @param fenced nodes that validate stored objects before they use them, until they have applied it
 * @param pending all other nodes, each with the reason
 * @param isQueued whether it is in force on the node that took it, and not in the log yet; the node
 *     writes it to the log once etcd accepts it
 */
public record Receipt(
    long revision,
    boolean isAcknowledged,
    long tookNanos,
    List<String> confirmed,
    List<String> fenced,
    Map<String, String> pending,
    boolean isQueued) {}
