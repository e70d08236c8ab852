/**
 * The log of purges that the nodes of a cluster share.
 *
 * <pre>
 *   order ─▶ PurgeLog.publish ─▶ etcd, revision R
 *                                  │ watch, in order; pages where the log is compacted
 *                                  ▼
 *   PurgeApplier, thread purge-feed: LoggedPurges.apply, journal forced ─▶ position R ─▶ mirror
 *                                  │
 *   Confirmations ◀── position of each node, or proof that it is fenced ──▶ Receipt
 * </pre>
 *
 * <p>{@link GroupInvalidations} publishes the groups of responses that clients invalidate; nobody
 * waits for them. The latest purge of a scope replaces earlier ones of it in the log. {@link
 * PurgeCollector} deletes old ones and raises the floor; a node below the floor has a gap. Start at
 * {@link PurgeApplier}.
 */
@NullMarked
package io.forebay.server.cluster.purge;

import org.jspecify.annotations.NullMarked;
