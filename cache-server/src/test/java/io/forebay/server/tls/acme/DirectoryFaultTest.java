package io.forebay.server.tls.acme;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Wrong answers of a directory: each is a counted failure, a line in the log, and a back-off. */
@Timeout(120)
final class DirectoryFaultTest {
  @TempDir Path directory;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final CountDownLatch over = new CountDownLatch(1);
  private HttpServer server;
  private AcmeLab lab;

  @BeforeEach
  void start() throws Exception {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.start();
    lab = new AcmeLab(directory);
  }

  @AfterEach
  void stop() {
    over.countDown();
    lab.close();
    server.stop(0);
    threads.shutdownNow();
  }

  private String url(String path) {
    return "http://127.0.0.1:" + server.getAddress().getPort() + path;
  }

  private void on(String path, int status, String type, String body, String... fields) {
    server.createContext(path, exchange -> send(exchange, status, type, body, fields));
  }

  private static void send(
      HttpExchange exchange, int status, String type, String body, String... fields)
      throws IOException {
    exchange.getResponseHeaders().set("Content-Type", type);
    for (int i = 0; i < fields.length; i += 2) {
      exchange.getResponseHeaders().set(fields[i], fields[i + 1]);
    }
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    boolean isHead = exchange.getRequestMethod().equals("HEAD");
    exchange.sendResponseHeaders(status, isHead ? -1 : bytes.length);
    if (!isHead) {
      exchange.getResponseBody().write(bytes);
    }
    exchange.close();
  }

  /** A directory that works; {@code newOrder} and what follows are the test's. */
  private void goodDirectory() {
    on(
        "/dir",
        200,
        "application/json",
        "{\"newNonce\": \"%s\", \"newAccount\": \"%s\", \"newOrder\": \"%s\"}"
            .formatted(url("/nonce"), url("/account"), url("/order")));
    on("/nonce", 200, "text/plain", "", "Replay-Nonce", "abcdef");
    on(
        "/account",
        201,
        "application/json",
        "{\"status\": \"valid\"}",
        "Replay-Nonce",
        "abcdef",
        "Location",
        url("/account/1"));
  }

  private void startAndStep() throws Exception {
    lab.start("hosts: [www.shop.example], directory: \"" + url("/dir") + "\"");
    long before = System.nanoTime();
    long ignored = lab.step();
    assertTrue(System.nanoTime() - before < Duration.ofSeconds(60).toNanos());
  }

  private void assertFailed(AcmeFailure failure) {
    for (AcmeFailure each : AcmeFailure.values()) {
      assertEquals(
          each == failure ? 1 : 0, lab.manager().counters().failures(each), each + " " + lab.log);
    }
    assertEquals(1, lab.log.size(), lab.log::toString);
    assertTrue(lab.log.getFirst().length() < 600, lab.log::toString);
    assertTrue(lab.log.getFirst().chars().allMatch(c -> c >= ' '), lab.log::toString);
    assertTrue(lab.step() > lab.clock.get() + 60_000, "it backs off");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "200 | application/json | {\"newNonce\": | MALFORMED",
        "200 | application/json | [] | MALFORMED",
        "200 | application/json | {\"newNonce\": 7} | MALFORMED",
        "200 | application/json | {\"newNonce\": \"ftp://x/\", \"newAccount\": \"ftp://x/\"} | UNREACHABLE",
        "200 | text/html | <html>maintenance</html> | MALFORMED",
        "404 | text/html | no | REFUSED",
        "429 | text/html | no | RATE_LIMITED",
        "500 | text/html | no | UNREACHABLE",
        "503 | application/problem+json | {\"type\": \"urn:ietf:params:acme:error:serverInternal\"} | UNREACHABLE"
      })
  void aWrongDirectoryIsAFailure(int status, String type, String body, AcmeFailure failure)
      throws Exception {
    on("/dir", status, type, body);
    startAndStep();
    assertFailed(failure);
  }

  @Test
  void aHugeAnswerIsCutOff() throws Exception {
    server.createContext(
        "/dir",
        exchange -> {
          exchange.getResponseHeaders().set("Content-Type", "application/json");
          exchange.sendResponseHeaders(200, 0);
          byte[] much = " ".repeat(64 << 10).getBytes(StandardCharsets.US_ASCII);
          try {
            for (int i = 0; i < 10_000; i++) {
              exchange.getResponseBody().write(much);
            }
          } finally {
            exchange.close();
          }
        });
    startAndStep();
    assertFailed(AcmeFailure.UNREACHABLE);
  }

  @Test
  void deepJsonIsAFailureLikeAnyOther() throws Exception {
    on("/dir", 200, "application/json", "{\"a\":".repeat(100_000));
    startAndStep();
    assertFailed(AcmeFailure.MALFORMED);
  }

  @Tag("full")
  @Test
  void anAnswerThatDoesNotEndIsGivenUp() throws Exception {
    server.createContext(
        "/dir",
        exchange -> {
          exchange.getResponseHeaders().set("Content-Type", "application/json");
          exchange.sendResponseHeaders(200, 100);
          exchange.getResponseBody().write('{');
          exchange.getResponseBody().flush();
          try {
            over.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          exchange.close();
        });
    startAndStep();
    assertFailed(AcmeFailure.UNREACHABLE);
  }

  @ParameterizedTest
  @CsvSource({"7200, 7200", "999999999, 0", "9999999, 86400", "soon, 0", "-5, 0"})
  void whatIsAskedForInRetryAfterIsHeldWithinADay(String field, long seconds) throws Exception {
    goodDirectory();
    on(
        "/order",
        429,
        "application/problem+json",
        "{\"type\": \"urn:ietf:params:acme:error:rateLimited\", \"detail\": \"too many\"}",
        "Replay-Nonce",
        "abcdef",
        "Retry-After",
        field);
    startAndStep();
    long wait = lab.step() - lab.clock.get();
    assertTrue(wait >= seconds * 1000, wait + " ms");
    assertTrue(wait <= Math.max(seconds * 1000, 150_000), wait + " ms");
  }

  @Test
  void anOrderThatLeadsNowhereIsContinuedAndNotOrderedAgain() throws Exception {
    goodDirectory();
    java.util.concurrent.atomic.AtomicInteger orders =
        new java.util.concurrent.atomic.AtomicInteger();
    server.createContext(
        "/order",
        exchange -> {
          orders.incrementAndGet();
          send(
              exchange,
              201,
              "application/json",
              "{\"status\": \"processing\"}",
              "Replay-Nonce",
              "abcdef",
              "Location",
              url("/made/1"));
        });
    on("/made/1", 500, "text/plain", "no", "Replay-Nonce", "abcdef");
    startAndStep();
    for (int i = 0; i < 20; i++) {
      lab.clock.addAndGet(Backoff.MAX_MILLIS * 2);
      long ignored = lab.step();
    }
    assertEquals(1, orders.get());
    assertEquals(20, lab.manager().counters().failures(AcmeFailure.UNREACHABLE));
  }
}
