package io.forebay.server.tls;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The status of one certificate in use.
 *
 * @param name entry of the configuration, or {@code listener NAME}
 * @param kind {@code ecdsa} or {@code rsa}
 * @param hosts names it is shown for; empty where it is a listener's for all others
 * @param stapledUntil end of the OCSP answer that is stapled, or null where none is
 */
public record CertificateStatus(
    String name,
    String kind,
    List<String> hosts,
    Instant notAfter,
    @Nullable Instant stapledUntil) {}
