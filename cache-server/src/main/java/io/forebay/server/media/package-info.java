/**
 * Manifests of live and video: what a playlist says, bounded.
 *
 * <pre>
 *   text of a manifest ──▶ HlsPlaylist.parse ──▶ durations, sequence, last segment and part, references
 *                              │ too long, or a tag is malformed
 *                              ▼
 *                            none
 * </pre>
 *
 * <p>Pure functions over text. Manifests come from outside, so their size, lines and entries are
 * bounded; what a parser does not need, it skips.
 */
@NullMarked
package io.forebay.server.media;

import org.jspecify.annotations.NullMarked;
