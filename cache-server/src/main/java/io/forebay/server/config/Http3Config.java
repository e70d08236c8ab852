package io.forebay.server.config;

import java.time.Duration;
import java.util.List;

/**
 * Configuration of HTTP/3, which is off unless listeners are configured.
 *
 * @param listeners names of TLS listeners that are spoken to by QUIC as well, on the UDP port of
 *     the same number
 * @param retryFrom handshakes under way in the node from which clients have to show first that they
 *     are at the address they claim; 0: always
 * @param altSvcMaxAge how long clients may remember that HTTP/3 is to be had; 0: they are not told
 * @param altSvcPort the port that clients are told; 0: the listener's own
 */
public record Http3Config(
    List<String> listeners, int retryFrom, Duration altSvcMaxAge, int altSvcPort) {

  public static final Http3Config OFF = new Http3Config(List.of(), 0, Duration.ZERO, 0);

  /** Whether the listener of that name has HTTP/3. */
  public boolean isOn(String listener) {
    return listeners.contains(listener);
  }
}
