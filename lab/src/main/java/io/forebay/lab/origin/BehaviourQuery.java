package io.forebay.lab.origin;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The query of a URL as changes to the behaviour of one response.
 *
 * <pre>
 *   latency=20ms  jitter=1s        before the first byte
 *   rate=1MB                       bytes a second
 *   status=503  errors=0.1         errors; status alone makes every response one
 *   cut=0.5                        share of bodies that break off
 *   flap=30s                       errors in the second half of every period
 *   max-age=60 | max-age=no-store  freshness
 *   chunked=true                   a body without a length
 * </pre>
 */
final class BehaviourQuery {
  private static final Pattern TIME = Pattern.compile("(\\d{1,6})(ms|s)");
  private static final Pattern NUMBER = Pattern.compile("\\d{1,10}");
  private static final Pattern SHARE = Pattern.compile("[01](\\.\\d{1,9})?");
  private static final String KEYS =
      "latency, jitter, rate, status, errors, cut, flap, max-age or chunked";

  private BehaviourQuery() {}

  /**
   * Applies a query.
   *
   * @param query without the question mark; empty for no change
   * @throws IllegalArgumentException that says what to write instead
   */
  static Behaviour apply(Behaviour base, String query) {
    if (query.isEmpty()) {
      return base;
    }
    int latency = base.latencyMillis();
    int jitter = base.jitterMillis();
    long rate = base.bytesPerSecond();
    double errors = base.errorShare();
    int status = base.errorStatus();
    double cut = base.cutShare();
    int flap = base.flapSeconds();
    int maxAge = base.maxAgeSeconds();
    boolean chunked = base.chunked();
    boolean hasStatus = false;
    boolean hasErrors = false;
    for (String pair : query.split("&", -1)) {
      int equals = pair.indexOf('=');
      String key = equals < 0 ? pair : pair.substring(0, equals);
      String value = equals < 0 ? "" : pair.substring(equals + 1);
      switch (key) {
        case "latency" -> latency = millis(key, value);
        case "jitter" -> jitter = millis(key, value);
        case "rate" -> rate = ByteSize.parse(value);
        case "status" -> {
          status = number(key, value);
          hasStatus = true;
        }
        case "errors" -> {
          errors = share(key, value);
          hasErrors = true;
        }
        case "cut" -> cut = share(key, value);
        case "flap" -> flap = millis(key, value) / 1000;
        case "max-age" -> maxAge = value.equals("no-store") ? -1 : number(key, value);
        case "chunked" -> chunked = bool(key, value);
        default -> throw new IllegalArgumentException("unknown key in the query: write " + KEYS);
      }
    }
    if (hasStatus && !hasErrors) {
      errors = 1;
    }
    return new Behaviour(latency, jitter, rate, errors, status, cut, flap, maxAge, chunked);
  }

  private static int millis(String key, String value) {
    Matcher matcher = TIME.matcher(value);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(key + ": write a time such as 20ms or 2s");
    }
    return Integer.parseInt(matcher.group(1)) * (matcher.group(2).equals("s") ? 1000 : 1);
  }

  private static int number(String key, String value) {
    if (!NUMBER.matcher(value).matches() || Long.parseLong(value) > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(key + ": write a number such as 60");
    }
    return Integer.parseInt(value);
  }

  private static double share(String key, String value) {
    if (!SHARE.matcher(value).matches()) {
      throw new IllegalArgumentException(key + ": write a share such as 0.1");
    }
    return Double.parseDouble(value);
  }

  private static boolean bool(String key, String value) {
    return switch (value) {
      case "", "true" -> true;
      case "false" -> false;
      default -> throw new IllegalArgumentException(key + ": write true or false");
    };
  }
}
