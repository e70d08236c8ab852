/**
 * A client of etcd's v3 API by its JSON gateway, with the JDK's HTTP client.
 *
 * <pre>
 *   EtcdClient ── POST /v3/kv/txn, /v3/lease/… ──▶ a member of etcd; on failure the next one
 *   EtcdClient.watch ── POST /v3/watch ──▶ EtcdWatch: one JSON object a line, bounded
 * </pre>
 *
 * <p>Keys and values are text here and base64 on the wire. Start at {@link EtcdClient}.
 */
@NullMarked
package io.forebay.server.cluster.etcd;

import org.jspecify.annotations.NullMarked;
