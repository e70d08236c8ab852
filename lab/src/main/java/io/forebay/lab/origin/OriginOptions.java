package io.forebay.lab.origin;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How the origin runs. Sent to its process as options of the command line.
 *
 * @param host address to listen on
 * @param port 0 for a free one, which the process prints
 * @param threads event loops
 * @param tls certificate and key, or null for plain HTTP
 * @param behaviour of all responses whose URL says nothing else
 * @param window which segments of channels exist
 * @param seed of bodies and of random faults
 */
public record OriginOptions(
    String host,
    int port,
    int threads,
    @Nullable Tls tls,
    Behaviour behaviour,
    SegmentWindow window,
    long seed) {

  /** One thread, no delay, bodies fresh for an hour. */
  public static final OriginOptions DEFAULT = new OriginOptions(0, 1, 0, 0, 0, 3600, false, 1);

  private static final int MAX_PORT = 65_535;
  private static final int MAX_THREADS = 1024;

  public OriginOptions {
    if (port < 0 || port > MAX_PORT) {
      throw new IllegalArgumentException("port " + port + ": write 0 to " + MAX_PORT);
    }
    if (threads < 1 || threads > MAX_THREADS) {
      throw new IllegalArgumentException("threads " + threads + ": write 1 to " + MAX_THREADS);
    }
  }

  /**
   * On loopback, without TLS.
   *
   * @param port 0 for a free one, which the process prints
   * @param threads event loops
   * @param latencyMillis before the first byte
   * @param bytesPerSecond of each response; 0 for no bound
   * @param errorShare of responses that are 503, 0 to 1
   * @param maxAgeSeconds in Cache-Control; -1 for {@code no-store}
   * @param live whether segments of channels exist only from their time on, for six minutes
   * @param seed of bodies and errors
   */
  public OriginOptions(
      int port,
      int threads,
      int latencyMillis,
      long bytesPerSecond,
      double errorShare,
      int maxAgeSeconds,
      boolean live,
      long seed) {
    this(
        "127.0.0.1",
        port,
        threads,
        null,
        new Behaviour(
            latencyMillis, 0, bytesPerSecond, errorShare, 503, 0, 0, maxAgeSeconds, false),
        live ? SegmentWindow.LIVE : SegmentWindow.ALWAYS,
        seed);
  }

  /**
   * PEM files.
   *
   * @param certificate with its chain
   * @param key of the certificate, PKCS#8
   */
  public record Tls(String certificate, String key) {}

  /** As options of the command line, without the leading dashes. */
  Map<String, String> options() {
    Map<String, String> options = new TreeMap<>();
    options.put("listen", host + ":" + port);
    options.put("threads", Integer.toString(threads));
    if (tls != null) {
      options.put("certificate", tls.certificate());
      options.put("key", tls.key());
    }
    options.put("latency-millis", Integer.toString(behaviour.latencyMillis()));
    options.put("jitter-millis", Integer.toString(behaviour.jitterMillis()));
    options.put("bytes-per-second", Long.toString(behaviour.bytesPerSecond()));
    options.put("error-share", Double.toString(behaviour.errorShare()));
    options.put("error-status", Integer.toString(behaviour.errorStatus()));
    options.put("cut-share", Double.toString(behaviour.cutShare()));
    options.put("flap-seconds", Integer.toString(behaviour.flapSeconds()));
    options.put("max-age-seconds", Integer.toString(behaviour.maxAgeSeconds()));
    options.put("chunked", Boolean.toString(behaviour.chunked()));
    options.put("live", Boolean.toString(window.isLive()));
    options.put("segment-seconds", Integer.toString(window.seconds()));
    options.put("segments", Integer.toString(window.segments()));
    options.put("seed", Long.toString(seed));
    return options;
  }
}
