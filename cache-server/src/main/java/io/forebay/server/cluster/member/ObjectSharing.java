package io.forebay.server.cluster.member;

/**
 * How a node shares objects.
 *
 * @param address {@code HOST:PORT} where other nodes ask for objects
 * @param tier counted from the clients
 * @param weight its share of the keys of its group
 */
public record ObjectSharing(String address, int tier, int weight) {}
