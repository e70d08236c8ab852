package io.forebay.server.cluster.peer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.cluster.member.Member;
import io.forebay.server.cluster.purge.OwnPosition;
import io.forebay.server.config.ClusterConfig.CutOff;
import io.forebay.server.tls.PemFile;
import io.forebay.storage.purge.PurgePosition;
import io.forebay.testing.Await;
import io.forebay.testing.Certificates;
import io.forebay.testing.RawClient;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nodes that ask each other, over real sockets. */
final class PeerListenerTest {
  private static final PurgePosition AT = new PurgePosition(1, 2, 40);
  private static final long WAIT_MILLIS = 9_000;

  @TempDir Path directory;
  private Certificates certificates;
  private PeerListener listener;
  private int port;
  private volatile @Nullable PurgePosition applied = AT;
  private final AtomicLong asked = new AtomicLong();
  private final CountDownLatch reached = new CountDownLatch(1);
  private final CountDownLatch takenBack = new CountDownLatch(1);

  @BeforeEach
  void start() throws Exception {
    certificates = Certificates.in(directory);
    listener = listen(0);
  }

  private PeerListener listen(int at) throws Exception {
    return listen(at, credentials("a", "forebay://test/a"));
  }

  private PeerListener listen(int at, NodeCredentials own) throws Exception {
    PeerListener started =
        new PeerListener(
            "test",
            own,
            List.of(
                new PositionEndpoint(
                    "a",
                    new OwnPosition() {
                      @Override
                      public @Nullable PurgePosition applied() {
                        return applied;
                      }

                      @Override
                      public boolean await(long revision, String epoch, long nanos)
                          throws InterruptedException {
                        asked.set(revision);
                        PurgePosition own = applied;
                        if (own != null && revision > own.revision()) {
                          try {
                            reached.await();
                          } catch (InterruptedException e) {
                            takenBack.countDown();
                            throw e;
                          }
                        }
                        return true;
                      }

                      @Override
                      public @Nullable String problem() {
                        return null;
                      }
                    })),
            Set.of("a", "b")::contains);
    port = started.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), at));
    return started;
  }

  @AfterEach
  void stop() {
    reached.countDown();
    listener.close();
  }

  private NodeCredentials credentials(String file, String uri) throws Exception {
    certificates.forUri(file, uri);
    return read(file);
  }

  private NodeCredentials read(String file) throws Exception {
    return new NodeCredentials(
        PemFile.certificates(certificates.authorityPem()),
        PemFile.certificates(certificates.pem(file)),
        PemFile.privateKey(certificates.key(file)));
  }

  private Member member(String name) {
    return new Member(name, "g", "127.0.0.1:" + port, CutOff.FENCE, "1", true);
  }

  private @Nullable PurgePosition ask(String uri, long atLeast) throws Exception {
    try (PeerClient client = new PeerClient("test", credentials("client", uri))) {
      return client.ask(member("a"), atLeast, AT.epoch(), WAIT_MILLIS);
    }
  }

  @Test
  void tellsItsPosition() throws Exception {
    assertEquals(AT, ask("forebay://test/b", 40));
    applied = null;
    assertNull(ask("forebay://test/b", 40));
  }

  @Test
  void waitsUntilThePositionIsReached() throws Exception {
    try (PeerClient client = new PeerClient("test", credentials("b", "forebay://test/b"))) {
      Thread later =
          Thread.ofVirtual()
              .start(() -> {
                Await.until("it is asked", () -> asked.get() == 41);
                applied = AT.at(41);
                reached.countDown();
              });
      assertEquals(AT.at(41), client.ask(member("a"), 41, AT.epoch(), WAIT_MILLIS));
      later.join();
      assertEquals(AT.at(41), client.ask(member("a"), 1, AT.epoch(), WAIT_MILLIS));
    }
  }

  @Test
  void questionsFollowEachOtherOnOneConnection() throws Exception {
    try (PeerClient client = new PeerClient("test", credentials("b", "forebay://test/b"))) {
      for (int i = 0; i < 10; i++) {
        assertEquals(AT, client.ask(member("a"), 40, AT.epoch(), WAIT_MILLIS));
        assertEquals(1, listener.connections());
      }
    }
    Await.until("the client closes it", () -> listener.connections() == 0);
  }

  @Test
  void aNodeThatWasStartedAnewIsAskedOverANewConnection() throws Exception {
    try (PeerClient client = new PeerClient("test", credentials("b", "forebay://test/b"))) {
      assertEquals(AT, client.ask(member("a"), 40, AT.epoch(), WAIT_MILLIS));
      listener.close();
      IOException gone =
          assertThrows(
              IOException.class, () -> client.ask(member("a"), 40, AT.epoch(), WAIT_MILLIS));
      assertTrue(String.valueOf(gone.getMessage()).startsWith("cannot be asked: "));
      listener = listen(port);
      assertEquals(AT, client.ask(member("a"), 40, AT.epoch(), WAIT_MILLIS));
    }
  }

  @Test
  void aNodeThatDoesNotAnswerInTimeIsAPlainReason() throws Exception {
    try (PeerClient client = new PeerClient("test", credentials("b", "forebay://test/b"))) {
      Member member = member("a");
      String target = PositionEndpoint.PATH + "?at-least=41&wait=9000&epoch=" + AT.epoch();
      IOException late = assertThrows(IOException.class, () -> client.get(member, target, -1_900));
      assertEquals("does not answer", late.getMessage());
      takenBack.await();
    }
  }

  @Test
  void aQuestionThatIsTakenBackEndsThere() throws Exception {
    try (PeerClient client = new PeerClient("test", credentials("b", "forebay://test/b"))) {
      Thread asking =
          Thread.ofVirtual()
              .start(() ->
                  assertThrows(
                      InterruptedException.class,
                      () -> client.ask(member("a"), 41, AT.epoch(), WAIT_MILLIS)));
      Await.until("it is asked", () -> asked.get() == 41);
      asking.interrupt();
      takenBack.await();
      asking.join();
      assertEquals(AT, client.ask(member("a"), 40, AT.epoch(), WAIT_MILLIS));
    }
  }

  @Test
  void aQuestionOfAClosedClientFails() throws Exception {
    PeerClient client = new PeerClient("test", credentials("b", "forebay://test/b"));
    assertEquals(AT, client.ask(member("a"), 40, AT.epoch(), WAIT_MILLIS));
    client.close();
    assertThrows(IOException.class, () -> client.ask(member("a"), 40, AT.epoch(), WAIT_MILLIS));
  }

  @Test
  void keysOnLongCurvesAreUsedToo() throws Exception {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec("secp521r1"));
    listener.close();
    listener = listen(0, onCurve("a", generator));
    try (PeerClient client = new PeerClient("test", onCurve("b", generator))) {
      assertEquals(AT, client.ask(member("a"), 40, AT.epoch(), WAIT_MILLIS));
    }
  }

  private NodeCredentials onCurve(String node, KeyPairGenerator generator) throws Exception {
    KeyPair pair = generator.generateKeyPair();
    X509Bundle issued =
        new CertificateBuilder()
            .subject("CN=" + node)
            .publicKey(pair.getPublic())
            .notBefore(Instant.now().minus(Duration.ofDays(1)))
            .addExtendedKeyUsageServerAuth()
            .addExtendedKeyUsageClientAuth()
            .addSanUriName(URI.create("forebay://test/" + node))
            .buildIssuedBy(certificates.authority());
    return new NodeCredentials(
        PemFile.certificates(certificates.authorityPem()),
        List.of(issued.getCertificate()),
        pair.getPrivate());
  }

  @ParameterizedTest
  @ValueSource(strings = {"forebay://test/c", "forebay://other/b", "forebay://test/", "urn:b"})
  void answersMembersAlone(String uri) {
    IOException refused = assertThrows(IOException.class, () -> ask(uri, 40));
    assertEquals("answers 403", refused.getMessage());
    assertEquals(0, asked.get());
  }

  @Test
  void hasNoConnectionForCertificatesOfAnotherAuthority() throws Exception {
    Certificates others = Certificates.in(Files.createDirectories(directory.resolve("others")));
    others.forUri("b", "forebay://test/b");
    NodeCredentials foreign =
        new NodeCredentials(
            PemFile.certificates(certificates.authorityPem()),
            PemFile.certificates(others.pem("b")),
            PemFile.privateKey(others.key("b")));
    try (PeerClient client = new PeerClient("test", foreign)) {
      assertThrows(IOException.class, () -> client.ask(member("a"), 40, AT.epoch(), WAIT_MILLIS));
    }
    NodeCredentials trusting =
        new NodeCredentials(
            PemFile.certificates(others.authorityPem()),
            credentials("b", "forebay://test/b").chain(),
            PemFile.privateKey(certificates.key("b")));
    try (PeerClient client = new PeerClient("test", trusting)) {
      assertThrows(IOException.class, () -> client.ask(member("a"), 40, AT.epoch(), WAIT_MILLIS));
    }
    assertEquals(0, asked.get());
  }

  @Test
  void believesNoOtherNode() throws Exception {
    try (PeerClient client = new PeerClient("test", credentials("b", "forebay://test/b"))) {
      IOException refused =
          assertThrows(
              IOException.class, () -> client.ask(member("c"), 40, AT.epoch(), WAIT_MILLIS));
      assertEquals("has a certificate for another node", refused.getMessage());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ":",
        "host",
        ":7443",
        "host:",
        "host:0",
        "host:65536",
        "a b:7443",
        "user@host:7443",
        "host:7443/other",
        "host:7443?x",
        "host:7443#",
        "http://host:7443"
      })
  void anAddressThatCannotBeUsedIsAPlainReason(String address) throws Exception {
    Member wrong = new Member("a", "g", address, CutOff.FENCE, "1", true);
    try (PeerClient client = new PeerClient("test", credentials("b", "forebay://test/b"))) {
      IOException refused =
          assertThrows(IOException.class, () -> client.ask(wrong, 40, AT.epoch(), WAIT_MILLIS));
      assertEquals("has no address in etcd that can be used", refused.getMessage());
    }
  }

  @Test
  void answersWhatIsAskedAsItShouldBeAndNothingElse() throws Exception {
    NodeCredentials own = credentials("b", "forebay://test/b");
    SSLContext tls = ClusterTls.toServers(own.cas(), own.chain(), own.key());
    assertStatus(tls, 404, "GET", "/forebay/other");
    assertStatus(tls, 405, "POST", PositionEndpoint.PATH + "?at-least=1&epoch=" + AT.epoch());
    assertStatus(tls, 400, "GET", PositionEndpoint.PATH);
    assertStatus(tls, 400, "GET", PositionEndpoint.PATH + "?at-least=-1&epoch=0&wait=1");
    String good = PositionEndpoint.PATH + "?at-least=1&wait=1&epoch=" + AT.epoch();
    assertStatus(tls, 200, "GET", good);
    assertStatus(tls, 400, "GET", good + "&at-least=2");
    try (RawClient client = connect(tls)) {
      client.send("GET /" + "x".repeat(5_000) + " HTTP/1.1\r\n\r\n");
      assertTrue(client.isClosedByPeer());
    }
    // Plain text is no handshake.
    try (RawClient client = new RawClient(port)) {
      client.send("GET " + good + " HTTP/1.1\r\nhost: a\r\n\r\n");
      assertThrows(IOException.class, client::head);
    }
  }

  private RawClient connect(SSLContext tls) throws IOException {
    return new RawClient(tls.getSocketFactory().createSocket("127.0.0.1", port));
  }

  private void assertStatus(SSLContext tls, int status, String method, String target)
      throws IOException {
    try (RawClient client = connect(tls)) {
      assertEquals(status, client.request(method, target).reply().status(), target);
    }
  }
}
