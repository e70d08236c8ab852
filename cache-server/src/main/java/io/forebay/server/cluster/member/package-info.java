/**
 * The nodes of a cluster, and the time until which this one may use stored objects.
 *
 * <pre>
 *   etcd: members/NODE          nodes of the cluster, until an operator forgets them
 *         alive/NODE (lease)    nodes that prove that they know all purges
 *
 *   Heartbeat, each second ── lease prolonged, newest purge read, applied here? ──▶ Fence.extend
 *   event loops ── isPast? ──▶ what is stored is used, or validated first
 * </pre>
 *
 * <p>A lease ends later than the fence that a heartbeat extends with it. So once {@code alive/NODE}
 * is gone, the node validates stored objects before it uses them. Start at {@link Fence}.
 */
@NullMarked
package io.forebay.server.cluster.member;

import org.jspecify.annotations.NullMarked;
