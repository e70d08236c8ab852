package io.forebay.plugin;

import java.time.Instant;
import java.util.Optional;

/** The request of a client as it was sent, and what is known of its connection. */
public interface ClientRequest extends RequestHead {

  /** Name of the route. */
  String route();

  /** Name of the listener. */
  String listener();

  /** {@code HTTP/1.0}, {@code HTTP/1.1}, {@code HTTP/2} or {@code HTTP/3}. */
  String protocol();

  /** IP address of the client, by a trusted proxy where there is one; empty if not known. */
  String clientAddress();

  /** {@code TLSv1.2} or {@code TLSv1.3}; empty for plain text. */
  Optional<String> tlsVersion();

  /** The name that the client asked for in its handshake. */
  Optional<String> tlsServerName();

  /** When the request came. */
  Instant time();
}
