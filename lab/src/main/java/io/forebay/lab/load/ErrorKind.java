package io.forebay.lab.load;

import java.util.Locale;
import java.util.Map;

/** What became of requests that did not end well. */
public enum ErrorKind {
  /** No connection: refused, unreachable, or not within the time-out. */
  CONNECT,
  /** The connection or the stream ended before the response began, or was reset. */
  RESET,
  /** The last byte had not come when the time was over. */
  TIMEOUT,
  /** Another status than 200. */
  STATUS,
  /** The body ended early, or is shorter than the plan says. */
  SHORT,
  /** The handshake failed. */
  TLS,
  /** Never sent: no connection was free until the time was over. */
  LATE,
  /** The body is longer than the plan says, or has other bytes than the origin makes. */
  BODY,
  /** All else, such as a malformed response. */
  OTHER;

  private final String label = name().toLowerCase(Locale.ROOT);

  /** Counts of the kind, unless there are none. */
  void put(Map<String, Long> errors, long count) {
    if (count > 0) {
      errors.put(label, count);
    }
  }

  /** The name in results. */
  public String label() {
    return label;
  }
}
