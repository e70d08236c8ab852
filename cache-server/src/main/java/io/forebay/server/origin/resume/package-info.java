/**
 * Bodies that break off and go on: the rest is asked for as a range, under the same strong entity
 * tag, from another server if there is one.
 *
 * <pre>
 *   server A   200, etag "x", length 1000  ──► bytes 0 to 399 ──✕ connection lost
 *   server B   GET, Range: bytes=400-, If-Range: "x"
 *              206, etag "x", bytes 400-999/1000 ──► bytes 400 to 999
 *   listener   200, length 1000, 1000 bytes
 * </pre>
 *
 * <p>Start at {@link ResumingOriginClient}. An answer that is not exactly the rest is dropped, and
 * the body stays broken off.
 */
@NullMarked
package io.forebay.server.origin.resume;

import org.jspecify.annotations.NullMarked;
