package io.forebay.server.cluster;

import java.util.List;

/**
 * Counters of a node, for {@code cluster status}. All except {@code connections} only grow.
 *
 * @param requests of clients
 * @param hits answered without waiting for an origin
 * @param lookups all that could have been hits
 * @param connections of clients, open now
 * @param notReady codes of the reasons why the node should get no traffic
 */
public record NodeLoad(
    long requests, long hits, long lookups, long connections, List<String> notReady) {}
