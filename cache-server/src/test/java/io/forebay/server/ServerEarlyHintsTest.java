package io.forebay.server;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.purge.PurgeKind;
import io.forebay.testing.Http2Client;
import io.forebay.testing.Http3Client;
import io.forebay.testing.RawClient;
import io.netty.handler.codec.Headers;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** RFC 8297: the links of a stale response, while the origin is asked. */
@Timeout(240)
final class ServerEarlyHintsTest {
  private static final String CSS = "</a.css>; rel=preload; as=style";
  private static final String POLICY = "default-src 'self'";
  private static final String FIELDS =
      "cache-control: max-age=10\r\netag: \"1\"\r\nlink: "
          + CSS
          + ", </2>; rel=next\r\n"
          + "content-security-policy: "
          + POLICY
          + "\r\n";

  @TempDir Path directory;
  private final AtomicLong clock = new AtomicLong(System.currentTimeMillis());
  private final TestOrigin origin = new TestOrigin();

  /** Holds all responses but the first of each path. */
  private final CountDownLatch gate = new CountDownLatch(1);

  private @Nullable Edge edge;

  @AfterEach
  void stop() throws IOException {
    gate.countDown();
    edge().close();
    origin.close();
  }

  private Edge edge() {
    return requireNonNull(edge);
  }

  private void start(String routes) throws IOException {
    origin.on(
        "/page",
        (request, connection) -> {
          if (request.number() > 1) {
            TestOrigin.await(gate);
          }
          if (request.field("if-none-match").isEmpty()) {
            TestOrigin.sendOk(connection, FIELDS, TestOrigin.ascii("page"));
          } else {
            TestOrigin.notModified(connection, "etag: \"1\"\r\n");
          }
        });
    edge =
        Edge.start(
            directory,
            "32MiB",
            "http3: {listeners: [secure]}\n" + Edge.origins(origin.url()) + routes,
            clock::get);
  }

  private static String route(String hints) {
    return "routes: [{origin: main, early-hints: " + hints + "}]\n";
  }

  /** The page is stored under the key that such a client asks for, and stale by now. */
  private void storeStale(String protocol) throws Exception {
    try (Waiting client = ask(protocol, "GET")) {
      assertEquals(200, client.next().status());
    }
    edge().awaitIdle();
    clock.addAndGet(20_000);
  }

  /** A head of an answer, the first or the next. */
  private record Head(int status, List<String> links, List<String> policies) {}

  /** One request; each call waits for a head. */
  private interface Waiting extends AutoCloseable {
    Head next() throws Exception;

    @Override
    void close() throws Exception;
  }

  private Waiting ask(String protocol, String method, String... nameAndValue) throws Exception {
    return switch (protocol) {
      case "HTTP/2" -> {
        Http2Client client = new Http2Client(edge().tlsPort(), edge().authority(), 1 << 20);
        Http2Client.Answer answer =
            client.open(with(Http2Client.request(method, "/page"), nameAndValue), true);
        yield waiting(() -> seen(answer.head()), client);
      }
      case "HTTP/3" -> {
        Http3Client client = new Http3Client(edge().tlsPort(), edge().authority());
        Http3Client.Answer answer =
            client.open(with(Http3Client.request(method, "/page"), nameAndValue), true);
        yield waiting(() -> seen(answer.head()), client);
      }
      default -> {
        RawClient client = protocol.equals("TLS") ? edge().connectTls() : edge().connect();
        List<String> fields = new ArrayList<>(List.of("Host: a.example"));
        for (int i = 0; i < nameAndValue.length; i += 2) {
          fields.add(nameAndValue[i] + ": " + nameAndValue[i + 1]);
        }
        client.request(method, "/page", fields.toArray(String[]::new));
        yield waiting(() -> seen(client.head()), client);
      }
    };
  }

  private interface Source {
    Head next() throws Exception;
  }

  private static Waiting waiting(Source source, AutoCloseable client) {
    return new Waiting() {
      @Override
      public Head next() throws Exception {
        return source.next();
      }

      @Override
      public void close() throws Exception {
        client.close();
      }
    };
  }

  private static <H extends Headers<CharSequence, CharSequence, H>> H with(
      H request, String... nameAndValue) {
    for (int i = 0; i < nameAndValue.length; i += 2) {
      request.add(nameAndValue[i], nameAndValue[i + 1]);
    }
    return request;
  }

  private static Head seen(Headers<CharSequence, CharSequence, ?> head) {
    return new Head(
        Integer.parseInt(head.get(":status").toString()),
        head.getAll("link").stream().map(CharSequence::toString).toList(),
        head.getAll("content-security-policy").stream().map(CharSequence::toString).toList());
  }

  private static Head seen(RawClient.Response head) {
    return new Head(head.status(), head.all("link"), head.all("content-security-policy"));
  }

  private static final Head HINT = new Head(103, List.of(CSS), List.of(POLICY));

  @ParameterizedTest
  @CsvSource({"HTTP/2, on", "HTTP/3, on", "HTTP/2, all", "plain, all", "TLS, all"})
  void whoWaitsForTheOriginGetsTheLinksOfTheStaleResponse(String protocol, String hints)
      throws Exception {
    start(route(hints));
    storeStale(protocol);
    try (Waiting first = ask(protocol, "GET");
        Waiting second =
            ask(protocol, "GET", "sec-fetch-mode", "navigate", "sec-fetch-dest", "document")) {
      assertEquals(HINT, first.next());
      assertEquals(HINT, second.next());
      gate.countDown();
      assertEquals(200, first.next().status());
      assertEquals(200, second.next().status());
    }
    assertEquals(2, origin.count("/page"), "they share a fetch");
    assertEquals(2, edge().sum(c -> c.earlyHints));
    try (Waiting third = ask(protocol, "GET")) {
      assertEquals(200, third.next().status(), "a hit waits for nobody");
    }
  }

  @ParameterizedTest
  @CsvSource({"plain, on", "TLS, on", "plain, off", "TLS, off", "HTTP/2, off", "HTTP/3, off"})
  void whereItIsNotSetThereIsNone(String protocol, String hints) throws Exception {
    start(route(hints));
    storeStale(protocol);
    gate.countDown();
    try (Waiting client = ask(protocol, "GET")) {
      assertEquals(200, client.next().status());
    }
    assertEquals(2, origin.count("/page"));
    assertEquals(0, edge().sum(c -> c.earlyHints));
  }

  @ParameterizedTest
  @CsvSource({
    "sec-purpose, prefetch",
    "sec-purpose, prefetch;prerender",
    "purpose, prefetch",
    "sec-fetch-dest, iframe",
    "sec-fetch-dest, script",
    "sec-fetch-mode, cors"
  })
  void requestsThatAreNoNavigationGetNone(String name, String value) throws Exception {
    start(route("on"));
    storeStale("HTTP/2");
    gate.countDown();
    try (Waiting client = ask("HTTP/2", "GET", name, value)) {
      assertEquals(200, client.next().status());
    }
    assertEquals(0, edge().sum(c -> c.earlyHints));
  }

  @Test
  void aHeadRequestAndAMissGetNone() throws Exception {
    start(route("on"));
    storeStale("HTTP/2");
    assertEquals(0, edge().sum(c -> c.earlyHints));
    gate.countDown();
    try (Waiting head = ask("HTTP/2", "HEAD")) {
      assertEquals(200, head.next().status());
    }
    assertEquals(0, edge().sum(c -> c.earlyHints));
  }

  @Test
  void linksThatRulesRemoveAreNotSaid() throws Exception {
    start(
        "routes: [{origin: main, early-hints: on, rules:"
            + " [{response-headers: {remove: [Link]}}]}]\n");
    storeStale("HTTP/2");
    gate.countDown();
    try (Waiting client = ask("HTTP/2", "GET")) {
      assertEquals(200, client.next().status());
    }
    assertEquals(0, edge().sum(c -> c.earlyHints));
  }

  @Test
  void afterAHardPurgeNothingIsSaid() throws Exception {
    start(route("on"));
    storeStale("HTTP/2");
    edge().purge(PurgeKind.EVERYTHING, "", false);
    gate.countDown();
    try (Waiting client = ask("HTTP/2", "GET")) {
      assertEquals(200, client.next().status());
    }
    assertEquals(0, edge().sum(c -> c.earlyHints));
  }

  @Test
  void afterASoftPurgeTheLinksAreSaid() throws Exception {
    start(route("on"));
    try (Waiting client = ask("HTTP/2", "GET")) {
      assertEquals(200, client.next().status());
    }
    edge().awaitIdle();
    edge().purge(PurgeKind.EVERYTHING, "", true);
    try (Waiting client = ask("HTTP/2", "GET")) {
      assertEquals(HINT, client.next());
      gate.countDown();
      assertEquals(200, client.next().status());
    }
  }

  @Test
  void hintsOfTheOriginFollow() throws Exception {
    start(route("on"));
    storeStale("HTTP/2");
    origin.on(
        "/page",
        (request, connection) -> {
          connection.send("HTTP/1.1 103 Early Hints\r\nlink: </new.css>; rel=preload\r\n\r\n");
          TestOrigin.await(gate);
          TestOrigin.notModified(connection, "etag: \"1\"\r\n");
        });
    try (Waiting client = ask("HTTP/2", "GET")) {
      assertEquals(HINT, client.next());
      assertEquals(new Head(103, List.of("</new.css>; rel=preload"), List.of()), client.next());
      gate.countDown();
      assertEquals(200, client.next().status());
    }
  }

  @Test
  void anErrorOfTheOriginFollowsAsItIs() throws Exception {
    start(route("on"));
    storeStale("HTTP/2");
    origin.on(
        "/page",
        (request, connection) ->
            connection.send("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n"));
    try (Waiting client = ask("HTTP/2", "GET")) {
      assertEquals(HINT, client.next());
      Head last = client.next();
      assertEquals(403, last.status());
      assertTrue(last.links().isEmpty());
    }
    assertEquals(1, edge().sum(c -> c.earlyHints));
  }
}
