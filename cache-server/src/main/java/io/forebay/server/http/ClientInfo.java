package io.forebay.server.http;

import org.jspecify.annotations.Nullable;

/**
 * The connection an exchange came by.
 *
 * @param address the peer's IP address, without port
 * @param port the peer's port
 * @param protocol as logged: {@code HTTP/1.0}, {@code HTTP/1.1}, {@code HTTP/2}, {@code HTTP/3}
 * @param listener name of the listener, a metric label
 * @param isRelayed whether the other end is a proxy, by the PROXY protocol or a Unix-domain socket
 * @param tls what the handshake came to; null for plain text
 */
public record ClientInfo(
    String address,
    int port,
    String protocol,
    String listener,
    boolean isRelayed,
    @Nullable TlsSession tls) {

  /** The same client by another protocol. */
  public ClientInfo speaking(String other) {
    return new ClientInfo(address, port, other, listener, isRelayed, tls);
  }

  /** The same client from another address. */
  public ClientInfo at(String newAddress, int newPort) {
    return new ClientInfo(newAddress, newPort, protocol, listener, isRelayed, tls);
  }

  /** The same client after its handshake. */
  public ClientInfo secured(TlsSession session) {
    return new ClientInfo(address, port, protocol, listener, isRelayed, session);
  }
}
