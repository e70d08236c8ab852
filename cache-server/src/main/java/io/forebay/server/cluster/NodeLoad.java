package io.forebay.server.cluster;

import java.util.List;

/**
 * Counters of a node, for {@code cluster status} and {@code cluster top}. All except {@code
 * connections} only grow.
 *
 * @param requests of clients and of other nodes
 * @param nodeRequests those of other nodes
 * @param hits answered without waiting for an origin
 * @param lookups all that could have been hits
 * @param errors responses of class 5xx, and responses broken off
 * @param originRequests to origins, without those to other nodes
 * @param sentBytes to clients and other nodes, as they are sent
 * @param bodyBytes of responses that have ended
 * @param storedBytes those of them that came from the store
 * @param nodeBytes those of them that other nodes got
 * @param connections of clients, open now
 * @param notReady codes of the reasons why the node should get no traffic
 */
public record NodeLoad(
    long requests,
    long nodeRequests,
    long hits,
    long lookups,
    long errors,
    long originRequests,
    long sentBytes,
    long bodyBytes,
    long storedBytes,
    long nodeBytes,
    long connections,
    List<String> notReady) {}
