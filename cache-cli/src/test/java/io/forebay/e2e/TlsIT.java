package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import io.forebay.testing.Commands;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.PathOrigin;
import io.forebay.testing.Ports;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The same exchange over TLS, in HTTP/1.1 and in HTTP/2. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("full")
final class TlsIT {
  @TempDir static Path directory;

  private NginxOrigin origin;
  private PathOrigin scripted;
  private Tree tree;
  private EdgeProcess edge;
  private int tlsPort;

  @BeforeAll
  void start() throws Exception {
    Path certificate = directory.resolve("cert.pem");
    Path key = directory.resolve("key.pem");
    Tools.selfSigned(certificate, key, "edge.test", "DNS:edge.test");
    origin = NginxOrigin.start(directory.resolve("nginx"));
    tree = origin.tree(8);
    scripted = PathOrigin.start();
    tlsPort = Ports.free();
    edge =
        EdgeProcess.in(directory.resolve("edge"))
            .memory("256MiB")
            .config(
                """
                origins:
                  files: %s
                  scripted: %s
                routes:
                  - match: {path: /scripted}
                    origin: scripted
                  - origin: files
                # A machine that is busy with other tests turns no connection away.
                overload: {delay: 0s}
                """
                    .formatted(origin.url(), scripted.url()))
            .with(
                "--listen-tls",
                "127.0.0.1:" + tlsPort,
                "--cert",
                certificate.toString(),
                "--key",
                key.toString())
            .start();
    assertTrue(Files.exists(certificate));
  }

  @AfterAll
  void stop() throws Exception {
    Tools.close(edge, scripted, origin);
  }

  private String url(String path) {
    return "https://127.0.0.1:" + tlsPort + path;
  }

  @ParameterizedTest
  @CsvSource({
    "--http1.1, 1.1, 0",
    "--http1.1, 1.1, 100",
    "--http1.1, 1.1, 1048577",
    "--http1.1, 1.1, 67108864",
    "--http2, 2, 0",
    "--http2, 2, 100",
    "--http2, 2, 1048577",
    "--http2, 2, 67108864"
  })
  void everyByteIsTheSame(String protocol, String version, int length) throws Exception {
    Tree.Entry file = tree.write("/" + version + "/" + length, length);
    Curl.Result miss = Curl.get(url(file.path()), "-k", protocol);
    file.assertSame(miss);
    assertEquals(version, miss.httpVersion());
    Curl.Result hit = Curl.get(url(file.path()), "-k", protocol);
    file.assertSame(hit);
    assertTrue(hit.field("cache-status").contains("; hit"), () -> hit.headers().toString());
    assertEquals(Integer.toString(length), hit.field("content-length"));
    Curl.Result unchanged =
        Curl.get(url(file.path()), "-k", protocol, "-H", "If-None-Match: " + hit.field("etag"));
    assertEquals(304, unchanged.status());
    assertEquals(0, unchanged.length());
    if (length > 10) {
      Curl.Result part = Curl.get(url(file.path()), "-k", protocol, "--range", "7-" + (length - 2));
      assertEquals(206, part.status());
      assertEquals(
          Curl.sha256(Arrays.copyOfRange(file.bytes(), 7, length - 1)), part.sha256(), "range");
      Curl.Result head = Curl.get(url(file.path()), "-k", protocol, "--head");
      assertEquals(200, head.status());
      assertEquals(Integer.toString(length), head.field("content-length"));
    }
    origin.assertRequests(1, file.path());
  }

  @Test
  void plainAndTlsAreTwoOrigins() throws Exception {
    Tree.Entry file = tree.write("/scheme", 1000);
    file.assertSame(Curl.get(edge.url(file.path()), "-H", "Host: same.test"));
    file.assertSame(Curl.get(url(file.path()), "-k", "-H", "Host: same.test"));
    origin.assertRequests(2, file.path());
  }

  @Test
  void protocolsShareOneObject() throws Exception {
    Tree.Entry file = tree.write("/shared", 500_000);
    file.assertSame(Curl.get(url(file.path()), "-k", "--http1.1"));
    file.assertSame(Curl.get(url(file.path()), "-k", "--http2"));
    origin.assertRequests(1, file.path());
  }

  @Test
  void clientsOfBothProtocolsFollowOneFill() throws Exception {
    byte[] body = new byte[3_000_000];
    Arrays.fill(body, (byte) 'j');
    CountDownLatch areJoined = new CountDownLatch(1);
    scripted.on(
        "/scripted/joined",
        exchange -> {
          exchange.send(
              "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: "
                  + body.length
                  + "\r\n\r\n");
          exchange.send(Arrays.copyOf(body, 100_000));
          if (!areJoined.await(20, TimeUnit.SECONDS)) {
            exchange.reset();
            return;
          }
          exchange.send(Arrays.copyOfRange(body, 100_000, body.length));
        });
    List<Curl.Started> curls = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      curls.add(Curl.start(url("/scripted/joined"), "-k", i % 2 == 0 ? "--http2" : "--http1.1"));
    }
    for (Curl.Started curl : curls) {
      Await.until("each has something", () -> curl.receivedBytes() > 0);
    }
    areJoined.countDown();
    for (Curl.Started curl : curls) {
      Curl.Result result = curl.finish();
      assertEquals(0, result.exit());
      assertEquals(Curl.sha256(body), result.sha256());
    }
    assertEquals(1, scripted.count("/scripted/joined"));
  }

  @Test
  void aBrokenOriginBodyIsABrokenStream() throws Exception {
    scripted.on(
        "/scripted/short",
        exchange -> {
          exchange.send(
              "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 100000\r\n\r\n");
          exchange.send("x".repeat(50_000));
          exchange.close();
        });
    Curl.Result overTwo = Curl.get(url("/scripted/short"), "-k", "--http2");
    assertEquals(92, overTwo.exit(), "curl's code for a stream that was reset");
    Curl.Result overOne = Curl.get(url("/scripted/short"), "-k", "--http1.1");
    assertTrue(overOne.exit() == 18 || overOne.exit() == 56, () -> "exit " + overOne.exit());
    assertEquals(2, scripted.count("/scripted/short"), "nothing was stored");
  }

  @Test
  void aRequestBodyReachesTheOriginWhole() throws Exception {
    Path upload = directory.resolve("upload");
    byte[] body = new byte[2_000_000];
    Arrays.fill(body, (byte) 'u');
    Files.write(upload, body);
    scripted.on(
        "/scripted/post",
        exchange ->
            exchange.respond(
                200, "Cache-Control: no-store\r\n", Curl.sha256(exchange.request().body())));
    for (String protocol : List.of("--http2", "--http1.1")) {
      Curl.Result result =
          Curl.get(url("/scripted/post"), "-k", protocol, "--data-binary", "@" + upload);
      assertEquals(200, result.status(), protocol);
      assertEquals(
          Curl.sha256(Curl.sha256(body).getBytes(java.nio.charset.StandardCharsets.US_ASCII)),
          result.sha256(),
          protocol);
    }
  }

  @Test
  void manyStreamsAtOnceAreAllAnswered() throws Exception {
    Tree.Entry file = tree.write("/streams", 60_000);
    file.assertSame(Curl.get(url(file.path()), "-k"));
    Commands.Finished load =
        Commands.run(
                Duration.ofSeconds(60),
                List.of(
                    Tools.require("h2load").toString(),
                    "-n5000",
                    "-c10",
                    "-m20",
                    "-t1",
                    url(file.path())))
            .orFail();
    assertTrue(
        load.out().contains("5000 total, 5000 started, 5000 done, 5000 succeeded, 0 failed"),
        load.out());
    assertTrue(load.out().contains("status codes: 5000 2xx"), load.out());
    origin.assertRequests(1, file.path());
  }
}
