package io.forebay.server.origin;

import io.forebay.server.config.ServerConfig.OriginConfig;
import io.netty.handler.ssl.SslContext;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * One origin, ready for use: its configuration with the parsed URL and loaded certificates. An
 * origin that a reload did not change remains the same object, by which pools recognize it.
 *
 * @param host name or address literal, without brackets
 * @param literal the address where {@code host} is one
 * @param tls what https connections are made with; null for http
 * @param trustDigest identifies the content of the trust file; empty without one
 */
record Origin(
    OriginConfig config,
    String host,
    int port,
    @Nullable InetAddress literal,
    @Nullable SslContext tls,
    String trustDigest) {

  String name() {
    return config.name();
  }

  boolean isTls() {
    return tls != null;
  }

  /** The Host field for this origin when a request brings none. */
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
    return "origin " + config.name() + " (" + config.url() + ")";
  }
}
