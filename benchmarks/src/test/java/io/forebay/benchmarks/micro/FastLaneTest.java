package io.forebay.benchmarks.micro;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.benchmarks.micro.EmbeddedEdge.Answer;
import io.forebay.core.http.HeaderFields;
import io.forebay.server.origin.call.OriginRequest;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetector.Level;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The fast lane answers as the full lane does, to the byte: two edges with one clock and one origin
 * are sent the same bytes, sound ones, odd ones and broken ones. One gets them as they are. To the
 * other the first byte of each piece comes alone, and so all of it goes through the decoder: a
 * plain request is known by its first bytes or not at all.
 */
@Tag("slow")
final class FastLaneTest {

  private static final String ROUTES =
      """
      routes:
        - {match: {path: /}}
        - {match: {path: /honour}, client-directives: honour}
        - {match: {path: /key}, key: {headers: [accept-language]}}
        - {match: {path: /strip}, request-cookies: {strip: [a]}}
        - {match: {path: /sort}, key: {query: sort, strip: [utm_*], port: false, fold-path-case: true}}
        - {match: {path: /few}, key: {cookies: [b], device: true, languages: [en, de]}}
        - {match: {path: /search}, key: {no-vary-search: true}}
        - {match: {path: /pass}, cache: false}
        - {match: {path: /grace}, stale-while-revalidate: 100s}
        - {match: {path: /early}, early-refresh: 50%}
        - {match: {path: /hsts}, hsts: {max-age: 1d}}
        - {match: {host: other.example.com, path: /}}
        - match: {path: /ruled}
          rules:
            - response-headers: {set: {x-set: s}, add: {vary: origin}, remove: [etag]}
            - {when: {path: {extension: css}}, response-headers: {set: {x-set: t}}}
            - {when: {query: {debug: "*"}}, deny: 403}
            - {when: {cookie: {a: "*"}}, response-headers: {set: {x-cookie: "yes"}}}
            - {when: {header: {user-agent: {regex: "[0-9]"}}}, response-headers: {add: {x-agent: a}}}
            - {when: {path: {regex: "^/ruled/old/(.*)"}}, redirect: "/$1"}
            - {when: {client: 192.0.2.0/24, not: {method: HEAD}}, respond: 204}
        - match: {path: /shared}
          cors: {origins: ["https://a.example", "https://*.b.example"], expose-headers: [ETag]}
          security-headers: on
          error-pages: {404: {text: "$status $uri", from: [edge]}, 410: {text: a, from: origin}}
          rules:
            - {response: {status: 404}, response-headers: {set: {x-gone: "$$"}, remove: [vary]}}
            - response: {header: {cache-control: "max-age=100*"}, status: [200, 3xx]}
              response-headers: {set: {x-long: l}, default: {etag: e, location: l}}
            - {response: {content-type: {regex: "x"}}, when: {query: {t: "1"}}, response-headers: {remove: [etag]}}
      """;

  private static final List<String> METHODS =
      List.of("GET", "GET", "GET", "GET", "GET", "GET", "HEAD", "HEAD", "POST", "get", "OPTIONS");

  private static final List<String> PATHS =
      List.of(
          "/1",
          "/2",
          "/empty",
          "/large",
          "/sliced",
          "/gone",
          "/moved",
          "/vary",
          "/agent",
          "/private",
          "/must",
          "/short",
          "/old",
          "/honour/1",
          "/ruled/1",
          "/ruled/vary",
          "/ruled/2.css",
          "/ruled/1?debug",
          "/ruled/1?x=%64",
          "/ruled/old/1",
          "/shared/1",
          "/shared/gone",
          "/shared/moved",
          "/shared/short?t=1",
          "/key/1",
          "/strip/1",
          "/pass/1",
          "/sort/1?b=1&a=2&utm_x=3",
          "/sort/1?a=2&b=1",
          "/sort/1?a=2&B=1",
          "/sort/ABC",
          "/few/1",
          "/search/1?a=1",
          "/grace/short",
          "/early/1",
          "/secure",
          "/hsts/secure",
          "/a//b",
          "/a/../1",
          "/%31",
          "/a%20b",
          "/.x",
          "/1?q=%zz",
          "/1?",
          "/a|b",
          "/a#b",
          "/%zz");

  private static final List<String> FIELDS =
      List.of(
          "Accept: */*",
          "Accept-Encoding: gzip, br",
          "accept-encoding:identity;q=0.5",
          "Accept-Language: de-CH, en;q=0.5",
          "User-Agent: wrk",
          "User-Agent:",
          "Cookie: a=1; b=2",
          "Cookie: b=2",
          "Referer: http://example.com/",
          "Cache-Control: no-cache",
          "Cache-Control: max-age=0",
          "Cache-Control: only-if-cached",
          "Pragma: no-cache",
          "Connection: keep-alive",
          "Connection: close",
          "Connection: upgrade",
          "Range: bytes=0-3",
          "If-None-Match: \"1\"",
          "If-Modified-Since: Thu, 01 Jan 2026 00:00:00 GMT",
          "Sec-Fetch-Mode: navigate",
          "X-Forwarded-For: 10.0.0.1",
          "Via: 1.1 other",
          "CDN-Loop: other",
          "Content-Length: 0",
          "Content-Length: 3",
          "Transfer-Encoding: chunked",
          "Expect: 100-continue",
          "Upgrade: websocket",
          "Authorization: Basic eDp5",
          "Host: second.example.com",
          "X-Unknown: \u00e4",
          "Accept : x",
          " folded",
          "Accept: a\u0000b",
          "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
          "Upgrade-Insecure-Requests: 1",
          "Origin: https://a.example",
          "Origin: https://x.b.example",
          "Origin: null",
          "Access-Control-Request-Method: GET");

  private static final List<String> HOSTS =
      List.of(
          "example.com", "example.com", "EXAMPLE.com:80", "other.example.com", "a:b", "", "x y");

  private long nowMillis = 1_800_000_000_000L;

  @Test
  void givesTheAnswersOfTheFullLane() {
    compare(1_200, 32L << 20);
  }

  @Test
  @Tag("full")
  void givesTheAnswersOfTheFullLaneForHalfAMinute() {
    compare(20_000, 32L << 20);
  }

  @Test
  @Tag("campaign")
  void givesTheAnswersOfTheFullLaneForLong() {
    // To follow each buffer takes most of the time; the short run does.
    Level level = ResourceLeakDetector.getLevel();
    ResourceLeakDetector.setLevel(Level.DISABLED);
    try {
      // So much that nothing is evicted: what an edge forgets first is its own affair.
      compare(3_000_000, 1L << 30);
    } finally {
      ResourceLeakDetector.setLevel(level);
    }
  }

  private void compare(int pieces, long memoryBytes) {
    long seed = Long.getLong("test.seed", System.nanoTime());
    System.out.println("FastLaneTest: -Dtest.seed=" + seed);
    SplittableRandom random = new SplittableRandom(seed);
    try (EmbeddedEdge fast = new EmbeddedEdge(this::answer, ROUTES, memoryBytes, () -> nowMillis);
        EmbeddedEdge full = new EmbeddedEdge(this::answer, ROUTES, memoryBytes, () -> nowMillis)) {
      for (int i = 0; i < pieces; i++) {
        byte[] piece = piece(random);
        String expected =
            full.exchangeText(piece, 0, 1) + full.exchangeText(piece, 1, piece.length);
        String seen = fast.exchangeText(piece);
        assertEquals(expected, seen, () -> "to " + printed(piece));
        assertEquals(full.isConnected(), fast.isConnected(), () -> "after " + printed(piece));
        // After its last answer an edge still reads for a while, and answers nothing.
        boolean isOver = !full.isConnected() || expected.contains("\r\nconnection: close\r\n");
        if (isOver || random.nextInt(20) == 0) {
          full.reconnect();
          fast.reconnect();
        }
        if (random.nextInt(50) == 0) {
          nowMillis += random.nextInt(3_000);
          // As the store's own thread would: without it no region ever becomes free again.
          full.settle();
          fast.settle();
        }
      }
      assertEquals(0, full.fastHits());
      assertTrue(fast.fastHits() > pieces / 10, () -> "only " + fast.fastHits() + " fast hits");
    }
  }

  private static String printed(byte[] piece) {
    return new String(piece, StandardCharsets.ISO_8859_1)
        .replace("\r", "\\r")
        .replace("\n", "\\n\n");
  }

  /** What comes in one read: one request or some in a row, whole or not, sometimes damaged. */
  private static byte[] piece(SplittableRandom random) {
    StringBuilder text = new StringBuilder();
    int requests = random.nextInt(4) == 0 ? 1 + random.nextInt(5) : 1;
    for (int i = 0; i < requests; i++) {
      request(random, text);
    }
    byte[] bytes = text.toString().getBytes(StandardCharsets.ISO_8859_1);
    return switch (random.nextInt(24)) {
      case 0 -> {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
        yield bytes;
      }
      case 1 -> without(bytes, random.nextInt(bytes.length));
      case 2 -> with(bytes, random.nextInt(bytes.length), random);
      case 3 -> Arrays.copyOf(bytes, 1 + random.nextInt(bytes.length));
      default -> bytes;
    };
  }

  private static void request(SplittableRandom random, StringBuilder text) {
    boolean isOdd = random.nextInt(4) == 0;
    text.append(isOdd ? of(METHODS, random) : random.nextInt(8) == 0 ? "HEAD" : "GET");
    text.append(' ').append(of(PATHS, random)).append(" HTTP/1.");
    text.append(isOdd && random.nextInt(8) == 0 ? random.nextInt(3) : 1).append("\r\n");
    text.append("Host: ").append(isOdd ? of(HOSTS, random) : HOSTS.getFirst()).append("\r\n");
    int fields = random.nextInt(6);
    for (int i = 0; i < fields; i++) {
      // The first are what browsers send; the odd ones end most connections.
      String field = isOdd ? of(FIELDS, random) : FIELDS.get(random.nextInt(9));
      text.append(field).append("\r\n");
    }
    text.append("\r\n");
  }

  private static String of(List<String> some, SplittableRandom random) {
    return some.get(random.nextInt(some.size()));
  }

  private static byte[] without(byte[] bytes, int at) {
    byte[] fewer = new byte[bytes.length - 1];
    System.arraycopy(bytes, 0, fewer, 0, at);
    System.arraycopy(bytes, at + 1, fewer, at, fewer.length - at);
    return fewer.length == 0 ? bytes : fewer;
  }

  private static byte[] with(byte[] bytes, int at, SplittableRandom random) {
    byte[] more = new byte[bytes.length + 1];
    System.arraycopy(bytes, 0, more, 0, at);
    more[at] = (byte) random.nextInt(256);
    System.arraycopy(bytes, at, more, at + 1, bytes.length - at);
    return more;
  }

  /** Depends on nothing but the path and the field that a response varies by. */
  private Answer answer(OriginRequest request) {
    String path = request.target();
    String name = path.substring(path.lastIndexOf('/') + 1);
    int mark = name.indexOf('?');
    return switch (mark < 0 ? name : name.substring(0, mark)) {
      case "empty" -> ok(0, "max-age=100");
      case "large" -> ok(20_000, "max-age=100");
      case "sliced" -> ok(100_000, "max-age=100");
      case "gone" -> new Answer(404, fields("max-age=100"), new byte[9]);
      case "moved" -> new Answer(301, fields("max-age=100", "location", "/1"), new byte[0]);
      case "vary" -> {
        String encoding = String.valueOf(request.fields().first("accept-encoding"));
        yield new Answer(
            200,
            fields("max-age=100", "vary", "accept-encoding"),
            encoding.getBytes(StandardCharsets.ISO_8859_1));
      }
      case "agent" -> new Answer(200, fields("max-age=100", "vary", "user-agent"), new byte[3]);
      case "private" -> ok(5, "private");
      case "must" -> ok(5, "max-age=2, must-revalidate");
      case "short" -> ok(5, "max-age=1");
      case "secure" ->
          new Answer(
              200, fields("max-age=100", "strict-transport-security", "max-age=1"), new byte[7]);
      case "old" -> new Answer(200, fields("max-age=100", "age", "98"), new byte[7]);
      default -> ok(7, "max-age=100");
    };
  }

  private Answer ok(int length, String cacheControl) {
    byte[] body = new byte[length];
    Arrays.fill(body, (byte) 'x');
    return new Answer(200, fields(cacheControl, "etag", "\"1\""), body);
  }

  private static HeaderFields fields(String cacheControl, String... more) {
    String[] all = Arrays.copyOf(new String[] {"cache-control", cacheControl}, 2 + more.length);
    System.arraycopy(more, 0, all, 2, more.length);
    return HeaderFields.of(all);
  }
}
