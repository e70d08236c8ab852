/**
 * The admin API: its listener, its routes, and what each endpoint does.
 *
 * <p>Start at {@link AdminServer}. What it answers is in {@code report}; what it asks of the node
 * is {@link io.forebay.server.node.NodeControl}.
 */
@NullMarked
package io.forebay.server.admin;

import org.jspecify.annotations.NullMarked;
