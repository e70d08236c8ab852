package io.forebay.lab.origin;

import java.util.Map;
import java.util.TreeMap;

/**
 * How the origin behaves. Sent to its process as options of the same names: {@code
 * --latency-millis}.
 *
 * @param port 0 for a free one, which the process prints
 * @param threads event loops
 * @param latencyMillis before the first byte
 * @param bytesPerSecond of each response; 0 for no bound
 * @param errorShare of responses that are 503, 0 to 1
 * @param maxAgeSeconds in Cache-Control; -1 for {@code no-store}
 * @param live whether segments of channels exist only from their time on, for ten minutes
 * @param seed of bodies and errors
 */
public record OriginOptions(
    int port,
    int threads,
    int latencyMillis,
    long bytesPerSecond,
    double errorShare,
    int maxAgeSeconds,
    boolean live,
    long seed) {

  /** One thread, no delay, bodies fresh for an hour. */
  public static final OriginOptions DEFAULT = new OriginOptions(0, 1, 0, 0, 0, 3600, false, 1);

  /** As options of the command line, without the leading dashes. */
  public Map<String, String> options() {
    Map<String, String> options = new TreeMap<>();
    options.put("port", Integer.toString(port));
    options.put("threads", Integer.toString(threads));
    options.put("latency-millis", Integer.toString(latencyMillis));
    options.put("bytes-per-second", Long.toString(bytesPerSecond));
    options.put("error-share", Double.toString(errorShare));
    options.put("max-age-seconds", Integer.toString(maxAgeSeconds));
    options.put("live", Boolean.toString(live));
    options.put("seed", Long.toString(seed));
    return options;
  }
}
