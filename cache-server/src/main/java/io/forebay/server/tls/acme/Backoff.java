package io.forebay.server.tls.acme;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * When the next attempt follows a failed one: from two minutes, three times as long after each
 * failure, up to twelve hours, each a quarter shorter or longer at random. The first hour has four
 * attempts, which authorities allow.
 */
final class Backoff {
  static final long MAX_MILLIS = Duration.ofHours(12).toMillis();
  private static final long FIRST_MILLIS = Duration.ofMinutes(2).toMillis();
  private static final long MAX_ASKED_MILLIS = Duration.ofDays(1).toMillis();
  private static final double JITTER = 0.25;

  private Backoff() {}

  /**
   * The time to wait.
   *
   * @param failures in a row, at least one
   * @param askedMillis what the authority asked for (Retry-After), or 0
   */
  static long millis(int failures, long askedMillis, RandomGenerator random) {
    long nominal = FIRST_MILLIS;
    for (int i = 1; i < failures && nominal < MAX_MILLIS; i++) {
      nominal *= 3;
    }
    nominal = Math.min(nominal, MAX_MILLIS);
    long own = (long) (nominal * (1 - JITTER + 2 * JITTER * random.nextDouble()));
    return Math.max(own, Math.min(Math.max(askedMillis, 0), MAX_ASKED_MILLIS));
  }
}
