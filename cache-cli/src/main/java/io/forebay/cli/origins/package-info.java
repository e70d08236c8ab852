/**
 * {@code forebay origins}: the servers of a node's origins.
 *
 * <pre>
 *   GET /v1/origins ──► OriginsCommand ──► OriginsScreen ──► a table
 *                            └──► --json, as it is
 * </pre>
 */
@NullMarked
package io.forebay.cli.origins;

import org.jspecify.annotations.NullMarked;
