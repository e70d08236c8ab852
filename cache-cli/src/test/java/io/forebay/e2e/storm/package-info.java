/**
 * The checker of clusters: an acknowledged purge is true on all nodes, whatever fails.
 *
 * <pre>
 *   ClusterStormIT ──► unshare: network, mounts and processes of its own, which end with it
 *                        │
 *                        ▼
 *   StormMain    10.77.0.1, origin, clients ────────────────┐ bridge
 *                edge-0 … edge-2, each in a network namespace ┤   Cut: packets that are dropped
 *                etcd-0 … etcd-2, each in a network namespace ┘        and counted
 *
 *   Purgers:  raise versions at the origin ─► purge, wait for all ─► acknowledged  ─┐
 *   Readers:  note what is acknowledged ─► read ─► older than that? an offence ◄────┘  (History)
 *   Storm:    two rounds of faults (Nemesis), chosen by a seed; each says how it showed
 * </pre>
 *
 * <p>Start at {@link io.forebay.e2e.storm.ClusterStormIT}.
 */
@NullMarked
package io.forebay.e2e.storm;

import org.jspecify.annotations.NullMarked;
