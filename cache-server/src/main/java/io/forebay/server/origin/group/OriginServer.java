package io.forebay.server.origin.group;

import io.forebay.server.config.ProxyConfig;
import io.forebay.server.config.ServerConfig.OriginConfig;
import io.forebay.server.config.ServerConfig.OriginProtocol;
import io.forebay.server.config.ServerConfig.OriginServerConfig;
import io.forebay.server.origin.dns.NameResolver;
import io.netty.handler.ssl.SslContext;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * One server of an origin, ready for use. Each address that its host stands for is an endpoint of
 * its own; a Unix-domain socket is one.
 *
 * @param config of the origin
 * @param settings of the server
 * @param host name or address literal, without brackets
 * @param literal the address where {@code host} is one
 * @param socket the file of a Unix-domain socket, or null
 * @param service an SRV name whose records have the addresses, or null; {@code host} is its domain
 *     then
 * @param base of the paths of requests
 * @param tls what https connections are made with that are HTTP/1.1; null for http
 * @param sharedTls the same for those that may be HTTP/2; null where none may
 * @param isAdded whether the origin had other servers, and not this one, before the latest reload
 */
public record OriginServer(
    OriginConfig config,
    OriginServerConfig settings,
    String host,
    int port,
    @Nullable InetAddress literal,
    @Nullable Path socket,
    @Nullable String service,
    BasePath base,
    @Nullable SslContext tls,
    @Nullable SslContext sharedTls,
    boolean isAdded) {

  public boolean isTls() {
    return tls != null;
  }

  /** The HTTP proxy through which it is reached, or null. */
  public @Nullable OriginUrl proxy() {
    ProxyConfig proxy = config.egress().proxy();
    return proxy == null ? null : OriginUrl.parse(config.name(), proxy.url());
  }

  /** The only address of a server without a name, or with one that a proxy resolves; or null. */
  public @Nullable SocketAddress fixedAddress() {
    if (config.egress().proxy() != null) {
      return literal == null
          ? InetSocketAddress.createUnresolved(host, port)
          : new InetSocketAddress(literal, port);
    }
    if (socket != null) {
      return UnixDomainSocketAddress.of(socket);
    }
    return literal == null ? null : new InetSocketAddress(literal, port);
  }

  /** Whether its host has to be resolved by this node. */
  public boolean isNamed() {
    return literal == null && socket == null && config.egress().proxy() == null;
  }

  /** What a resolver is asked for if it is named. */
  public String lookupName() {
    return service == null ? host : NameResolver.SRV + service;
  }

  /** The name that is resolved, for people. */
  public String shownName() {
    return service == null ? host : service + " (SRV)";
  }

  /** What is spoken. Without TLS nothing can be negotiated, and both stands for HTTP/1.1. */
  public OriginProtocol protocol() {
    OriginProtocol wanted = config.protocol();
    return wanted == OriginProtocol.AUTO && !isTls() ? OriginProtocol.HTTP1 : wanted;
  }

  /** The Host field for this server when a request brings none. */
  public String authority() {
    String bracketed = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
    return port == (isTls() ? 443 : 80) ? bracketed : bracketed + ":" + port;
  }

  /**
   * The name asked for and verified in TLS, where a name never ends in a dot. Of an SRV name it is
   * the domain, not a target: who can forge answers of name servers must not choose it (RFC 9525,
   * section 6.1).
   */
  public String tlsName() {
    String configured = config.tls().serverName();
    if (configured != null && configured.startsWith("[")) {
      return configured.substring(1, configured.length() - 1);
    }
    String name = configured == null ? host : configured;
    return name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
  }

  /** How log lines and error pages name it. */
  public String label() {
    return "origin " + config.name() + " (" + settings.url() + ")";
  }
}
