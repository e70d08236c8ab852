package io.forebay.server.origin;

import io.forebay.server.config.ServerConfig.OriginConfig;
import io.forebay.server.config.ServerConfig.OriginServerConfig;
import io.netty.handler.ssl.SslContext;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * One server of an origin, ready for use. Each address that its host stands for is an {@link
 * EndpointPool} on each loop.
 *
 * @param config of the origin
 * @param settings of the server
 * @param host name or address literal, without brackets
 * @param literal the address where {@code host} is one
 * @param tls what https connections are made with; null for http
 */
record OriginServer(
    OriginConfig config,
    OriginServerConfig settings,
    String host,
    int port,
    @Nullable InetAddress literal,
    @Nullable SslContext tls) {

  boolean isTls() {
    return tls != null;
  }

  /** The Host field for this server when a request brings none. */
  String authority() {
    String bracketed = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
    return port == (isTls() ? 443 : 80) ? bracketed : bracketed + ":" + port;
  }

  /** The name asked for and verified in TLS, where a name never ends in a dot. */
  String tlsName() {
    return host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
  }

  /** How log lines and error pages name it. */
  String label() {
    return "origin " + config.name() + " (" + settings.url() + ")";
  }
}
