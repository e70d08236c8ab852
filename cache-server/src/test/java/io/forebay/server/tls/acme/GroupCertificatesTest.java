package io.forebay.server.tls.acme;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.AcmeConfig.KeyType;
import io.forebay.server.tls.CertificatePair;
import io.forebay.server.tls.acme.AcmeCounters.SharedOutcome;
import io.forebay.testing.Certificates;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a node takes, refuses and publishes, with a group in memory. */
final class GroupCertificatesTest {
  private static final String HOST = "www.shop.example";

  @TempDir Path directory;
  private final Instant start = Instant.now();
  private long now = start.toEpochMilli();
  private final List<String> log = new ArrayList<>();
  private final AcmeCounters counters = new AcmeCounters();
  private final Group group = new Group();
  private final ManagedHost host = new ManagedHost(HOST, false);
  private Certificates certificates;
  private AcmeFiles files;
  private GroupCertificates node;

  /** What etcd has, for all nodes. */
  private static final class Group implements AcmeOrderGroup {
    final Map<String, SharedCertificate> stored = new HashMap<>();
    final Map<String, String> orders = new HashMap<>();
    boolean isDown;
    long revision;
    boolean isUnread = true;

    private void ask() throws IOException {
      if (isDown) {
        throw new IOException("etcd does not answer");
      }
    }

    @Override
    public Changes changes() throws IOException {
      ask();
      Changes changes =
          isUnread
              ? new Changes(true, List.copyOf(stored.values()))
              : new Changes(false, List.of());
      isUnread = false;
      return changes;
    }

    @Override
    public void rewind() {
      isUnread = true;
    }

    @Override
    public boolean claim(String name) throws IOException {
      ask();
      return orders.computeIfAbsent(name, unheld -> "self").equals("self");
    }

    @Override
    public Set<String> claimed() {
      Set<String> claimed = new HashSet<>();
      orders.forEach((name, node) -> {
        if (node.equals("self")) {
          claimed.add(name);
        }
      });
      return claimed;
    }

    @Override
    public void release(String name) throws IOException {
      ask();
      assertTrue(orders.remove(name, "self"));
    }

    @Override
    public long publish(String name, long begin, long end, String pem, long replaced)
        throws IOException {
      ask();
      SharedCertificate known = stored.get(name);
      if (replaced != (known == null ? 0 : known.revision())) {
        return 0;
      }
      stored.put(name, new SharedCertificate(name, begin, ++revision, "self", true, pem));
      return revision;
    }
  }

  @BeforeEach
  void open() throws Exception {
    certificates = Certificates.in(Files.createDirectories(directory.resolve("ca")));
    files = new AcmeFiles(directory.resolve("data"), URI.create("https://ca.example/dir"));
    node = new GroupCertificates(group, files, counters, new DailyLog(log::add), now);
  }

  // --- certificates -----------------------------------------------------------------------------

  private X509Bundle issued(Duration beginsAgo, Duration lasts, String... names) throws Exception {
    return certificates.issue(
        "c" + group.revision++,
        builder ->
            builder
                .ecp256()
                .notBefore(start.minus(beginsAgo))
                .notAfter(start.minus(beginsAgo).plus(lasts)),
        names);
  }

  private X509Bundle issued(int hoursAgo) throws Exception {
    return issued(Duration.ofHours(hoursAgo), Duration.ofDays(60), HOST);
  }

  private static List<X509Certificate> chain(X509Bundle bundle) {
    return List.of(bundle.getCertificate());
  }

  private static PrivateKey key(X509Bundle bundle) {
    return bundle.getKeyPair().getPrivate();
  }

  private static long begin(X509Bundle bundle) {
    return bundle.getCertificate().getNotBefore().toInstant().toEpochMilli();
  }

  private static String pem(X509Bundle bundle) throws IOException {
    return AcmeFiles.pem(chain(bundle), key(bundle));
  }

  /** Another node has published it. */
  private void arrives(long begin, @Nullable String pem) {
    group.stored.put(
        HOST,
        new AcmeOrderGroup.SharedCertificate(HOST, begin, ++group.revision, "edge-1", false, pem));
    group.isUnread = true;
  }

  private void arrives(X509Bundle bundle) throws IOException {
    arrives(begin(bundle), pem(bundle));
  }

  private void has(X509Bundle bundle) throws IOException {
    host.pair = files.certificate(HOST, chain(bundle), key(bundle));
  }

  /** A step of the manager; whether another certificate is in use. */
  private boolean step() {
    boolean isChanged = false;
    for (AcmeOrderGroup.SharedCertificate one : node.changes(List.of(host), now)) {
      CertificatePair pair = node.take(host, one, now);
      if (pair != null) {
        host.pair = pair;
        isChanged = true;
      }
    }
    node.settle(Map.of(HOST, host), now);
    return isChanged;
  }

  private @Nullable X509Certificate served() {
    CertificatePair pair = host.pair;
    return pair == null ? null : pair.leaf();
  }

  private @Nullable X509Certificate onDisk() throws IOException {
    CertificatePair pair = files.certificate(HOST);
    return pair == null ? null : pair.leaf();
  }

  // --- tests ------------------------------------------------------------------------------------

  @Test
  void aNewerCertificateIsStoredAndUsed() throws Exception {
    X509Bundle old = issued(10);
    X509Bundle next = issued(5);
    has(old);
    files.order(
        HOST,
        new PendingOrder(
            URI.create("https://ca.example/order/1").toURL(),
            KeyPairs.generate(KeyType.ECDSA_P256, new SecureRandom()),
            now,
            0));
    arrives(next);
    assertTrue(step());
    assertEquals(next.getCertificate(), served());
    assertEquals(next.getCertificate(), onDisk());
    assertNull(files.order(HOST), "the node's own order is over");
    assertEquals(1, counters.shared(SharedOutcome.TAKEN));
    assertEquals(0, counters.shared(SharedOutcome.PUBLISHED));
    assertEquals(List.of(), log);
  }

  @Test
  void anOlderCertificateIsNotTakenAndIsReplaced() throws Exception {
    X509Bundle own = issued(5);
    has(own);
    arrives(issued(10));
    assertFalse(step());
    assertEquals(own.getCertificate(), served());
    assertEquals(begin(own), requireNonNull(group.stored.get(HOST)).beginMillis());
    assertEquals(pem(own), requireNonNull(group.stored.get(HOST)).pem());
    assertEquals(1, counters.shared(SharedOutcome.PUBLISHED));
    assertFalse(step());
    assertEquals(1, counters.shared(SharedOutcome.PUBLISHED));
  }

  /** An authority refuses orders that replace a certificate of another account. */
  @Test
  void afterARestartTheNodeStillKnowsWhoOrderedItsCertificate() throws Exception {
    X509Bundle own = issued(5);
    has(own);
    arrives(own);
    assertFalse(step());
    assertTrue(host.inGroup.isFromOther());
    group.stored.put(
        HOST,
        new AcmeOrderGroup.SharedCertificate(
            HOST, begin(own), ++group.revision, "self", true, pem(own)));
    group.isUnread = true;
    assertFalse(step());
    assertFalse(host.inGroup.isFromOther());
  }

  /** So a secret can be corrected: by a restart of the node that had another one. */
  @Test
  void whatTheNodePublishedAndCannotReadAnyMoreIsPublishedAnew() throws Exception {
    X509Bundle own = issued(5);
    has(own);
    group.stored.put(
        HOST,
        new AcmeOrderGroup.SharedCertificate(
            HOST, begin(own), ++group.revision, "self", true, null));
    assertFalse(step());
    assertEquals(pem(own), requireNonNull(group.stored.get(HOST)).pem());
    // What another node published is left to it.
    arrives(begin(own), null);
    assertFalse(step());
    assertNull(requireNonNull(group.stored.get(HOST)).pem());
  }

  @Test
  void aNodeThatHasClaimedANameAndReceivesItsCertificateEndsTheClaim() throws Exception {
    assertFalse(step());
    assertTrue(node.mayOrder(host, now));
    arrives(issued(1));
    assertTrue(step());
    assertEquals(Map.of(), group.orders);
  }

  @Test
  void ofTwoOfOneAgeTheNodeKeepsItsOwn() throws Exception {
    X509Bundle own = issued(5);
    has(own);
    arrives(issued(5));
    assertFalse(step());
    assertEquals(own.getCertificate(), served());
    assertEquals(0, counters.shared(SharedOutcome.PUBLISHED));
    assertEquals(0, counters.shared(SharedOutcome.REFUSED));
  }

  private void assertRefused(String why) throws Exception {
    X509Certificate before = served();
    X509Certificate beforeOnDisk = onDisk();
    AcmeOrderGroup.SharedCertificate stored = group.stored.get(HOST);
    assertFalse(step());
    assertFalse(step());
    assertEquals(before, served());
    assertEquals(beforeOnDisk, onDisk());
    assertEquals(1, counters.shared(SharedOutcome.REFUSED));
    assertEquals(1, log.size(), log::toString);
    assertTrue(log.getFirst().contains(why), log::toString);
    assertTrue(log.getFirst().contains("edge-1"), log::toString);
    assertEquals(stored, group.stored.get(HOST), "the node has ordered none that replaces it");
  }

  @Test
  void oneForAnotherNameIsRefused() throws Exception {
    has(issued(10));
    arrives(issued(Duration.ofHours(1), Duration.ofDays(1), "other.example"));
    assertRefused("is refused: it does not cover " + HOST);
  }

  @Test
  void oneThatHasExpiredIsRefused() throws Exception {
    has(issued(100));
    arrives(issued(Duration.ofHours(50), Duration.ofHours(10), HOST));
    assertRefused("is refused: it has expired at ");
  }

  @Test
  void oneWithTheKeyOfAnotherIsRefused() throws Exception {
    has(issued(10));
    X509Bundle next = issued(1);
    arrives(begin(next), AcmeFiles.pem(chain(next), key(issued(1))));
    assertRefused("its key is not that of the certificate");
  }

  @Test
  void oneWithABrokenChainIsRefused() throws Exception {
    has(issued(10));
    X509Bundle next = issued(1);
    List<X509Certificate> chain = List.of(next.getCertificate(), issued(1).getCertificate());
    arrives(begin(next), AcmeFiles.pem(chain, key(next)));
    assertRefused("is refused: it has a chain with a gap");
  }

  @Test
  void oneWithAnEndlessChainIsRefused() throws Exception {
    has(issued(10));
    X509Bundle next = issued(1);
    X509Certificate[] chain = new X509Certificate[11];
    Arrays.fill(chain, next.getCertificate());
    arrives(begin(next), AcmeFiles.pem(List.of(chain), key(next)));
    assertRefused("chain of 11");
  }

  @Test
  void oneOfAnotherAgeThanItClaimsIsRefused() throws Exception {
    has(issued(10));
    X509Bundle next = issued(5);
    arrives(begin(next) + 3_600_000, pem(next));
    assertRefused("another time");
  }

  @Test
  void noiseIsRefused() throws Exception {
    has(issued(10));
    arrives(now, "-----BEGIN PRIVATE KEY-----\nAAA\n-----END PRIVATE KEY-----\n");
    assertRefused("is refused: it contains no certificate");
  }

  @Test
  void oneThatCannotBeDecryptedIsRefused() throws Exception {
    has(issued(10));
    arrives(now, null);
    assertRefused("cluster.secret-file");
  }

  @Test
  void aClockThatIsBehindTakesItLater() throws Exception {
    has(issued(10));
    X509Bundle next = issued(Duration.ofMinutes(-30), Duration.ofDays(60), HOST);
    arrives(next);
    assertRefused("is refused: it is not valid before");
    now += Duration.ofMinutes(61).toMillis();
    assertTrue(step());
    assertEquals(next.getCertificate(), served());
  }

  @Test
  void whatTheNodeOrdersReplacesWhatItRefused() throws Exception {
    arrives(now, null);
    assertFalse(step());
    assertTrue(node.mayOrder(host, now));
    X509Bundle own = issued(1);
    has(own);
    host.inGroup.issued(true);
    assertFalse(step());
    assertEquals(begin(own), requireNonNull(group.stored.get(HOST)).beginMillis());
    assertEquals(Map.of(), group.orders, "the claim has ended");
  }

  @Test
  void whileAnotherNodeHasTheOrderTheNodeWaits() throws Exception {
    assertFalse(step());
    group.orders.put(HOST, "edge-1");
    assertFalse(node.mayOrder(host, now));
    assertFalse(host.inGroup.isUnanswered());
    assertEquals(now + GroupCertificates.PERIOD_MILLIS, host.dueMillis);
    group.orders.clear();
    assertTrue(node.mayOrder(host, now));
    assertFalse(step());
    assertEquals(Map.of(HOST, "self"), group.orders, "it is kept while the order goes on");
    host.inGroup.yields();
    assertFalse(step());
    assertEquals(Map.of(), group.orders);
  }

  @Test
  void anOrderIsKeptUntilItsCertificateIsPublished() throws Exception {
    assertFalse(step());
    assertTrue(node.mayOrder(host, now));
    has(issued(0));
    host.inGroup.issued(true);
    group.isDown = true;
    assertFalse(step());
    group.isDown = false;
    assertEquals(Map.of(HOST, "self"), group.orders);
    assertFalse(step());
    assertEquals(Map.of(), group.orders);
    assertNotNull(group.stored.get(HOST));
  }

  @Test
  void whileTheGroupCannotBeAskedNothingIsOrderedAndALineSaysSo() throws Exception {
    has(issued(10));
    assertFalse(step());
    group.isDown = true;
    for (int i = 0; i < 100; i++) {
      assertFalse(step());
      assertFalse(node.mayOrder(host, now));
      assertTrue(host.inGroup.isUnanswered());
      now += GroupCertificates.PERIOD_MILLIS;
    }
    assertEquals(1, log.size(), log::toString);
    assertTrue(log.getFirst().contains("etcd does not answer"), log::toString);
    group.isDown = false;
    assertFalse(step());
    assertTrue(node.mayOrder(host, now));
    assertFalse(host.inGroup.isUnanswered());
  }

  @Test
  void aGroupThatLostItsCertificatesGetsThemAgain() throws Exception {
    X509Bundle own = issued(5);
    has(own);
    assertFalse(step());
    group.stored.clear();
    now += Duration.ofMinutes(61).toMillis();
    assertFalse(step());
    assertEquals(begin(own), requireNonNull(group.stored.get(HOST)).beginMillis());
  }

  @Test
  void ofTwoNodesThatPublishAtOnceTheSecondReadsAgain() throws Exception {
    assertFalse(step());
    X509Bundle other = issued(3);
    arrives(other);
    // This one has not heard of it.
    group.isUnread = false;
    X509Bundle own = issued(2);
    has(own);
    host.inGroup.issued(true);
    assertFalse(step());
    assertEquals(begin(other), requireNonNull(group.stored.get(HOST)).beginMillis());
    assertFalse(step());
    assertEquals(begin(own), requireNonNull(group.stored.get(HOST)).beginMillis());
    assertFalse(host.inGroup.lacks(begin(own)));
  }

  @Test
  void aCertificateOfAnotherAuthorityIsNotPublished() throws Exception {
    X509Bundle other = issued(5);
    host.pair =
        new AcmeFiles(directory.resolve("data"), URI.create("https://other.example/dir"))
            .certificate(HOST, chain(other), key(other));
    assertFalse(step());
    assertEquals(Map.of(), group.stored);
    // An older one of the authority that is configured replaces it.
    X509Bundle next = issued(8);
    arrives(next);
    assertTrue(step());
    assertEquals(next.getCertificate(), served());
  }

  @Test
  void aDiskThatFailsDoesNotKeepACertificateFromUse() throws Exception {
    X509Bundle old = issued(10);
    X509Bundle next = issued(5);
    has(old);
    Path inTheWay = requireNonNull(requireNonNull(host.pair).file().getParent());
    Files.createDirectories(inTheWay.resolve(HOST + ".pem.new/x"));
    arrives(next);
    assertTrue(step());
    assertEquals(next.getCertificate(), served());
    assertEquals(old.getCertificate(), onDisk());
    assertEquals(1, counters.failures(AcmeFailure.STORAGE));
    assertFalse(step());
    assertEquals(next.getCertificate(), served());
    assertEquals(begin(next), requireNonNull(group.stored.get(HOST)).beginMillis());
  }
}
