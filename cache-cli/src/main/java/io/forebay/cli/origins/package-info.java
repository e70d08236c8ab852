/**
 * {@code forebay origins}: the servers of a node's origins, and which of them are drained.
 *
 * <pre>
 *   GET /v1/origins ──► OriginsCommand ──► OriginsScreen ──► a table
 *                            └──► --json, as it is
 *   DrainCommand, UndrainCommand ──► POST /v1/origins/drain, /undrain
 * </pre>
 */
@NullMarked
package io.forebay.cli.origins;

import org.jspecify.annotations.NullMarked;
