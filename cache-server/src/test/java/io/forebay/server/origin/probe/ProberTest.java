package io.forebay.server.origin.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.ProbeConfig;
import io.forebay.server.origin.health.ProbeStatus;
import io.forebay.server.origin.health.ProbeStatus.Verdict;
import io.forebay.testing.Await;
import io.forebay.testing.Certificates;
import io.forebay.testing.ScriptedOrigin;
import io.forebay.testing.ScriptedOrigin.Connection;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Probes against servers on real sockets, good ones and bad ones. */
@Timeout(60)
@Tag("slow")
class ProberTest {
  private static final long PATIENCE_SECONDS = 30;

  /** So long that the first probe is the only one. */
  private static final long ONCE_MILLIS = 3_600_000;

  /** For probes that are to run out of time, but not before their server has done its part. */
  private static final int SHORT_MILLIS = 1_000;

  @TempDir Path directory;

  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
  private final List<String> log = new CopyOnWriteArrayList<>();
  private final BlockingQueue<ProbeStatus> results = new LinkedBlockingQueue<>();
  private final List<ProbedEndpoint> probed = new ArrayList<>();
  private final ProbeCounters counters = new ProbeCounters();
  private final Prober prober =
      new Prober(
          allocator,
          new SplittableRandom(1),
          () -> 1_700_000_000_000L,
          System::nanoTime,
          log::add,
          failure -> "handshake: " + failure);

  @AfterEach
  void close() {
    prober.execute(() -> probed.forEach(ProbedEndpoint::stop));
    prober.close();
    assertEquals(0, allocator.metric().usedDirectMemory(), "direct bytes never released");
    assertEquals(0, allocator.metric().usedHeapMemory(), "heap bytes never released");
  }

  // Good servers.

  @Test
  void sendsTheRequestThatIsConfigured() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start()) {
      probe(
          origin,
          ProbeDraft.http().request("HEAD", "/health?full=1").host("www.example.com"),
          null);
      Connection connection = origin.accept();
      String head = connection.head();
      assertEquals(
          "HEAD /health?full=1 HTTP/1.1\r\nhost: www.example.com\r\nuser-agent: forebay-probe\r\n"
              + "accept: */*\r\naccept-encoding: identity\r\nconnection: close\r\n\r\n",
          head);
      connection.send("HTTP/1.1 204 N\r\n\r\n");
      assertPassing();
      connection.awaitClose();
      assertEquals(1, counters.probes());
      assertEquals(0, counters.failures());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "HTTP/1.1 200 OK\r\ncontent-length: 13\r\n\r\nit is all ok!",
        "HTTP/1.1 200 OK\r\n\r\nit is all ok!",
        "HTTP/1.0 200 OK\r\n\r\nit is all ok!",
        "HTTP/1.1 299 OK\r\ntransfer-encoding: chunked\r\n\r\n8\r\nit is al\r\n4\r\nl ok\r\n0\r\n\r\n",
        "HTTP/1.1 103 E\r\nlink: </a>\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nall ok",
      })
  void findsTheTextInTheBody(String response) throws Exception {
    try (ScriptedOrigin origin =
        serve(connection -> {
          connection.head();
          connection.send(response).shutdownOutput();
          connection.awaitClose();
        })) {
      probe(origin, ProbeDraft.http().text("all ok", 13), null);
      assertPassing();
    }
  }

  @Test
  void findsTheTextWhereverTheBodyIsCut() throws Exception {
    try (ScriptedOrigin origin =
        serve(connection -> {
          connection.head();
          connection.send("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n");
          for (char c : "xxall oall ok".toCharArray()) {
            connection.send(String.valueOf(c));
          }
          connection.awaitClose();
        })) {
      probe(origin, ProbeDraft.http().text("all ok", 1024), null);
      assertPassing();
    }
  }

  @Test
  void aConnectionIsEnoughForTcp() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start()) {
      probe(origin, ProbeDraft.tcp(), null);
      origin.accept().awaitClose();
      assertPassing();
    }
  }

  @Test
  void securesTheConnectionAndVerifiesTheName() throws Exception {
    Certificates certificates = Certificates.in(directory);
    SslContext trust =
        SslContextBuilder.forClient()
            .endpointIdentificationAlgorithm("HTTPS")
            .trustManager(certificates.authorityPem().toFile())
            .build();
    try (ScriptedOrigin origin =
        ScriptedOrigin.startTls(
            Certificates.serverContext(certificates.ecdsa("good.test", "good.test")))) {
      origin.serve(connection -> {
        connection.head();
        connection.respond("ok");
      });
      probe(origin, ProbeDraft.http(), trust, "good.test");
      assertPassing();
      probe(origin, ProbeDraft.http(), trust, "other.test");
      assertFailing("TLS failed: handshake: ");
    }
  }

  // Bad servers.

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aServerThatRefuses(boolean isHttp) throws Exception {
    ScriptedOrigin origin = ScriptedOrigin.start();
    origin.close();
    probe(origin, isHttp ? ProbeDraft.http() : ProbeDraft.tcp(), null);
    assertFailing("cannot connect: ");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aServerThatDoesNotAccept(boolean isHttp) throws Exception {
    try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      List<SocketChannel> others = new ArrayList<>();
      try {
        for (int i = 0; i < 8; i++) {
          SocketChannel other = SocketChannel.open();
          others.add(other);
          other.configureBlocking(false);
          var _ = other.connect(full.getLocalSocketAddress());
        }
        ProbeDraft draft = isHttp ? ProbeDraft.http() : ProbeDraft.tcp();
        start(
            target(
                full.getLocalPort(), draft.timeoutMillis(SHORT_MILLIS).config(), null, "unused"));
        assertFailing("no connection within 1000 ms");
      } finally {
        for (SocketChannel other : others) {
          other.close();
        }
      }
    }
  }

  @Test
  void aServerThatHangsInTheHandshake() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start()) {
      SslContext tls = SslContextBuilder.forClient().build();
      probe(origin, ProbeDraft.http().timeoutMillis(SHORT_MILLIS), tls);
      assertFailing("no TLS handshake within 1000 ms");
    }
  }

  @Test
  void aServerThatClosesInTheHandshake() throws Exception {
    try (ScriptedOrigin origin = serve(Connection::cut)) {
      SslContext tls = SslContextBuilder.forClient().build();
      probe(origin, ProbeDraft.http(), tls);
      assertFailing("TLS failed: handshake: ");
    }
  }

  @Tag("full")
  @ParameterizedTest
  @ValueSource(strings = {"", "HTTP/1.1 20", "HTTP/1.1 200 OK\r\nserver: a\r\n"})
  void aServerThatHangsBeforeTheEndOfTheHead(String start) throws Exception {
    try (ScriptedOrigin origin =
        serve(connection -> {
          connection.head();
          connection.send(start).awaitClose();
        })) {
      probe(origin, ProbeDraft.http().timeoutMillis(SHORT_MILLIS), null);
      assertFailing("no response within 1000 ms");
    }
  }

  @Test
  void aServerThatHangsInTheBody() throws Exception {
    try (ScriptedOrigin origin =
        serve(connection -> {
          connection.head();
          connection.send("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nall o").awaitClose();
        })) {
      probe(origin, ProbeDraft.http().text("all ok", 100).timeoutMillis(SHORT_MILLIS), null);
      assertFailing("the expected text did not come within 1000 ms");
    }
  }

  @Test
  void aServerThatDripsItsBody() throws Exception {
    try (ScriptedOrigin origin =
        serve(connection -> {
          connection.head();
          connection.send("HTTP/1.1 200 OK\r\n\r\n");
          while (true) {
            connection.send("x");
            TimeUnit.MILLISECONDS.sleep(10);
          }
        })) {
      probe(origin, ProbeDraft.http().text("all ok", 1 << 18).timeoutMillis(SHORT_MILLIS), null);
      assertFailing("the expected text did not come within 1000 ms");
    }
  }

  @Test
  void aServerThatFloodsTheBody() throws Exception {
    try (ScriptedOrigin origin =
        serve(connection -> {
          connection.head();
          connection.send("HTTP/1.1 200 OK\r\n\r\n");
          byte[] flood = new byte[1 << 16];
          while (true) {
            connection.send(flood);
          }
        })) {
      probe(origin, ProbeDraft.http().text("all ok", 1000), null);
      assertFailing("the first 1000 bytes do not have the expected text");
    }
  }

  @Test
  void aServerThatFloodsTheHead() throws Exception {
    try (ScriptedOrigin origin =
        serve(connection -> {
          connection.head();
          connection.send("HTTP/1.1 200 OK\r\n");
          while (true) {
            connection.send("x-flood: " + "x".repeat(1000) + "\r\n");
          }
        })) {
      probe(origin, ProbeDraft.http(), null);
      assertFailing("not valid HTTP: ");
    }
  }

  @Test
  void aServerThatFloodsInterimResponses() throws Exception {
    try (ScriptedOrigin origin =
        serve(connection -> {
          connection.head();
          while (true) {
            connection.send("HTTP/1.1 103 E\r\n\r\n");
          }
        })) {
      probe(origin, ProbeDraft.http(), null);
      assertFailing("more than 16 interim responses");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {101, 199, 301, 404, 503})
  void aServerThatAnswersWithAnotherStatus(int status) throws Exception {
    try (ScriptedOrigin origin =
        serve(connection -> {
          connection.head();
          // A final response to a probe that takes the one before for an interim one.
          connection.send(
              "HTTP/1.1 "
                  + status
                  + " S\r\ncontent-length: 0\r\n\r\nHTTP/1.1 "
                  + (status == 199 ? 599 : status)
                  + " S\r\n\r\n");
          connection.awaitClose();
        })) {
      probe(origin, ProbeDraft.http().statuses("200", "204-206", "300"), null);
      assertFailing("status " + (status == 199 ? 599 : status));
    }
  }

  @Test
  void aServerThatAnswersWithAnotherBody() throws Exception {
    try (ScriptedOrigin origin =
        serve(connection -> {
          connection.head();
          connection.respond("all is lost").awaitClose();
        })) {
      probe(origin, ProbeDraft.http().text("all ok", 1024), null);
      assertFailing("the body does not have the expected text");
    }
  }

  @Test
  void aTextBehindTheBoundDoesNotCount() throws Exception {
    try (ScriptedOrigin origin =
        serve(connection -> {
          connection.head();
          connection.respond("0123456789all ok").awaitClose();
        })) {
      probe(origin, ProbeDraft.http().text("all ok", 15), null);
      assertFailing("the first 15 bytes do not have the expected text");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "HTTP/1.1 200 OK\r\ncontent-"})
  void aServerThatClosesBeforeItsResponse(String start) throws Exception {
    try (ScriptedOrigin origin =
        serve(connection -> {
          connection.head();
          connection.send(start).close();
        })) {
      probe(origin, ProbeDraft.http(), null);
      assertFailing("the connection was closed before a response");
    }
  }

  @Test
  void aServerThatCutsItsBody() throws Exception {
    try (ScriptedOrigin origin =
        serve(connection -> {
          connection.head();
          connection.send("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nall").close();
        })) {
      probe(origin, ProbeDraft.http().text("all ok", 1024), null);
      ProbeStatus status = next();
      assertEquals(Verdict.FAILING, status.verdict(), status::toString);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"SSH-2.0-OpenSSH\r\n\r\n", "HTTP/1.1 9999 X\r\n\r\n", "\u0000\u0001\r\n\r\n"})
  void aServerThatSpeaksAnotherProtocol(String start) throws Exception {
    try (ScriptedOrigin origin =
        serve(connection -> {
          connection.head();
          connection.send(start).awaitClose();
        })) {
      probe(origin, ProbeDraft.http(), null);
      ProbeStatus status = next();
      assertEquals(Verdict.FAILING, status.verdict(), status::toString);
    }
  }

  @Test
  void aServerThatSpeaksFirst() throws Exception {
    try (ScriptedOrigin origin =
        serve(connection -> {
          connection.send("HTTP/1.1 200 OK\r\n\r\n").awaitClose();
        })) {
      SslContext tls = SslContextBuilder.forClient().build();
      probe(origin, ProbeDraft.http(), tls);
      assertFailing("TLS failed: ");
    }
  }

  // Over time.

  @Test
  void aServerThatGoesDownAndComesBack() throws Exception {
    AtomicInteger status = new AtomicInteger(200);
    try (ScriptedOrigin origin =
        serve(connection -> {
          connection.head();
          connection.send("HTTP/1.1 " + status.get() + " S\r\ncontent-length: 0\r\n\r\n");
        })) {
      ProbedEndpoint endpoint =
          start(target(origin.port(), ProbeDraft.http().thresholds(2, 3).config(), null, "unused"));
      Await.until("it passes", () -> endpoint.status().verdict() == Verdict.PASSING);
      assertEquals(List.of(), log);
      status.set(503);
      Await.until("it fails", () -> endpoint.status().verdict() == Verdict.FAILING);
      assertEquals(
          List.of("main: test is avoided: 3 probes in a row failed; the latest: status 503"), log);
      status.set(200);
      Await.until("it passes again", () -> endpoint.status().verdict() == Verdict.PASSING);
      assertEquals("main: test passes its probes and is used", log.getLast());
      assertEquals(2, log.size());
      assertEquals("status 503", endpoint.status().lastFailure());
    }
  }

  @Test
  void moreEndpointsThanMayBeProbedAtOnceTakeTurns() throws Exception {
    AtomicInteger open = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    int endpoints = 3 * Prober.MAX_RUNNING;
    try (ScriptedOrigin origin =
        serve(connection -> {
          most.accumulateAndGet(open.incrementAndGet(), Math::max);
          connection.head();
          TimeUnit.MILLISECONDS.sleep(20);
          open.decrementAndGet();
          connection.respond("ok");
        })) {
      for (int i = 0; i < endpoints; i++) {
        probe(origin, ProbeDraft.http(), null);
      }
      for (int i = 0; i < endpoints; i++) {
        assertPassing();
      }
      assertTrue(most.get() <= Prober.MAX_RUNNING, "at once: " + most);
      assertEquals(endpoints, counters.probes());
    }
  }

  @Test
  void aStoppedEndpointIsNotProbed() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start()) {
      ProbedEndpoint endpoint =
          start(target(origin.port(), ProbeDraft.http().config(), null, "unused"));
      Connection connection = origin.accept();
      connection.head();
      prober.execute(endpoint::stop);
      connection.awaitClose();
      assertEquals(0, counters.probes());
      assertEquals(null, results.poll());
    }
  }

  private interface Script {
    void run(Connection connection) throws IOException, InterruptedException;
  }

  private static ScriptedOrigin serve(Script script) {
    return ScriptedOrigin.start()
        .serve(connection -> {
          try {
            script.run(connection);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
  }

  private void probe(ScriptedOrigin origin, ProbeDraft draft, @Nullable SslContext tls)
      throws Exception {
    probe(origin, draft, tls, "unused");
  }

  private void probe(
      ScriptedOrigin origin, ProbeDraft draft, @Nullable SslContext tls, String tlsName)
      throws Exception {
    ProbedEndpoint ignored =
        start(target(origin.port(), draft.intervalMillis(ONCE_MILLIS).config(), tls, tlsName));
  }

  private static ProbeTarget target(
      int port, ProbeConfig config, @Nullable SslContext tls, String tlsName) {
    String host = config.host();
    return new ProbeTarget(
        "main: test",
        new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
        host == null ? "127.0.0.1" : host,
        tls,
        tlsName,
        config);
  }

  private ProbedEndpoint start(ProbeTarget target) throws Exception {
    return prober
        .loop()
        .submit(() -> {
          ProbedEndpoint endpoint = prober.probe(target, counters, results::add);
          probed.add(endpoint);
          return endpoint;
        })
        .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  private ProbeStatus next() throws InterruptedException {
    ProbeStatus status = results.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
    assertNotNull(status, "no probe ended");
    return status;
  }

  private void assertPassing() throws InterruptedException {
    ProbeStatus status = next();
    assertEquals(Verdict.PASSING, status.verdict(), status::toString);
  }

  private void assertFailing(String why) throws InterruptedException {
    ProbeStatus status = next();
    assertEquals(Verdict.FAILING, status.verdict(), status::toString);
    String failure = status.lastFailure();
    assertNotNull(failure);
    assertTrue(failure.startsWith(why), failure);
  }
}
