/**
 * Digests of bodies (RFC 9530): those that an origin sends are compared with the body, and those
 * that a route wants are computed, while the body passes. Start at {@link BodyDigest}.
 *
 * <pre>
 *   fields of a response ──► DigestFields: what the origin says
 *   bytes of the body ─────► BodyDigest ─┬─ the first 16 KiB on the loop
 *                                        └─ the others in DigestThreads, in order, one turn at a time
 *                                              └──► DigestLine: the line of the stored head
 *
 *   fields of a request ───► DigestPreferences ──► the digests of a stored head that the client wants
 * </pre>
 *
 * A route without {@link DigestPolicy} costs nothing, and a node without such a route has no
 * threads for it.
 */
@NullMarked
package io.forebay.server.digest;

import org.jspecify.annotations.NullMarked;
