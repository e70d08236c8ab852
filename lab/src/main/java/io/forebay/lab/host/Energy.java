package io.forebay.lab.host;

import org.jspecify.annotations.Nullable;

/**
 * Energy of one step, and what it was spent on.
 *
 * @param seconds of the step, more than 0
 * @param joules more than 0
 */
public record Energy(double seconds, double joules, long requests, long bodyBytes) {
  private static final double GIGA = 1e9;

  public Energy {
    if (!(seconds > 0) || !(joules > 0)) {
      throw new IllegalArgumentException(joules + " J in " + seconds + " s is no energy of a step");
    }
  }

  /** Of a measured part; null without a meter. */
  public static @Nullable Energy of(HostSample total, long requests, long bodyBytes) {
    Double watts = total.watts();
    return watts == null || watts <= 0 || total.seconds() <= 0
        ? null
        : new Energy(total.seconds(), watts * total.seconds(), requests, bodyBytes);
  }

  public double watts() {
    return joules / seconds;
  }

  /** Goodput: Gbit/s of bodies for each watt. */
  public double gigabitsPerSecondPerWatt() {
    return bodyBytes * 8 / GIGA / joules;
  }

  public double requestsPerSecondPerWatt() {
    return requests / joules;
  }

  /** For 10^9 bytes of bodies; NaN without any. */
  public double joulesPerGigabyte() {
    return bodyBytes == 0 ? Double.NaN : joules / (bodyBytes / GIGA);
  }
}
