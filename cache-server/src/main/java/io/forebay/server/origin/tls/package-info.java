/**
 * What the node checks of an origin's certificate, and what it shows of itself.
 *
 * <pre>
 *   OriginCredentials   the files: trust anchors, certificate and key of the client
 *   PinnedTrustManager  chain and name as ever, then: is a pinned key on the path?
 *
 *   leaf ──signed by──► intermediate ──signed by──► …     what the server sends
 *    └─ pinned? yes: done   └─ pinned? yes: done
 * </pre>
 */
@NullMarked
package io.forebay.server.origin.tls;

import org.jspecify.annotations.NullMarked;
