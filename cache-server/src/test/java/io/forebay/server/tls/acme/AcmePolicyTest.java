package io.forebay.server.tls.acme;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.AcmeConfig.KeyType;
import io.forebay.testing.Certificates;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** When to try again, when to renew, whom to serve on demand, and what files hold. */
final class AcmePolicyTest {
  @TempDir Path directory;
  private final SplittableRandom random = new SplittableRandom(7);

  @Test
  void theBackOffGrowsThreefoldToTwelveHoursWithJitter() {
    long[] nominal = {120, 360, 1080, 3240, 9720, 29160, 43200, 43200};
    for (int failures = 1; failures <= nominal.length; failures++) {
      for (int i = 0; i < 100; i++) {
        double share = Backoff.millis(failures, 0, random) / (nominal[failures - 1] * 1000.0);
        assertTrue(share >= 0.75 && share <= 1.25, failures + ": " + share);
      }
    }
    assertTrue(Backoff.millis(Integer.MAX_VALUE, 0, random) <= Backoff.MAX_MILLIS * 5 / 4);
  }

  @Test
  void theAuthoritysTimeIsFollowedWhenItIsEarlierOnly() {
    assertEquals(1000, RenewalPolicy.earlierMillis(1000, 2000, 3000, random));
    long within = RenewalPolicy.earlierMillis(10_000, 2000, 3000, random);
    assertTrue(within >= 2000 && within < 3000);
    assertEquals(1000, RenewalPolicy.earlierMillis(1000, 500, 400, random));
  }

  @ParameterizedTest
  @CsvSource({
    "a.shop.example, true",
    "one.example, true",
    "shop.example, false",
    "a.b.shop.example, false",
    "two.one.example, false",
    "-.shop.example, false",
    "a_b.shop.example, false",
    "'../x.shop.example', false"
  })
  void onlyNamesOfThePatternsAreOnDemand(String name, boolean isMatched) {
    OnDemandPolicy policy = new OnDemandPolicy(List.of("*.shop.example", "one.example"), 2);
    assertEquals(isMatched, policy.matches(name));
  }

  @Test
  void anHourHasAsManyNewNamesAsConfigured() {
    OnDemandPolicy policy = new OnDemandPolicy(List.of("*.shop.example"), 2);
    assertTrue(policy.admit(0));
    assertTrue(policy.admit(1000));
    assertFalse(policy.admit(2000));
    assertTrue(policy.admit(Duration.ofHours(1).toMillis()));
    assertFalse(policy.admit(Duration.ofHours(1).toMillis() + 1));
  }

  @Test
  void aSeriesOfFailuresIsALineADay() {
    List<String> lines = new ArrayList<>();
    DailyLog log = new DailyLog(lines::add);
    for (int hour = 0; hour < 72; hour++) {
      log.failed("a", "down", Duration.ofHours(hour).toMillis());
    }
    assertEquals(3, lines.size());
    assertEquals("a: down", lines.get(0));
    assertEquals("a: down (23 more failures since the last line)", lines.get(1));
    log.succeeded("a");
    log.failed("a", "down", Duration.ofDays(3).toMillis());
    assertEquals("a: down", lines.get(3));
  }

  @ParameterizedTest
  @EnumSource(KeyType.class)
  void anOrderIsReadAsItWasWritten(KeyType type) throws Exception {
    KeyPair key = KeyPairs.generate(type, new SecureRandom());
    PendingOrder order =
        new PendingOrder(URI.create("https://ca.example/order/1").toURL(), key, 17, 3);
    AcmeFiles files = new AcmeFiles(directory, URI.create("https://ca.example/dir"));
    files.order("a.example", order);
    PendingOrder read = files.order("a.example");
    assertEquals(order.text(), requireNonNull(read).text());
    files.deleteOrder("a.example");
    assertNull(files.order("a.example"));
  }

  @Test
  void aDamagedFileIsSetAside() throws Exception {
    AcmeFiles files = new AcmeFiles(directory, URI.create("https://ca.example/dir"));
    files.accountKey(KeyPairs.generate(KeyType.ECDSA_P256, new SecureRandom()));
    Path folder;
    try (var folders = Files.list(directory.resolve("acme"))) {
      folder = folders.findFirst().orElseThrow();
    }
    Files.writeString(folder.resolve("account.pem"), "-----BEGIN PRIVATE KEY-----\nAA");
    Files.writeString(folder.resolve("a.example.order"), "forebay acme order 1\nftp://x\n");
    Files.writeString(folder.resolve("a.example.pem"), "nothing");
    assertNull(files.accountKey());
    assertNull(files.order("a.example"));
    assertNull(files.certificate("a.example"));
    assertTrue(Files.exists(folder.resolve("account.pem.broken")));
    assertTrue(Files.exists(folder.resolve("a.example.order.broken")));
    assertTrue(Files.exists(folder.resolve("a.example.pem.broken")));
    assertEquals(List.of(), files.hosts(10));
  }

  @Test
  void aCertificateIsNotTakenWithAnotherKey() throws Exception {
    Certificates made = Certificates.in(directory);
    made.ecdsa("one", "a.example");
    made.ecdsa("two", "a.example");
    AcmeFiles files = new AcmeFiles(directory, URI.create("https://ca.example/dir"));
    files.accountUrl(URI.create("https://ca.example/1").toURL());
    Path folder;
    try (var folders = Files.list(directory.resolve("acme"))) {
      folder = folders.findFirst().orElseThrow();
    }
    Files.writeString(
        folder.resolve("a.example.pem"),
        Files.readString(made.key("one")) + Files.readString(made.pem("two")));
    assertNull(files.certificate("a.example"));
    Files.writeString(
        folder.resolve("a.example.pem"),
        Files.readString(made.key("one")) + Files.readString(made.pem("one")));
    assertEquals(List.of("a.example"), files.hosts(10));
    assertTrue(requireNonNull(files.certificate("a.example")).covers("a.example"));
  }
}
