package io.forebay.lab.origin;

/**
 * How responses come. Options set it for all URLs, a query for one ({@link BehaviourQuery}).
 *
 * @param latencyMillis before the first byte
 * @param jitterMillis at most so much more, evenly at random
 * @param bytesPerSecond of each response; 0 for no bound
 * @param errorShare of responses that are an error, 0 to 1
 * @param errorStatus of these, 400 to 599
 * @param cutShare of bodies after whose first half the connection closes, 0 to 1
 * @param flapSeconds length of a period whose second half has only errors; 0 for none
 * @param maxAgeSeconds in Cache-Control; -1 for {@code no-store}
 * @param chunked whether bodies come without a length
 */
public record Behaviour(
    int latencyMillis,
    int jitterMillis,
    long bytesPerSecond,
    double errorShare,
    int errorStatus,
    double cutShare,
    int flapSeconds,
    int maxAgeSeconds,
    boolean chunked) {

  /** No delay, no faults, fresh for an hour. */
  public static final Behaviour PLAIN = new Behaviour(0, 0, 0, 0, 503, 0, 0, 3600, false);

  private static final int MAX_MILLIS = 600_000;
  private static final int MAX_SECONDS = 86_400;
  private static final int MAX_AGE = Integer.MAX_VALUE;

  public Behaviour {
    between("latency in ms", latencyMillis, 0, MAX_MILLIS);
    between("jitter in ms", jitterMillis, 0, MAX_MILLIS);
    between("bytes per second", bytesPerSecond, 0, ByteSize.MAX);
    share("share of errors", errorShare);
    between("status of errors", errorStatus, 400, 599);
    share("share of cut bodies", cutShare);
    between("period of flapping in s", flapSeconds, 0, MAX_SECONDS);
    between("max-age in s", maxAgeSeconds, -1, MAX_AGE);
  }

  private static void between(String what, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(what + " " + value + ": write " + min + " to " + max);
    }
  }

  private static void share(String what, double value) {
    if (!(value >= 0 && value <= 1)) {
      throw new IllegalArgumentException(what + " " + value + ": write 0 to 1, such as 0.05");
    }
  }
}
