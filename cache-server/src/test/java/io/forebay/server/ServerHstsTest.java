package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Http2Client;
import io.forebay.testing.Http3Client;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import io.netty.handler.codec.Headers;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http3.Http3Headers;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Strict-Transport-Security: over TLS at most one line per response (RFC 6797 §7.1), the route's if
 * it has one, else the origin's first; over plain text none (§7.2), except behind a trusted proxy.
 * The origin here sends two with every response.
 */
@Timeout(120)
@Tag("slow")
final class ServerHstsTest {

  private static final String NAME = "strict-transport-security";
  private static final List<String> OURS = List.of("max-age=63072000");
  private static final List<String> THEIRS = List.of("max-age=1");
  private static final List<String> NONE = List.of();

  private static final String SAID =
      "strict-transport-security: max-age=1\r\nx: y\r\nStrict-Transport-Security: max-age=2\r\n";
  private static final byte[] BODY = TestOrigin.ascii("0123456789");

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();
  private Edge edge;

  /** What came back, interim responses left out. */
  private record Seen(int status, List<String> said, boolean isHit) {}

  /** Sends a request by one protocol and waits for the end of its answer. */
  private interface Asking extends AutoCloseable {
    Seen ask(String method, String path, String... nameAndValue) throws Exception;
  }

  @BeforeEach
  void start() throws IOException {
    for (String prefix : List.of("/ours", "/theirs")) {
      origin.on(
          prefix + "/stored",
          TestOrigin.ok("cache-control: max-age=60\r\netag: \"1\"\r\n" + SAID, BODY));
      origin.on(
          prefix + "/large",
          TestOrigin.ok("cache-control: max-age=60\r\n" + SAID, new byte[90_000]));
      origin.on(
          prefix + "/checked",
          (request, connection) -> {
            if (request.field("if-none-match").isEmpty()) {
              TestOrigin.sendOk(
                  connection, "cache-control: max-age=0\r\netag: \"1\"\r\n" + SAID, BODY);
            } else {
              TestOrigin.notModified(connection, "etag: \"1\"\r\n" + SAID);
            }
          });
      origin.on(
          prefix + "/passed",
          (request, connection) -> {
            connection.send("HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n" + SAID + "\r\n");
            if (request.field("if-none-match").isEmpty()) {
              TestOrigin.sendOk(connection, "cache-control: no-store\r\n" + SAID, BODY);
            } else {
              TestOrigin.notModified(connection, "etag: \"1\"\r\n" + SAID);
            }
          });
      origin.on(
          prefix + "/tunnel",
          (request, connection) ->
              connection.send(
                  "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n"
                      + SAID
                      + "\r\n"));
      origin.on(prefix + "/broken", (request, connection) -> connection.close());
    }
    edge = Edge.start(directory, "32MiB", config("hsts: {max-age: 730d}"));
  }

  private String config(String ours) {
    return "  - {name: behind, address: \"127.0.0.1:0\", proxy-protocol: true}\n"
        + "http3: {listeners: [secure]}\n"
        + "forwarding: {node-id: edge, trusted: \"127.128.0.0/9\"}\n"
        + Edge.origins(origin.url())
        + "routes:\n"
        + "  - {name: ours, match: {path: /ours/}, origin: main, upgrade: x, "
        + ours
        + "}\n"
        + "  - {name: theirs, origin: main, upgrade: x}\n";
  }

  @AfterEach
  void stop() throws IOException {
    edge.close();
    origin.close();
  }

  private Asking connect(String protocol) throws Exception {
    return switch (protocol) {
      case "HTTP/2" -> new OverHttp2(new Http2Client(edge.tlsPort(), edge.authority(), 1 << 20));
      case "HTTP/3" -> new OverHttp3(new Http3Client(edge.tlsPort(), edge.authority()));
      case "TLS" -> new OverHttp1(edge.connectTls());
      default -> new OverHttp1(edge.connect());
    };
  }

  private record OverHttp1(RawClient client) implements Asking {
    @Override
    public Seen ask(String method, String path, String... nameAndValue) throws IOException {
      List<String> fields = new ArrayList<>(List.of("Host: a.example"));
      for (int i = 0; i < nameAndValue.length; i += 2) {
        fields.add(nameAndValue[i] + ": " + nameAndValue[i + 1]);
      }
      client.request(method, path, fields.toArray(String[]::new));
      Response head = client.head();
      if (head.status() == 103) {
        assertTrue(head.all(NAME).size() <= 1, () -> head.lines().toString());
        return seen(client.head(), method);
      }
      return seen(head, method);
    }

    private Seen seen(Response head, String method) throws IOException {
      if (!method.equals("HEAD")) {
        client.body(head);
      }
      return new Seen(head.status(), head.all(NAME), head.isHit());
    }

    @Override
    public void close() {
      client.close();
    }
  }

  private record OverHttp2(Http2Client client) implements Asking {
    @Override
    public Seen ask(String method, String path, String... nameAndValue) throws Exception {
      Http2Client.Answer answer =
          client.open(with(Http2Client.request(method, path), nameAndValue), true);
      Http2Headers head = answer.head();
      while (status(head) < 200) {
        head = answer.head();
      }
      assertEquals("end", answer.end());
      return seen(head);
    }

    @Override
    public void close() {
      client.close();
    }
  }

  private record OverHttp3(Http3Client client) implements Asking {
    @Override
    public Seen ask(String method, String path, String... nameAndValue) throws Exception {
      Http3Client.Answer answer =
          client.open(with(Http3Client.request(method, path), nameAndValue), true);
      Http3Headers head = answer.head();
      while (status(head) < 200) {
        head = answer.head();
      }
      assertEquals("end", answer.end());
      return seen(head);
    }

    @Override
    public void close() {
      client.close();
    }
  }

  private static <H extends Headers<CharSequence, CharSequence, H>> H with(
      H request, String... nameAndValue) {
    for (int i = 0; i < nameAndValue.length; i += 2) {
      request.add(nameAndValue[i], nameAndValue[i + 1]);
    }
    return request;
  }

  private static int status(Headers<CharSequence, CharSequence, ?> head) {
    return Integer.parseInt(head.get(":status").toString());
  }

  private static Seen seen(Headers<CharSequence, CharSequence, ?> head) {
    return new Seen(
        status(head),
        head.getAll(NAME).stream().map(CharSequence::toString).toList(),
        String.valueOf(head.get("cache-status")).contains("; hit"));
  }

  @ParameterizedTest
  @CsvSource({
    "plain, /ours", "plain, /theirs",
    "TLS, /ours", "TLS, /theirs",
    "HTTP/2, /ours", "HTTP/2, /theirs",
    "HTTP/3, /ours", "HTTP/3, /theirs"
  })
  void itIsSaidOnceAndBySomebodyWhoMay(String protocol, String route) throws Exception {
    boolean isPlain = protocol.equals("plain");
    List<String> expected = isPlain ? NONE : route.equals("/ours") ? OURS : THEIRS;
    try (Asking client = connect(protocol)) {
      String stored = route + "/stored";
      assertEquals(new Seen(200, expected, false), client.ask("GET", stored), "fetched");
      long fast = edge.sum(c -> c.fastHits);
      edge.awaitIdle();
      assertEquals(new Seen(200, expected, true), client.ask("GET", stored), "hit");
      assertEquals(new Seen(200, expected, true), client.ask("GET", stored), "hit again");
      if (isPlain || protocol.equals("TLS")) {
        assertTrue(edge.sum(c -> c.fastHits) > fast, "by the fast lane");
      }
      assertEquals(new Seen(200, expected, true), client.ask("HEAD", stored));
      assertEquals(
          new Seen(304, expected, true), client.ask("GET", stored, "if-none-match", "\"1\""));
      assertEquals(new Seen(206, expected, true), client.ask("GET", stored, "range", "bytes=0-1"));
      assertEquals(
          new Seen(206, expected, true), client.ask("GET", stored, "range", "bytes=0-0,5-5"));
      assertEquals(new Seen(416, expected, true), client.ask("GET", stored, "range", "bytes=99-"));

      assertEquals(new Seen(200, expected, false), client.ask("GET", route + "/large"));
      edge.awaitIdle();
      assertEquals(new Seen(200, expected, true), client.ask("GET", route + "/large"));

      String checked = route + "/checked";
      assertEquals(new Seen(200, expected, false), client.ask("GET", checked));
      edge.awaitIdle();
      assertEquals(new Seen(200, expected, false), client.ask("GET", checked), "confirmed");
      assertEquals(
          new Seen(304, expected, false), client.ask("GET", checked, "if-none-match", "\"1\""));
      assertEquals(2, origin.requests(checked).stream().filter(r -> isConditional(r)).count());

      String passed = route + "/passed";
      assertEquals(new Seen(200, expected, false), client.ask("GET", passed));
      assertEquals(new Seen(200, expected, false), client.ask("POST", passed));
      assertEquals(
          new Seen(304, expected, false), client.ask("GET", passed, "if-none-match", "\"1\""));
      assertEquals(
          new Seen(502, expected.equals(OURS) ? OURS : NONE, false),
          client.ask("GET", route + "/broken"));
      assertEquals(
          new Seen(204, expected.equals(OURS) ? OURS : NONE, false),
          client.ask("OPTIONS", passed, "max-forwards", "0"));
    }
  }

  private static boolean isConditional(TestOrigin.Request request) {
    return !request.field("if-none-match").isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/ours", "/theirs"})
  void aTunnelAndAHintAreAnswersToo(String route) throws Exception {
    String request =
        "GET %s HTTP/1.1\r\nHost: a.example\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n";
    try (RawClient secure = edge.connectTls();
        RawClient plain = edge.connect()) {
      secure.request("GET", route + "/passed");
      Response hint = secure.head();
      assertEquals(103, hint.status());
      assertEquals("</a>", hint.field("link"));
      assertEquals(route.equals("/ours") ? NONE : THEIRS, hint.all(NAME));
      secure.body(secure.head());
      Response switched = secure.send(request.formatted(route + "/tunnel")).head();
      assertEquals(101, switched.status());
      assertEquals(route.equals("/ours") ? OURS : THEIRS, switched.all(NAME));
      switched = plain.send(request.formatted(route + "/tunnel")).head();
      assertEquals(101, switched.status());
      assertEquals(NONE, switched.all(NAME));
    }
  }

  @Test
  void whatIsStoredFollowsTheRouteAsItIsNow() throws Exception {
    try (Asking client = connect("TLS")) {
      assertEquals(OURS, client.ask("GET", "/ours/stored").said());
      edge.awaitIdle();
      edge.configure(config("cache: true"));
      edge.server().reload();
      assertEquals(new Seen(200, THEIRS, true), client.ask("GET", "/ours/stored"));
      edge.configure(config("hsts: {max-age: 0s}"));
      edge.server().reload();
      assertEquals(new Seen(200, List.of("max-age=0"), true), client.ask("GET", "/ours/stored"));
    }
    assertEquals(1, origin.count("/ours/stored"));
  }

  /** TLS may have ended at a proxy: the origin's word is for who is behind that. */
  @Test
  void aProxyIsHandedWhatTheOriginSays() throws Exception {
    edge.configure(config("hsts: {max-age: 730d}").replace("127.128.0.0/9", "127.0.0.1"));
    edge.server().reload();
    try (Asking trusted = connect("plain");
        RawClient named = new RawClient(edge.port("behind"))) {
      for (String path : List.of("/theirs/stored", "/theirs/passed", "/ours/stored")) {
        for (int i = 0; i < 2; i++) {
          assertEquals(THEIRS, trusted.ask("GET", path).said(), path);
          edge.awaitIdle();
        }
      }
      named.send(
          "PROXY TCP4 203.0.113.9 192.0.2.1 4711 443\r\n".getBytes(StandardCharsets.US_ASCII));
      assertEquals(THEIRS, named.get("/theirs/stored", "Host: a.example").all(NAME));
      assertEquals(THEIRS, named.get("/theirs/passed", "Host: a.example").all(NAME));
    }
  }
}
