package io.forebay.server.config;

import io.forebay.server.counters.LoopCounters.CacheResult;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * What the access log says of the requests of one route.
 *
 * @param isOn whether it has lines of them at all
 * @param hitsPercent share of fresh hits that have a line
 * @param requestHeaders lower-case names of fields that lines have in addition; at most {@link
 *     #MAX_HEADERS}
 * @param responseHeaders the same of the response
 * @param drop what lines do not have
 * @param sampling what the node says of all routes' requests; it goes before {@code hitsPercent}
 */
public record RouteLog(
    boolean isOn,
    int hitsPercent,
    List<String> requestHeaders,
    List<String> responseHeaders,
    Set<Part> drop,
    LogSampling sampling) {

  public static final int MAX_HEADERS = 8;
  static final int MAX_NAME_LENGTH = 64;

  /** What lines have of a value at most. */
  public static final int MAX_VALUE_LENGTH = 256;

  /** Every request has a line with all that lines have. */
  public static final RouteLog DEFAULT = new RouteLog(true, 100, List.of(), List.of(), Set.of());

  /** What carries credentials; lines never have it. */
  static final Set<String> SECRETS =
      Set.of(
          "authorization",
          "proxy-authorization",
          "cookie",
          "set-cookie",
          "forebay-debug",
          "x-amz-security-token");

  /** A part of lines that can be left out; in lower case it is the name of the field. */
  public enum Part {
    CLIENT,
    HOST,
    QUERY,
    REFERER,
    USER_AGENT,
    TRACEPARENT,
    TLS,
    CMCD
  }

  /** Without sampling by rules. */
  public RouteLog(
      boolean isOn,
      int hitsPercent,
      List<String> requestHeaders,
      List<String> responseHeaders,
      Set<Part> drop) {
    this(isOn, hitsPercent, requestHeaders, responseHeaders, drop, LogSampling.NONE);
  }

  public RouteLog {
    requestHeaders = List.copyOf(requestHeaders);
    responseHeaders = List.copyOf(responseHeaders);
    drop = Set.copyOf(drop);
    if (Math.max(requestHeaders.size(), responseHeaders.size()) > MAX_HEADERS) {
      throw new IllegalArgumentException("more than " + MAX_HEADERS + " fields");
    }
  }

  /** The same with rules of the node. */
  public RouteLog with(LogSampling rules) {
    return new RouteLog(isOn, hitsPercent, requestHeaders, responseHeaders, drop, rules);
  }

  /**
   * Share of requests that have a line, in hundredths of a percent.
   *
   * @param held which conditions of the sampling hold
   */
  public int share(long held, int status, CacheResult cache) {
    if (!isOn) {
      return 0;
    }
    int keep = sampling.isOn() ? sampling.keep(held, status, cache) : -1;
    if (keep >= 0) {
      return keep;
    }
    return cache == CacheResult.HIT ? hitsPercent * 100 : LogSampling.ALL;
  }

  public boolean drops(Part part) {
    return !drop.isEmpty() && drop.contains(part);
  }

  /** Whether a field may be logged. */
  static boolean isLoggable(String name) {
    return !SECRETS.contains(name.toLowerCase(Locale.ROOT));
  }
}
