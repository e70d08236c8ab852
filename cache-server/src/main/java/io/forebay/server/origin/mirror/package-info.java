/**
 * Copies of requests for other origins, whose responses nobody waits for.
 *
 * <pre>
 *   caller ── request ──► {@link MirroringOriginClient} ── request ──► origin ──► caller
 *                                  └── copy, within {@link MirrorLimiter} ──► shadow ──► dropped
 * </pre>
 */
@NullMarked
package io.forebay.server.origin.mirror;

import org.jspecify.annotations.NullMarked;
