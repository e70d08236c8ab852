package io.forebay.server.config;

import java.time.Duration;
import java.util.List;

/**
 * Configuration of HTTP/3, which is off unless listeners are configured.
 *
 * @param listeners names of TLS listeners that are spoken to by QUIC as well, on the UDP port of
 *     the same number
 * @param retryFrom number of pending handshakes from which clients must first validate their
 *     address; 0: always
 * @param altSvcMaxAge how long clients may cache the advertisement of HTTP/3; 0: none is sent
 * @param altSvcPort the advertised port; 0: that of the listener
 */
public record Http3Config(
    List<String> listeners, int retryFrom, Duration altSvcMaxAge, int altSvcPort) {

  public static final Http3Config OFF = new Http3Config(List.of(), 0, Duration.ZERO, 0);

  /** Whether the listener of that name has HTTP/3. */
  public boolean isOn(String listener) {
    return listeners.contains(listener);
  }
}
