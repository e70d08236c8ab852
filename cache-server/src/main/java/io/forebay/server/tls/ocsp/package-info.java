/**
 * OCSP (RFC 6960): requests to responders and verified answers for stapling.
 *
 * <p>Start at {@link Ocsp}; {@link OcspClient} asks the responder.
 */
@NullMarked
package io.forebay.server.tls.ocsp;

import org.jspecify.annotations.NullMarked;
