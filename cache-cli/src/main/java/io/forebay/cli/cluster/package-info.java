/**
 * {@code forebay cluster}: the nodes of a cluster, and the position of each in the log of purges.
 *
 * <pre>
 *   GET /v1/cluster ──► StatusCommand ──► a table
 *            │               └──► --json, as it is
 *            └─────► TopReport, each second ──► TopScreen, or --json
 *   DrainCommand, UndrainCommand, ForgetCommand ──► POST /v1/cluster/…
 * </pre>
 */
@NullMarked
package io.forebay.cli.cluster;

import org.jspecify.annotations.NullMarked;
