package io.forebay.server.cluster.etcd;

/**
 * A key of etcd with its value.
 *
 * @param revision at which it was written last
 */
public record KeyValue(String key, String value, long revision) {}
