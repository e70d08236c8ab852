package io.forebay.server.listen;

import io.forebay.server.tls.NoCertificateException;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Logs handshakes for names without a certificate: one line a minute, since anybody can cause them.
 * Confined to a loop.
 */
final class MissingCertificateLog {
  private static final long PERIOD_MILLIS = 60_000;

  private final LongSupplier clockMillis;
  private final Consumer<String> out;
  private long saidAtMillis;
  private boolean hasSaid;
  private long unsaid;

  MissingCertificateLog(LongSupplier clockMillis, Consumer<String> out) {
    this.clockMillis = clockMillis;
    this.out = out;
  }

  void failed(NoCertificateException failure) {
    long now = clockMillis.getAsLong();
    if (hasSaid && Math.abs(now - saidAtMillis) < PERIOD_MILLIS) {
      unsaid++;
      return;
    }
    out.accept(
        "TLS handshake refused: "
            + failure.getMessage()
            + (unsaid == 0 ? "" : " (" + unsaid + " more since the last line)"));
    hasSaid = true;
    saidAtMillis = now;
    unsaid = 0;
  }
}
