/**
 * {@code forebay cluster config}: the configuration that the nodes of a cluster share.
 *
 * <pre>
 *   push DIR ─▶ DocumentFiles ─▶ parts ─▶ POST /v1/cluster/config/parts, one after the other
 *                                  └────▶ POST /v1/cluster/config/push
 *   history ◀── GET /v1/cluster/config         promote, rollback ─▶ POST …
 *   diff    ◀── GET /v1/cluster/config/changes/FROM/TO
 * </pre>
 */
@NullMarked
package io.forebay.cli.fleet;

import org.jspecify.annotations.NullMarked;
