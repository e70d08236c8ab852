/**
 * Configuration of a fleet: one document in etcd that takes effect node by node.
 *
 * <pre>
 *   push ─▶ DocumentParts ─▶ etcd: config/part/HASH, config/v/N, config/rollout
 *                                                        │ read with each heartbeat
 *   RolloutController (any node) ── stage baked, guard kept ──▶ next stage, or back
 *                                                        │
 *   FleetAgent of each node ── its version ─▶ ActiveDocument ─▶ FleetDirectory ─▶ FleetNode.apply
 *        └─▶ alive/NODE: version, failure, traffic        └─▶ LastGoodDocument, for a start
 *                                                             without etcd
 * </pre>
 *
 * <p>{@link io.forebay.server.cluster.fleet.RolloutPlan} says which version a node should have, and
 * {@link io.forebay.server.cluster.fleet.RolloutWatch} what becomes of a stage: both know neither
 * etcd nor clock. Start at {@link io.forebay.server.cluster.fleet.FleetConfig}.
 *
 * <p>Nodes also share TLS state: {@code SharedTickets} ticket keys, {@code SharedChallenges}
 * answers to ACME validations, {@code FleetOrderGroup} certificates, encrypted by {@code
 * CertificateCipher}.
 */
@NullMarked
package io.forebay.server.cluster.fleet;

import org.jspecify.annotations.NullMarked;
