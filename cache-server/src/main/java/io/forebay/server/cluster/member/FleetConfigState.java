package io.forebay.server.cluster.member;

import io.forebay.server.cluster.etcd.KeyValue;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The state of the fleet's configuration in etcd, as a node has read it.
 *
 * @param rollout the value of {@code config/rollout}; null where there is none
 * @param reports reports of the nodes that are alive, as JSON, by the names of the nodes
 * @param shared TLS state that nodes share: ticket keys, answers to ACME validations, orders
 * @param revision of etcd when {@code rollout} and {@code shared} were read
 * @param readNanos by {@link System#nanoTime}, before {@code rollout} and {@code shared} were read
 */
public record FleetConfigState(
    @Nullable KeyValue rollout,
    List<Member> members,
    Map<String, String> reports,
    List<KeyValue> shared,
    long revision,
    long readNanos) {}
