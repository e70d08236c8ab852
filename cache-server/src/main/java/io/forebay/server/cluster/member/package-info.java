/**
 * The nodes of a cluster, and how long this one may use what it has stored.
 *
 * <pre>
 *   etcd: members/NODE          who belongs to the cluster, until it is forgotten
 *         alive/NODE (lease)    who has proven of late that it knows all purges, or is about to
 *
 *   Beat, each second ── lease prolonged, newest purge read, applied here? ──▶ Fence.extend
 *   event loops ── isPast? ──▶ what is stored is used, or validated first
 * </pre>
 *
 * <p>A lease outlives the fence that was extended with it. So once {@code alive/NODE} is gone, the
 * node uses nothing without validation. Start at {@link Fence}.
 */
@NullMarked
package io.forebay.server.cluster.member;

import org.jspecify.annotations.NullMarked;
