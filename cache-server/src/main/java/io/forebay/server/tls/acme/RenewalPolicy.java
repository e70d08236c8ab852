package io.forebay.server.tls.acme;

import java.security.cert.X509Certificate;
import java.util.random.RandomGenerator;

/** When a certificate is renewed. */
final class RenewalPolicy {
  private static final double JITTER = 0.1;

  private RenewalPolicy() {}

  /**
   * The time of renewal: when a share of the lifetime is left, and up to a tenth of that earlier.
   *
   * @param percent of the lifetime
   */
  static long renewAtMillis(X509Certificate certificate, int percent, RandomGenerator random) {
    long begin = certificate.getNotBefore().toInstant().toEpochMilli();
    long end = certificate.getNotAfter().toInstant().toEpochMilli();
    double left = (double) (end - begin) * percent / 100;
    return end - (long) (left * (1 + JITTER * random.nextDouble()));
  }

  /**
   * A time within the window that the authority suggests (RFC 9773 §4.2), if it is before the
   * node's own.
   *
   * @param ownMillis by {@link #renewAtMillis}
   */
  static long earlierMillis(
      long ownMillis, long windowStartMillis, long windowEndMillis, RandomGenerator random) {
    if (windowEndMillis <= windowStartMillis) {
      return ownMillis;
    }
    long within =
        windowStartMillis + (long) ((windowEndMillis - windowStartMillis) * random.nextDouble());
    return Math.min(ownMillis, within);
  }
}
