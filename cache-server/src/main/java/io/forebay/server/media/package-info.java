/**
 * Playlists and manifests of live channels and films: what they say and name, as values.
 *
 * <pre>
 *   text of a playlist ─► HlsPlaylist      durations, sequence, last segment and part, references
 *
 *   bytes of an MPD ─► MpdReader ─► MpdElement (tree) ─► SegmentUrls ─► DashManifest
 *                      bounded, no DTD                    UrlTemplate    representations with their URLs
 *
 *   either of a fill ─► ManifestLifetime   how long it is fresh
 * </pre>
 *
 * <p>Start at {@link HlsPlaylist} and {@link DashManifest}. Pure functions over bounded inputs from
 * outside: what is too long or malformed is none. Nothing here knows of requests or the store.
 */
@NullMarked
package io.forebay.server.media;

import org.jspecify.annotations.NullMarked;
