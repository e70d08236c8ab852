package io.forebay.server.cluster.member;

import io.forebay.server.cluster.etcd.KeyValue;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a node has read of the fleet's configuration.
 *
 * @param rollout the value of {@code config/rollout}; null where there is none
 * @param reports what nodes that are alive say, as JSON, by their names
 * @param shared what nodes share of TLS
 */
public record FleetConfigState(
    @Nullable KeyValue rollout,
    List<Member> members,
    Map<String, String> reports,
    List<KeyValue> shared) {}
