/**
 * The running node as the admin API, the metrics and the warm-up see it.
 *
 * <pre>
 *   NodeStatus (read)   NodeQueries (ask)   PurgeControl (purge)
 *           └───────────────────┼──────────────────┘
 *                          NodeControl (and reload, disks, drains)
 * </pre>
 *
 * <p>Start at {@link NodeControl}; take the smallest of the interfaces that does.
 */
@NullMarked
package io.forebay.server.node;

import org.jspecify.annotations.NullMarked;
