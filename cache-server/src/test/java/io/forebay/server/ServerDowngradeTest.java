package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Http2Client;
import io.forebay.testing.Http3Client;
import io.forebay.testing.ScriptedOrigin;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http3.Http3Headers;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * S5: attempts to inject lines into the HTTP/1.1 request to the origin through HTTP/2 and HTTP/3,
 * which have none. Checks every byte of the head that the origin receives.
 */
@Timeout(120)
@Tag("slow")
final class ServerDowngradeTest {

  private static final String SMUGGLED = "GET /smuggled HTTP/1.1\r\nHost: a.example\r\n\r\n";

  @TempDir Path directory;
  private final ScriptedOrigin origin = ScriptedOrigin.start();
  private final List<String> heads = new CopyOnWriteArrayList<>();
  private final List<String> bodies = new CopyOnWriteArrayList<>();
  private Edge edge;

  @BeforeEach
  void start() throws IOException {
    origin.serve(connection -> {
      while (true) {
        String head = connection.head();
        heads.add(head);
        List<String> lengths = ScriptedOrigin.Connection.fields(head, "content-length");
        byte[] body = new byte[0];
        if (head.toLowerCase(Locale.ROOT).contains("transfer-encoding: chunked")) {
          body = connection.chunkedBody();
        } else if (!lengths.isEmpty()) {
          body = connection.bytes(Integer.parseInt(lengths.getFirst()));
        }
        bodies.add(new String(body, StandardCharsets.ISO_8859_1));
        connection.send(
            "HTTP/1.1 200 OK\r\ncache-control: no-store\r\ncontent-length: 2\r\n\r\nok");
      }
    });
    edge =
        Edge.start(
            directory, "32MiB", Edge.origins(origin.url()) + "http3: {listeners: [secure]}\n");
  }

  @AfterEach
  void stop() throws IOException {
    edge.close();
    origin.close();
  }

  /** How a stream ends that has this instead of, or beside, what it should; the body is sent on. */
  private String attempt(String protocol, String name, String value) throws Exception {
    boolean isPseudo = name.startsWith(":");
    if (protocol.equals("HTTP/2")) {
      try (Http2Client client = new Http2Client(edge.tlsPort(), edge.authority(), 65_535)) {
        Http2Headers headers = Http2Client.request("POST", "/x");
        var _ = isPseudo ? headers.set(name, value) : headers.add(name, value);
        Http2Client.Answer answer = client.open(headers, false);
        client.data(answer, SMUGGLED, true);
        String end = answer.end();
        return end.equals("end") ? answer.head().status().toString() : end;
      }
    }
    try (Http3Client client = new Http3Client(edge.tlsPort(), edge.authority())) {
      Http3Headers headers = Http3Client.request("POST", "/x");
      var _ = isPseudo ? headers.set(name, value) : headers.add(name, value);
      Http3Client.Answer answer = client.open(headers, false);
      client.data(answer, SMUGGLED, true);
      String end = answer.end();
      return end.equals("end") ? answer.status() : end;
    }
  }

  static Stream<Arguments> injections() {
    String end = "\r\n\r\n" + SMUGGLED;
    List<String[]> fields =
        List.of(
            new String[] {"x", "a" + end},
            new String[] {"x", "a\nb: c"},
            new String[] {"x", "a\rb: c"},
            new String[] {"x", "a\0b"},
            new String[] {"x: a\r\ny", "b"},
            new String[] {"x" + end, "b"},
            new String[] {"x ", "b"},
            new String[] {"", "b"},
            new String[] {"transfer-encoding", "chunked"},
            new String[] {"transfer-encoding\r\ny", "chunked"},
            new String[] {"connection", "content-length"},
            new String[] {"upgrade", "websocket"},
            new String[] {"content-length", "0"},
            new String[] {"content-length", "1000"},
            new String[] {"content-length", "4\r\nx: y"},
            new String[] {"host", "b.example"},
            new String[] {":path", "/x HTTP/1.1" + end},
            new String[] {":path", "/x\r\ny: z"},
            new String[] {":path", "x"},
            new String[] {":path", "http://b.example/x"},
            new String[] {":method", "GET / HTTP/1.1" + end},
            new String[] {":method", "GET /x"},
            new String[] {":authority", "a.example\r\ny: z"},
            new String[] {":authority", "u@a.example"},
            new String[] {":scheme", "https" + end});
    return Stream.of("HTTP/2", "HTTP/3")
        .flatMap(
            protocol -> fields.stream().map(field -> Arguments.of(protocol, field[0], field[1])));
  }

  @ParameterizedTest
  @MethodSource("injections")
  void s5NothingOfItReachesTheOrigin(String protocol, String name, String value) throws Exception {
    String end = attempt(protocol, name, value);
    assertTrue(end.startsWith("reset") || end.equals("400"), end);
    // What has no length that is wrong but by its end is found out on the way: the origin may have
    // had a head, and never the end of a message, nor another one.
    assertTrue(heads.stream().noneMatch(head -> head.contains("smuggled")), heads.toString());
    assertEquals(List.of(), bodies);
    if (!name.equals("content-length") || value.equals("0")) {
      assertEquals(List.of(), heads);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"HTTP/2", "HTTP/3"})
  void s5ABodyIsABodyWhateverStandsInIt(String protocol) throws Exception {
    assertEquals("200", attempt(protocol, "x", "y"));
    assertEquals("200", attempt(protocol, "content-length", "" + SMUGGLED.length()));
    assertEquals(List.of(SMUGGLED, SMUGGLED), bodies);
    assertEquals(2, heads.size());
    for (String head : heads) {
      boolean isChunked = head.equals(heads.getFirst());
      String address = "127.0.0.1";
      assertEquals(
          "POST /x HTTP/1.1\r\nhost: a.example\r\n"
              + (isChunked ? "x: y\r\n" : "")
              + "x-forwarded-for: "
              + address
              + "\r\nx-forwarded-proto: https\r\nx-forwarded-host: a.example\r\nvia: "
              + protocol.substring(5)
              + " edge\r\ncdn-loop: edge\r\n"
              + (isChunked
                  ? "transfer-encoding: chunked\r\n\r\n"
                  : "content-length: " + SMUGGLED.length() + "\r\n\r\n"),
          head);
    }
  }
}
