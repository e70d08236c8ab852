package io.forebay.server.http;

import org.jspecify.annotations.Nullable;

/**
 * What a client and we have settled on in the handshake of a connection; made once for each.
 *
 * @param version {@code TLSv1.3}, {@code TLSv1.2}
 * @param cipher by its name in the standards
 * @param serverName whom the client asked for (SNI), or null where it did not say
 * @param resumed whether it went on with an earlier session; null where that is not to be known
 */
public record TlsSession(
    String version, String cipher, @Nullable String serverName, @Nullable Boolean resumed) {}
