/**
 * Nodes that share purges through etcd: an acknowledged purge is true on all of them.
 *
 * <pre>
 *   admin, PURGE requests ─▶ Cluster ─▶ purge.PurgeLog ─▶ etcd ─▶ purge.PurgeApplier of each node
 *                               │                                        │
 *                               ◀── receipt ── purge.Confirmations ◀── positions, over peer
 *
 *   Heartbeat, each second: member.Membership ─▶ member.Fence ─▶ exchange
 *                                          └───▶ fleet.FleetAgent: the configuration they share
 * </pre>
 *
 * <p>Nothing of it is loaded where the configuration has no {@code cluster}. Start at {@link
 * Cluster}; docs/CLUSTER.md says what it promises.
 */
@NullMarked
package io.forebay.server.cluster;

import org.jspecify.annotations.NullMarked;
