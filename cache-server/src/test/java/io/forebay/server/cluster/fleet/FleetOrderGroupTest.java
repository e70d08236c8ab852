package io.forebay.server.cluster.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.cluster.etcd.EtcdClient;
import io.forebay.server.cluster.etcd.EtcdClients;
import io.forebay.server.cluster.etcd.KeyValue;
import io.forebay.server.cluster.etcd.Range;
import io.forebay.server.cluster.etcd.Txn;
import io.forebay.server.cluster.member.ClusterKeyspace;
import io.forebay.server.cluster.member.Member;
import io.forebay.server.cluster.member.Membership;
import io.forebay.server.cluster.member.NodeIdentity;
import io.forebay.server.config.ClusterConfig.CutOff;
import io.forebay.server.tls.acme.AcmeOrderGroup.Changes;
import io.forebay.server.tls.acme.AcmeOrderGroup.SharedCertificate;
import io.forebay.testing.Await;
import io.forebay.testing.EtcdFixture;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nodes whose heartbeats are stepped by hand, with Debian's etcd between them. */
@Tag("full")
final class FleetOrderGroupTest {
  private static final ClusterKeyspace KEYS = new ClusterKeyspace("test");
  private static final String AUTHORITY = "ca.example-01234567";
  private static final String HOST = "www.shop.example";
  private static final String PEM = "-----BEGIN PRIVATE KEY----- and more";

  @TempDir Path directory;
  private EtcdFixture etcd;
  private EtcdClient client;

  /** What is added to the clock that nodes measure time by. */
  private long laterNanos;

  @BeforeEach
  void start() throws Exception {
    etcd = EtcdFixture.start(directory.resolve("etcd"), 1);
    client = EtcdClients.of(etcd.endpoints());
  }

  @AfterEach
  void stop() {
    client.close();
    etcd.close();
  }

  private final class Node {
    private final Membership membership;
    private final FleetOrderGroup group;

    Node(String name, int secret) {
      this(name, secret, 60);
    }

    Node(String name, int secret, long leaseSeconds) {
      byte[] key = new byte[32];
      key[0] = (byte) secret;
      membership =
          new Membership(
              client,
              KEYS,
              new Member(name, "g", "127.0.0.1:1", CutOff.FENCE, "1", true),
              new NodeIdentity(name, "b"),
              leaseSeconds);
      group =
          new FleetOrderGroup(
              client,
              KEYS,
              AUTHORITY,
              membership,
              new CertificateCipher(List.of(key), new SecureRandom()),
              Clock.systemUTC(),
              () -> System.nanoTime() + laterNanos);
    }

    /** What a heartbeat does, and what the node learns of it. */
    Changes beat() throws Exception {
      membership.keepAlive();
      if (!membership.head().isOwn()) {
        membership.lost();
      }
      membership.refresh();
      return group.changes();
    }

    long publish(long beginMillis, long replaced) throws Exception {
      return group.publish(
          HOST, beginMillis, System.currentTimeMillis() + 86_400_000, PEM, replaced);
    }
  }

  /** A node that has had a heartbeat. */
  private Node alive(String name) throws Exception {
    return alive(name, 60);
  }

  private Node alive(String name, long leaseSeconds) throws Exception {
    Node node = new Node(name, 1, leaseSeconds);
    var ignored = node.beat();
    return node;
  }

  private List<KeyValue> stored() throws Exception {
    return client.range(Range.first(KEYS.certificates(AUTHORITY), 100)).keys();
  }

  @Test
  void oneNodeHasTheOrderOfAName() throws Exception {
    Node a = alive("a");
    Node b = alive("b");
    assertTrue(a.group.claim(HOST));
    // Before a heartbeat has shown it, and after.
    assertFalse(b.group.claim(HOST));
    var ignored = b.beat();
    assertFalse(b.group.claim(HOST));
    assertTrue(b.group.claim("other.example"));
    ignored = a.beat();
    assertTrue(a.group.claim(HOST));
    assertEquals(Set.of(HOST), a.group.claimed());
    a.group.release(HOST);
    assertEquals(Set.of(), a.group.claimed());
    ignored = b.beat();
    assertTrue(b.group.claim(HOST));
  }

  @Test
  void theOrderOfANodeThatDiesIsFree() throws Exception {
    Node a = alive("a", 2);
    Node b = alive("b");
    assertTrue(a.group.claim(HOST));
    Await.until(
        "its lease ends",
        () -> {
          var beaten = b.beat();
          assertEquals(List.of(), beaten.certificates());
          return b.group.claim(HOST);
        });
    // It was only frozen, and finds out.
    var ignored = a.beat();
    assertFalse(a.group.claim(HOST));
    assertEquals(Set.of(), a.group.claimed());
  }

  @Test
  void aCertificateReachesTheOtherNodesOnce() throws Exception {
    Node a = alive("a");
    Node b = new Node("b", 1);
    assertEquals(new Changes(true, List.of()), b.beat());
    long revision = a.publish(1_000, 0);
    assertNotEquals(0, revision);
    Changes changes = b.beat();
    assertEquals(
        new Changes(false, List.of(new SharedCertificate(HOST, 1_000, revision, "a", false, PEM))),
        changes);
    assertEquals(new Changes(false, List.of()), b.beat());
    b.group.rewind();
    assertEquals(new Changes(true, changes.certificates()), b.beat());
    // One that starts later has it, too.
    assertEquals(new Changes(true, changes.certificates()), new Node("c", 1).beat());
  }

  @Test
  void aNodeThatHasNotReadTheNewestCertificateGetsNoOrder() throws Exception {
    Node a = alive("a");
    Node b = alive("b");
    assertTrue(a.group.claim(HOST));
    assertNotEquals(0, a.publish(1_000, 0));
    a.group.release(HOST);
    assertFalse(b.group.claim(HOST));
    assertEquals(1, b.beat().certificates().size());
    assertTrue(b.group.claim(HOST));
  }

  @Test
  void ofTwoThatPublishAtOnceOneSucceeds() throws Exception {
    Node a = alive("a");
    Node b = alive("b");
    long first = a.publish(1_000, 0);
    assertNotEquals(0, first);
    assertEquals(0, b.publish(2_000, 0));
    assertNotEquals(0, b.publish(2_000, first));
    assertEquals(2_000, a.beat().certificates().getFirst().beginMillis());
    // Those of the nodes, and of the two publications that succeeded; the failed one has ended.
    assertEquals(4, leases());
  }

  private int leases() throws Exception {
    return etcd.post(0, "/v3/lease/leases", "{}").split("\"ID\"", -1).length - 1;
  }

  @Test
  void aNodeKnowsWhatItHasPublishedItself() throws Exception {
    Node a = alive("a");
    long revision = a.publish(1_000, 0);
    assertEquals(
        List.of(new SharedCertificate(HOST, 1_000, revision, "a", true, PEM)),
        a.beat().certificates());
  }

  @Test
  void whatWasReadBeforeTheNodeWroteIsNoNews() throws Exception {
    Node a = alive("a");
    assertTrue(a.group.claim(HOST));
    assertEquals(new Changes(false, List.of()), a.group.changes());
    assertEquals(Set.of(HOST), a.group.claimed(), "an older read has not dropped it");
    var ignored = a.beat();
    assertEquals(Set.of(HOST), a.group.claimed());
  }

  @Test
  void etcdHasNeitherTheKeyNorOneThatLastsLongerThanTheCertificate() throws Exception {
    Node a = alive("a");
    assertNotEquals(0, a.publish(1_000, 0));
    String value = stored().getFirst().value();
    assertFalse(value.contains("PRIVATE"), value);
    // That of the node, and that of the certificate.
    assertEquals(2, leases());
  }

  @Test
  void aNodeWithAnotherSecretSeesThatThereIsOneThatItCannotRead() throws Exception {
    Node a = alive("a");
    Node b = new Node("b", 2);
    long revision = a.publish(1_000, 0);
    assertEquals(
        List.of(new SharedCertificate(HOST, 1_000, revision, "a", false, null)),
        b.beat().certificates());
  }

  @Test
  void aValueThatWasMovedOrChangedCannotBeRead() throws Exception {
    Node a = alive("a");
    assertNotEquals(0, a.publish(1_000, 0));
    String value = stored().getFirst().value();
    String other = KEYS.certificates(AUTHORITY);
    var done =
        client.txn(
            new Txn()
                .put(other + "moved.example", value)
                .put(other + "newer.example", value.replace("1000", "2000"))
                .put(other + "noise.example", "\u0000{")
                .put(other + "empty.example", "{}")
                .put(KEYS.newestCertificate(), "x"));
    assertTrue(done.isDone());
    List<SharedCertificate> read = new Node("b", 1).beat().certificates();
    assertEquals(5, read.size());
    for (SharedCertificate each : read) {
      if (each.name().equals(HOST)) {
        assertEquals(PEM, each.pem());
      } else {
        assertNull(each.pem(), each.name());
      }
    }
  }

  @Test
  void anEtcdThatWasEmptiedIsReadAnew() throws Exception {
    Node a = alive("a");
    assertNotEquals(0, a.publish(1_000, 0));
    assertEquals(1, a.beat().certificates().size());
    var done =
        client.txn(
            new Txn().delete(KEYS.newestCertificate()).delete(KEYS.certificates(AUTHORITY) + HOST));
    assertTrue(done.isDone());
    assertEquals(new Changes(true, List.of()), a.beat());
  }

  @Test
  void anEtcdThatWasRestoredFromABackupIsReadAnew() throws Exception {
    Node a = alive("a");
    Path backup = directory.resolve("backup");
    etcd.save(0, backup);
    assertNotEquals(0, a.publish(1_000, 0));
    assertEquals(1, a.beat().certificates().size());
    assertTrue(a.group.claim(HOST));
    // The revisions that the node has written at come again.
    etcd.restore(backup);
    etcd.awaitLeader();
    assertEquals(new Changes(true, List.of()), a.beat());
    assertEquals(Set.of(), a.group.claimed());
    assertTrue(a.group.claim(HOST));
    assertNotEquals(0, a.publish(1_000, 0));
  }

  @Test
  void manyCertificatesAreReadInPages() throws Exception {
    Node a = alive("a");
    for (int i = 0; i < 45; i++) {
      assertNotEquals(
          0, a.group.publish("h" + i + ".example", 1, System.currentTimeMillis(), PEM, 0));
    }
    assertEquals(45, new Node("b", 1).beat().certificates().size());
  }

  @Test
  void withoutANewReadOfEtcdNothingIsKnown() throws Exception {
    Node a = new Node("a", 1);
    assertThrows(IOException.class, a.group::changes);
    var ignored = a.beat();
    laterNanos = Duration.ofMinutes(1).toNanos();
    assertThrows(IOException.class, a.group::changes);
  }
}
