package io.forebay.server.rule;

import org.jspecify.annotations.Nullable;

/** What conditions can ask about the connection of a request. */
public interface RuleClient {

  /** Name of the listener. */
  String listener();

  /** {@code HTTP/1.0}, {@code HTTP/1.1}, {@code HTTP/2} or {@code HTTP/3}. */
  String protocol();

  /** {@code TLSv1.2} or {@code TLSv1.3}; null for plain text. */
  @Nullable String tlsVersion();

  /** The name that the client asked for in its handshake (SNI), or null. */
  @Nullable String tlsServerName();

  /** The JA4 fingerprint of its handshake; null where there is none. */
  default @Nullable String ja4() {
    return null;
  }

  /** The certificate that it proved to have; null without one. */
  default @Nullable ClientCertificate certificate() {
    return null;
  }
}
