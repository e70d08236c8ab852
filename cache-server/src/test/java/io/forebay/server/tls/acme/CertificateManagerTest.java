package io.forebay.server.tls.acme;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import io.forebay.testing.Pebble;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Orders, renewals, restarts and outages against Pebble, by a clock that the test moves. */
@Timeout(180)
@Tag("full")
final class CertificateManagerTest {
  private static final String HOST = "www.shop.example";

  /** What Pebble logs when it is asked for a validation. */
  private static final String ASKED = "/chalZ/";

  @TempDir Path directory;
  private AcmeLab lab;
  private @Nullable Pebble pebble;

  @BeforeEach
  void start() throws Exception {
    if (!Pebble.isInstalled()) {
      String why = "pebble is missing: .ci/run builds it into .tools";
      if ("true".equals(System.getenv("CI"))) {
        Assertions.fail(why);
      }
      Assumptions.abort(why);
    }
    lab = new AcmeLab(directory);
  }

  private Pebble pebble() {
    return requireNonNull(pebble);
  }

  private void pebble(int noncePercent, String more) throws Exception {
    // Nothing listens for tls-alpn-01.
    pebble = Pebble.start(directory.resolve("pebble"), lab.httpPort(), 1, noncePercent, more);
  }

  @AfterEach
  void stop() {
    if (lab != null) {
      lab.close();
    }
    if (pebble != null) {
      pebble.close();
    }
  }

  private String yaml() {
    return "hosts: ["
        + HOST
        + "], directory: \""
        + pebble().directory()
        + "\", ca-file: \""
        + pebble().tlsRoot()
        + "\"";
  }

  private void awaitIssued(long count) {
    Await.until(
        "certificate " + count,
        () -> {
          long ignored = lab.step();
          lab.clock.addAndGet(1000);
          return lab.manager().counters().issued() == count;
        });
  }

  private void pass(Duration time) {
    lab.clock.addAndGet(time.toMillis());
  }

  @ParameterizedTest
  @ValueSource(ints = {5, 50})
  void aCertificateIsOrderedAndKeptForThisUserOnly(int noncePercent) throws Exception {
    pebble(noncePercent, "");
    lab.start(yaml());
    awaitIssued(1);
    assertEquals(List.of(HOST), lab.served());
    try (var files = Files.list(lab.files())) {
      for (Path file : files.toList()) {
        assertEquals(
            "rw-------",
            PosixFilePermissions.toString(Files.getPosixFilePermissions(file)),
            file.toString());
      }
    }
    assertEquals(1, pebble().orders());
  }

  @Test
  void itIsRenewedWhenAThirdOfItsLifetimeIsLeftAndNotBefore() throws Exception {
    pebble(5, "");
    lab.start(yaml() + ", renewal-info: false");
    awaitIssued(1);
    pass(Duration.ofDays(50));
    long due = lab.step();
    assertEquals(1, pebble().orders());
    // 90 days: 30 days are left, or up to 33.
    assertTrue(due > lab.clock.get() + Duration.ofDays(5).toMillis());
    assertTrue(due < lab.clock.get() + Duration.ofDays(11).toMillis());
    lab.clock.set(due);
    awaitIssued(2);
    assertEquals(2, pebble().orders());
    // Pebble's clock has not moved: what it issued is due again, and no loop.
    long ignored = lab.step();
    pass(Duration.ofMinutes(50));
    ignored = lab.step();
    assertEquals(2, pebble().orders());
  }

  @Test
  void theAuthorityIsAskedWhenToRenew() throws Exception {
    pebble(5, "");
    lab.start(yaml());
    awaitIssued(1);
    long due = lab.step();
    assertTrue(due <= lab.clock.get() + Duration.ofHours(6).toMillis());
    assertTrue(pebble().log().contains("/draft-ietf-acme-ari"), pebble().log());
    assertEquals(List.of(), lab.log);
  }

  /** After each number of steps: pending, validated, finalised, issued. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void aRestartContinuesTheOrder(int steps) throws Exception {
    pebble(20, "");
    lab.start(yaml());
    for (int i = 0; i < steps && lab.manager().counters().issued() == 0; i++) {
      long issuedBefore = pebble().orders();
      long due = lab.step();
      assertTrue(issuedBefore <= 1);
      lab.clock.set(Math.max(due, lab.clock.get()));
    }
    lab.stop();
    boolean isStored = Files.exists(lab.files().resolve(HOST + ".pem"));
    assertTrue(isStored || Files.exists(lab.files().resolve(HOST + ".order")));
    lab.start(yaml());
    Await.until(
        "a certificate",
        () -> {
          long ignored = lab.step();
          lab.clock.addAndGet(1000);
          return lab.served().equals(List.of(HOST));
        });
    assertEquals(1, pebble().orders());
  }

  @Test
  void aDirectoryThatIsDownForThirtyDaysCostsALineADayAndNoCertificate() throws Exception {
    pebble(5, "");
    // Pebble's clock does not move: 90 days from now, what it issues has expired.
    lab.start(yaml() + ", renew-at: 80%");
    awaitIssued(1);
    pebble().suspend();
    pass(Duration.ofDays(19));
    long end = lab.clock.get() + Duration.ofDays(30).toMillis();
    int attempts = 0;
    while (lab.clock.get() < end) {
      long due = lab.step();
      attempts++;
      assertTrue(due - lab.clock.get() <= Backoff.MAX_MILLIS * 5 / 4, "the back-off is bounded");
      assertEquals(List.of(HOST), lab.served());
      lab.clock.set(Math.max(due, lab.clock.get() + 1));
    }
    assertTrue(attempts < 150, attempts + " attempts");
    assertTrue(lab.log.size() >= 20 && lab.log.size() <= 31, lab.log::toString);
    assertTrue(lab.manager().counters().failures(AcmeFailure.UNREACHABLE) >= 30);
    // It comes back, and knows nothing of the account.
    pebble().resume();
    pass(Duration.ofDays(1));
    Await.until(
        "a renewal",
        () -> {
          long due = lab.step();
          lab.clock.set(Math.max(lab.clock.get() + 500, Math.min(due, lab.clock.get() + 600_000)));
          return lab.manager().counters().issued() == 2;
        });
  }

  /** In a cluster, while a node does not confirm that it gives the answer. */
  private void waitsForAnotherNode() throws Exception {
    pebble(5, "");
    lab.start(yaml());
    lab.manager().confirmed().set(Set.of(), Map.of(), List.of("edge-2"));
    for (int i = 0; i < 20; i++) {
      assertTrue(lab.step() <= lab.clock.get() + 500);
      pass(Duration.ofMillis(500));
    }
    assertEquals(1, lab.tokens().size());
    assertFalse(pebble().log().contains(ASKED), pebble().log());
  }

  @Test
  void aValidationIsAskedForOnceAllNodesOfTheClusterGiveTheAnswer() throws Exception {
    waitsForAnotherNode();
    lab.manager().confirmed().set(lab.tokens(), Map.of(), List.of());
    awaitIssued(1);
    assertTrue(pebble().log().contains(ASKED), pebble().log());
    assertEquals(0, lab.manager().counters().unconfirmed());
  }

  @Test
  void aValidationIsAskedForAfterTenSecondsThoughANodeHasNotConfirmed() throws Exception {
    waitsForAnotherNode();
    awaitIssued(1);
    assertEquals(1, lab.manager().counters().unconfirmed());
  }

  @Test
  void anExternalAccountIsBound() throws Exception {
    pebble(
        20,
        """
        , "externalAccountBindingRequired": true,
        "externalAccountMACKeys": {"kid-1": "zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W"}
        """);
    Path secret = directory.resolve("secret");
    Files.writeString(secret, "zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W\n");
    lab.start(yaml() + ", eab-key-id: kid-1, eab-secret-file: \"" + secret + "\"");
    awaitIssued(1);
    lab.stop();
    lab.start(yaml() + ", eab-key-id: kid-1, eab-secret-file: \"" + secret + "\"");
    assertEquals(List.of(HOST), lab.served());
  }

  @Test
  void aNameThatCannotBeValidatedIsTriedFourTimesInAnHour() throws Exception {
    pebble(5, "");
    // Nobody answers on the port for tls-alpn-01.
    lab.start(yaml() + ", challenges: tls-alpn-01");
    long end = lab.clock.get() + Duration.ofHours(1).toMillis();
    while (lab.clock.get() < end) {
      long due = lab.step();
      lab.clock.set(Math.max(due, lab.clock.get() + 1));
    }
    long failed = lab.manager().counters().failures(AcmeFailure.VALIDATION);
    assertTrue(failed >= 1 && failed <= 5, failed + " failures");
    assertEquals(1, lab.log.size(), lab.log::toString);
    assertTrue(lab.log.getFirst().contains("could not validate the name"), lab.log::toString);
  }
}
