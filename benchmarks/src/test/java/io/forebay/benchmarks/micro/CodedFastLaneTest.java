package io.forebay.benchmarks.micro;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.benchmarks.micro.EmbeddedEdge.Answer;
import io.forebay.core.http.HeaderFields;
import io.forebay.server.origin.call.OriginRequest;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The fast lane serves coded copies as the full lane does, to the byte, but for the number in their
 * entity tags: each node has other ones. As {@link FastLaneTest}, with responses of which there are
 * copies, and which change, are purged, expire and are confirmed meanwhile: nothing that was purged
 * is served.
 */
@Tag("slow")
final class CodedFastLaneTest {
  private static final List<String> PATHS =
      List.of("/text", "/large", "/sliced", "/noise", "/small", "/image", "/vary", "/short");

  private static final Pattern TAG = Pattern.compile("\"t-v(\\d+)[\"-]");

  private static final List<String> ENCODINGS =
      List.of(
          "gzip",
          "gzip, deflate, br, zstd",
          "br",
          "zstd",
          "gzip;q=0.5, br;q=0.1",
          "identity",
          "identity, gzip;q=0.5",
          "gzip;q=0",
          "*",
          "*;q=0",
          "gzip\r\nAccept-Encoding: br",
          "x-gzip",
          "");

  /** What the origin has of each path. */
  private final int[] versions = new int[PATHS.size()];

  /** The oldest that may be served of each. */
  private final int[] floors = new int[PATHS.size()];

  private long nowMillis = 1_800_000_000_000L;

  @Test
  void givesTheAnswersOfTheFullLane() {
    compare(800);
  }

  @Test
  void aCopyThatWasServedIsFoundByTheKeyOfItsSource() {
    try (EmbeddedEdge edge = new EmbeddedEdge(this::answer, "", 64L << 20, () -> nowMillis)) {
      byte[] request = request("GET", "/text", "gzip");
      for (int i = 0; i < 6; i++) {
        assertTrue(edge.exchangeText(request).startsWith("HTTP/1.1 200 "));
        edge.awaitCopies();
      }
      assertEquals("http://example.com:80/text", edge.lastKey());
      assertTrue(edge.codedHits() > 0 && edge.fastHits() > 0, "not from the fast lane");
      String ignored = edge.exchangeText(request("GET", "/text", "br"));
      edge.awaitCopies();
      long before = edge.codedHits();
      assertTrue(edge.exchangeText(request).contains("content-encoding: gzip"));
      assertEquals("http://example.com:80/text", edge.lastKey());
      assertEquals(before + 1, edge.codedHits());
    }
  }

  @Test
  void aCopyGoesWithItsSource() {
    try (EmbeddedEdge edge = new EmbeddedEdge(this::answer, "", 64L << 20, () -> nowMillis)) {
      byte[] request = request("GET", "/text", "gzip");
      for (boolean isSoft : new boolean[] {false, true}) {
        for (int i = 0; i < 6; i++) {
          String ignored = edge.exchangeText(request);
          edge.awaitCopies();
        }
        assertEquals("http://example.com:80/text", edge.lastKey());
        versions[0]++;
        edge.purge("http://example.com/text", isSoft);
        assertTrue(edge.exchangeText(request).contains("-v" + versions[0]), "the one before");
        edge.awaitCopies();
      }
    }
  }

  @Test
  @Tag("full")
  void givesTheAnswersOfTheFullLaneForLong() {
    compare(30_000);
  }

  private void compare(int requests) {
    long seed = Long.getLong("test.seed", System.nanoTime());
    System.out.println("CodedFastLaneTest: -Dtest.seed=" + seed);
    SplittableRandom random = new SplittableRandom(seed);
    try (EmbeddedEdge fast = new EmbeddedEdge(this::answer, "", 64L << 20, () -> nowMillis);
        EmbeddedEdge full = new EmbeddedEdge(this::answer, "", 64L << 20, () -> nowMillis)) {
      for (int i = 0; i < requests; i++) {
        int path = random.nextInt(PATHS.size());
        switch (random.nextInt(200)) {
          case 0, 1 -> versions[path]++;
          case 2, 3 -> {
            versions[path] += random.nextInt(2);
            boolean isSoft = random.nextBoolean();
            full.purge("http://example.com" + PATHS.get(path), isSoft);
            fast.purge("http://example.com" + PATHS.get(path), isSoft);
            floors[path] = versions[path];
          }
          default -> {}
        }
        byte[] request =
            request(
                random.nextInt(5) == 0 ? "HEAD" : "GET",
                PATHS.get(path),
                ENCODINGS.get(random.nextInt(ENCODINGS.size())));
        // The first byte alone, and so all of it, goes through the decoder.
        String expected =
            full.exchangeText(request, 0, 1) + full.exchangeText(request, 1, request.length);
        String seen = fast.exchangeText(request);
        full.awaitCopies();
        fast.awaitCopies();
        String text = new String(request, StandardCharsets.ISO_8859_1);
        assertEquals(withoutNumbers(expected), withoutNumbers(seen), () -> "to " + text);
        assertTrue(version(seen) >= floors[path], () -> "what was purged, to " + text);
        if (random.nextInt(50) == 0) {
          nowMillis += random.nextInt(3_000);
          full.settle();
          fast.settle();
        }
      }
      assertEquals(0, full.fastHits());
      assertTrue(fast.fastHits() > requests / 2, () -> "only " + fast.fastHits() + " fast hits");
      assertTrue(fast.codedHits() > requests / 10, () -> "only " + fast.codedHits() + " of copies");
      assertEquals(full.codedHits(), fast.codedHits());
    }
  }

  private static byte[] request(String method, String path, String encoding) {
    return (method
            + " "
            + path
            + " HTTP/1.1\r\nHost: example.com\r\nAccept-Encoding: "
            + encoding
            + "\r\n\r\n")
        .getBytes(StandardCharsets.ISO_8859_1);
  }

  /** That of the entity tag. */
  private static int version(String response) {
    Matcher tag = TAG.matcher(response);
    assertTrue(tag.find(), response);
    return Integer.parseInt(tag.group(1));
  }

  private static String withoutNumbers(String response) {
    return response.replaceAll("-([a-z]+\\d+)\\.\\d+\"", "-$1\"");
  }

  private Answer answer(OriginRequest request) {
    String tag = tag(request.target());
    if (tag.equals(request.fields().first("if-none-match"))) {
      return new Answer(
          304, HeaderFields.of("etag", tag, "cache-control", "max-age=1000"), new byte[0]);
    }
    return switch (request.target()) {
      case "/large" -> text(tag, 60_000, 16, "max-age=1000");
      case "/sliced" -> text(tag, 200_000, 16, "max-age=1000");
      case "/noise" -> text(tag, 5_000, 256, "max-age=1000");
      case "/small" -> text(tag, 100, 16, "max-age=1000");
      case "/short" -> text(tag, 3_000, 16, "max-age=1");
      case "/image" ->
          new Answer(
              200,
              HeaderFields.of(
                  "content-type", "image/png", "cache-control", "max-age=1000", "etag", tag),
              new byte[2_000]);
      case "/vary" -> {
        Answer plain = text(tag, 4_000, 16, "max-age=1000");
        yield new Answer(
            200,
            HeaderFields.of(
                "content-type", "text/plain",
                "cache-control", "max-age=1000",
                "etag", tag,
                "vary", "Accept-Encoding"),
            plain.body());
      }
      default -> text(tag, 10_000, 16, "max-age=1000");
    };
  }

  private String tag(String path) {
    return "\"t-v" + versions[PATHS.indexOf(path)] + "\"";
  }

  private static Answer text(String tag, int length, int letters, String cacheControl) {
    byte[] body = new byte[length];
    SplittableRandom random = new SplittableRandom(length + 31L * tag.hashCode());
    for (int i = 0; i < length; i++) {
      body[i] = (byte) ('A' + random.nextInt(letters));
    }
    return new Answer(
        200,
        HeaderFields.of("content-type", "text/plain", "cache-control", cacheControl, "etag", tag),
        body);
  }
}
