package io.forebay.benchmarks.micro;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.benchmarks.micro.EmbeddedEdge.Answer;
import io.forebay.core.http.HeaderFields;
import io.forebay.server.origin.call.OriginRequest;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The fast lane serves coded copies as the full lane does, to the byte, but for the number in their
 * entity tags: each node has other ones. As {@link FastLaneTest}, with responses of which there are
 * copies.
 */
@Tag("slow")
final class CodedFastLaneTest {
  private static final List<String> PATHS =
      List.of("/text", "/large", "/sliced", "/noise", "/small", "/image", "/vary", "/short");

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

  private long nowMillis = 1_800_000_000_000L;

  @Test
  void givesTheAnswersOfTheFullLane() {
    compare(3_000);
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
        String text =
            (random.nextInt(5) == 0 ? "HEAD " : "GET ")
                + PATHS.get(random.nextInt(PATHS.size()))
                + " HTTP/1.1\r\nHost: example.com\r\nAccept-Encoding: "
                + ENCODINGS.get(random.nextInt(ENCODINGS.size()))
                + "\r\n\r\n";
        byte[] request = text.getBytes(StandardCharsets.ISO_8859_1);
        // The first byte alone, and so all of it, goes through the decoder.
        String expected =
            full.exchangeText(request, 0, 1) + full.exchangeText(request, 1, request.length);
        String seen = fast.exchangeText(request);
        full.awaitCopies();
        fast.awaitCopies();
        assertEquals(withoutNumbers(expected), withoutNumbers(seen), () -> "to " + text);
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

  private static String withoutNumbers(String response) {
    return response.replaceAll("-([a-z]+\\d+)\\.\\d+\"", "-$1\"");
  }

  private Answer answer(OriginRequest request) {
    return switch (request.target()) {
      case "/large" -> text(60_000, 16, "max-age=1000");
      case "/sliced" -> text(200_000, 16, "max-age=1000");
      case "/noise" -> text(5_000, 256, "max-age=1000");
      case "/small" -> text(100, 16, "max-age=1000");
      case "/short" -> text(3_000, 16, "max-age=1");
      case "/image" ->
          new Answer(
              200,
              HeaderFields.of("content-type", "image/png", "cache-control", "max-age=1000"),
              new byte[2_000]);
      case "/vary" -> {
        Answer plain = text(4_000, 16, "max-age=1000");
        yield new Answer(
            200,
            HeaderFields.of(
                "content-type", "text/plain",
                "cache-control", "max-age=1000",
                "vary", "Accept-Encoding"),
            plain.body());
      }
      default -> text(10_000, 16, "max-age=1000");
    };
  }

  private static Answer text(int length, int letters, String cacheControl) {
    byte[] body = new byte[length];
    SplittableRandom random = new SplittableRandom(length);
    for (int i = 0; i < length; i++) {
      body[i] = (byte) ('A' + random.nextInt(letters));
    }
    return new Answer(
        200,
        HeaderFields.of(
            "content-type", "text/plain", "cache-control", cacheControl, "etag", "\"1\""),
        body);
  }
}
