package io.forebay.server.config;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How the addresses of an origin's servers are probed.
 *
 * @param path target of the request, with its query
 * @param method {@code GET} or {@code HEAD}
 * @param statuses such as {@code 200} and {@code 200-299}
 * @param text must be in the body, or null
 * @param textWithin bytes of the body in which it must be
 * @param host Host field, or null for that of other requests
 * @param port null for the server's
 * @param tlsName name asked for and verified in TLS, or null for the server's
 * @param jitter by how much intervals vary, in percent
 * @param healthy successes in a row after which a failing address passes
 * @param unhealthy failures after which an address fails, in a row or in the window
 * @param window so many of the latest results are looked at for {@code unhealthy}; 0 if only those
 *     in a row count
 * @param initial what an address is until its first result
 */
public record ProbeConfig(
    Type type,
    String path,
    String method,
    List<String> statuses,
    @Nullable String text,
    long textWithin,
    @Nullable String host,
    @Nullable Integer port,
    @Nullable String tlsName,
    Duration interval,
    Duration timeout,
    int jitter,
    int healthy,
    int unhealthy,
    int window,
    Initial initial) {

  /** Most results that a window can have. */
  static final int MAX_WINDOW = Long.SIZE;

  /** No probes. */
  public static final ProbeConfig NONE =
      new ProbeConfig(
          Type.OFF,
          "/",
          "GET",
          List.of("200-299"),
          null,
          16 << 10,
          null,
          null,
          null,
          Duration.ofSeconds(5),
          Duration.ofSeconds(2),
          10,
          2,
          3,
          0,
          Initial.USABLE);

  /** What a probe is. */
  public enum Type {
    OFF,
    /** A request with an expected answer. */
    HTTP,
    /** A connection. */
    TCP
  }

  /** What an address without a result is. */
  public enum Initial {
    USABLE,
    UNUSABLE
  }

  public boolean isOn() {
    return type != Type.OFF;
  }

  /** Whether a response with that status is a success. */
  public boolean accepts(int status) {
    for (String range : statuses) {
      int first = Integer.parseInt(range.substring(0, 3));
      int last = range.length() > 3 ? Integer.parseInt(range.substring(4)) : first;
      if (status >= first && status <= last) {
        return true;
      }
    }
    return false;
  }
}
