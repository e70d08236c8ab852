package io.forebay.server.cluster.member;

/**
 * What a node that shares objects says of itself.
 *
 * @param address {@code HOST:PORT} where other nodes ask for objects
 * @param tier counted from the clients
 * @param weight its share of the keys of its group
 */
public record ObjectSharing(String address, int tier, int weight) {}
