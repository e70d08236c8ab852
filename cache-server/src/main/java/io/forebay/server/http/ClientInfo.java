package io.forebay.server.http;

import io.forebay.server.counters.Protocol;
import io.forebay.server.counters.ServedCounters;
import io.forebay.server.network.IpAddress;
import io.forebay.server.rule.ClientCertificate;
import io.forebay.server.rule.RuleClient;
import org.jspecify.annotations.Nullable;

/**
 * The connection on which a request arrived.
 *
 * @param address the peer's IP address, without port
 * @param port the peer's port
 * @param protocol as logged: {@code HTTP/1.0}, {@code HTTP/1.1}, {@code HTTP/2}, {@code HTTP/3}
 * @param listener name of the listener, a metric label
 * @param isRelayed whether the other end is a proxy, by the PROXY protocol or a Unix-domain socket
 * @param tls what the handshake came to; null for plain text
 * @param counterCell where {@link ServedCounters} count its listener and protocol
 * @param ip the address as a number
 * @param node the node of the cluster that has connected, by its certificate; null for clients
 */
public record ClientInfo(
    String address,
    int port,
    String protocol,
    String listener,
    boolean isRelayed,
    @Nullable TlsSession tls,
    int counterCell,
    IpAddress ip,
    @Nullable String node)
    implements RuleClient {

  public ClientInfo(
      String address,
      int port,
      String protocol,
      String listener,
      boolean isRelayed,
      @Nullable TlsSession tls,
      int counterCell) {
    this(
        address,
        port,
        protocol,
        listener,
        isRelayed,
        tls,
        counterCell,
        IpAddress.of(address),
        null);
  }

  @Override
  public @Nullable String tlsVersion() {
    return tls == null ? null : tls.version();
  }

  @Override
  public @Nullable String tlsServerName() {
    return tls == null ? null : tls.serverName();
  }

  @Override
  public @Nullable String ja4() {
    return tls == null ? null : tls.ja4();
  }

  @Override
  public @Nullable ClientCertificate certificate() {
    return tls == null ? null : tls.certificate();
  }

  /**
   * A client of a listener.
   *
   * @param listenerNumber as {@link io.forebay.server.counters.CounterNames#listeners()} numbers it
   */
  public static ClientInfo of(
      String address,
      int port,
      Protocol protocol,
      String listener,
      int listenerNumber,
      boolean isRelayed,
      @Nullable TlsSession tls) {
    return new ClientInfo(
        address,
        port,
        protocol.label(),
        listener,
        isRelayed,
        tls,
        ServedCounters.listenerCell(listenerNumber, protocol));
  }

  /** The same client, which is a node of the cluster. */
  public ClientInfo ofNode(String name) {
    return new ClientInfo(address, port, protocol, listener, isRelayed, tls, counterCell, ip, name);
  }

  /** The same client by another protocol. */
  public ClientInfo speaking(Protocol other) {
    int cell = ServedCounters.otherProtocol(counterCell, other);
    return new ClientInfo(address, port, other.label(), listener, isRelayed, tls, cell, ip, node);
  }

  /** The same client from another address. */
  public ClientInfo at(String newAddress, int newPort) {
    return new ClientInfo(newAddress, newPort, protocol, listener, isRelayed, tls, counterCell);
  }

  /** The same client after its handshake. */
  public ClientInfo secured(TlsSession session) {
    return new ClientInfo(
        address, port, protocol, listener, isRelayed, session, counterCell, ip, node);
  }
}
