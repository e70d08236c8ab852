package io.forebay.server.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.TlsConfig.ClientAuth;
import io.forebay.server.config.TlsConfig.PairConfig;
import io.forebay.server.config.TlsConfig.Policy;
import io.forebay.testing.Certificates;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When the expiry of a certificate is reported. */
final class ExpiryWatchTest {
  private static final Duration BEFORE = Duration.ofDays(14);

  @TempDir Path directory;
  private final ExpiryWatch watch = new ExpiryWatch();

  private static TlsHost host(Certificates files, String file, Instant end) throws Exception {
    files.issue(file, builder -> builder.ecp256().notAfter(end), file + ".example");
    CertificatePair pair = CertificatePair.load(new PairConfig(files.pem(file), files.key(file)));
    return new TlsHost(
        new TlsHostSettings(
            file,
            List.of(pair),
            Policy.INTERMEDIATE,
            ClientAuth.OFF,
            List.of(),
            true,
            TlsHostSettings.HTTP));
  }

  private List<String> due(TlsHost host, Instant at) {
    return watch.due(List.of(host), BEFORE, at.toEpochMilli());
  }

  @Test
  void itIsSaidOnceADayFromTheBoundToTheEndAndBeyond() throws Exception {
    Instant end = Instant.now().plus(Duration.ofDays(60));
    TlsHost host = host(Certificates.in(directory), "a", end);
    assertEquals(List.of(), due(host, end.minus(Duration.ofDays(15))));
    Instant first = end.minus(Duration.ofDays(13));
    List<String> said = due(host, first);
    assertEquals(1, said.size());
    assertTrue(said.getFirst().startsWith("a: "), said.getFirst());
    assertTrue(said.getFirst().contains("a.pem expires in 12 days, at "), said.getFirst());
    assertEquals(List.of(), due(host, first.plus(Duration.ofHours(23))));
    assertEquals(1, due(host, first.plus(Duration.ofHours(24))).size());
    assertTrue(due(host, end.plus(Duration.ofDays(1))).getFirst().contains(" has expired at "));
  }

  @Test
  void oneThatWasRenewedIsForgottenAndAnotherIsSaidAtOnce() throws Exception {
    Certificates files = Certificates.in(directory);
    Instant now = Instant.now();
    TlsHost old = host(files, "a", now.plus(Duration.ofDays(2)));
    assertEquals(1, due(old, now).size());
    TlsHost renewed = host(files, "a", now.plus(Duration.ofDays(60)));
    assertEquals(List.of(), due(renewed, now.plusSeconds(60)));
    assertEquals(1, due(old, now.plusSeconds(120)).size(), "put back, and so news again");
    TlsHost other = host(files, "b", now.plus(Duration.ofDays(3)));
    assertEquals(
        1, watch.due(List.of(old, other), BEFORE, now.plusSeconds(180).toEpochMilli()).size());
  }
}
