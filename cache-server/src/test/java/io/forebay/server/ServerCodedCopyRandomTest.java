package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.core.http.AcceptEncoding;
import io.forebay.server.counters.CopyCounters.Outcome;
import io.forebay.storage.purge.PurgeKind;
import io.forebay.testing.Bytes;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every response decodes to exactly what the origin had under its entity tag, whatever happens:
 * changes at the origin, purges of all kinds, 304s, ranges, conditions, restarts, clients of all
 * classes of Accept-Encoding, memory that is too small. After a purge nothing older is served.
 */
@Tag("slow")
final class ServerCodedCopyRandomTest {
  private static final int URLS = 12;
  private static final String HOST = "Host: www.example";
  private static final Pattern TAG = Pattern.compile("\"u(\\d+)-v(\\d+)(-[a-z]+\\d+\\.\\d+)?\"");
  private static final Pattern CONTENT_RANGE = Pattern.compile("bytes (\\d+)-(\\d+)/(\\d+)");

  @TempDir Path directory;

  /** The version that the origin has of each URL. */
  private final AtomicInteger[] versions = new AtomicInteger[URLS];

  /** The oldest version that may be served of each. */
  private final int[] floors = new int[URLS];

  /** Whole bodies by tag and coding, as they were sent. */
  private final Map<String, byte[]> seen = new HashMap<>();

  private int codedHits;
  private int notModified;
  private int parts;

  @Tag("full")
  @Test
  void whatIsServedIsWhatItsTagSays() throws IOException {
    run(700);
  }

  @Test
  @Tag("full")
  void whatIsServedIsWhatItsTagSaysForLong() throws IOException {
    run(6_000);
  }

  private void run(int steps) throws IOException {
    long seed = Long.getLong("test.seed", System.nanoTime());
    System.out.println("ServerCodedCopyRandomTest: -Dtest.seed=" + seed);
    SplittableRandom random = new SplittableRandom(seed);
    try (TestOrigin origin = new TestOrigin()) {
      for (int url = 0; url < URLS; url++) {
        versions[url] = new AtomicInteger(1);
        int number = url;
        origin.on(
            "/u" + url,
            (request, connection) -> {
              int version = versions[number].get();
              String tag = "\"u" + number + "-v" + version + "\"";
              // What stands here is never a tag that only clients see.
              request
                  .fields("if-none-match")
                  .forEach(known -> assertTrue(known.matches("\"u\\d+-v\\d+\""), known));
              String fields =
                  "content-type: text/plain\r\ncache-control: max-age=1000\r\ncache-tag: t"
                      + number
                      + "\r\netag: "
                      + tag
                      + "\r\n";
              if (request.field("if-none-match").equals(tag)) {
                TestOrigin.notModified(connection, fields + "x-at: " + request.number() + "\r\n");
              } else if (request.method().equals("HEAD")) {
                TestOrigin.sendHead(connection, fields, body(number, version).length);
              } else {
                TestOrigin.sendOk(connection, fields, body(number, version));
              }
            });
      }
      try (Edge edge =
          Edge.start(
              directory,
              "16MiB",
              Edge.origins(origin.url())
                  + "stores: {one: {path: \"DIR/one\", size: 64MiB, slow: 10m}}\n"
                      .replace("DIR", directory.toString()))) {
        RawClient client = edge.connect();
        for (int step = 0; step < steps; step++) {
          int url = random.nextInt(URLS);
          switch (random.nextInt(40)) {
            case 0 -> versions[url].incrementAndGet();
            case 1 -> {
              versions[url].incrementAndGet();
              purge(edge, url, random);
            }
            case 2 -> {
              // Confirmed if it has not changed, and fetched again if it has.
              edge.purge(PurgeKind.URL, "http://www.example/u" + url, true);
              floors[url] = versions[url].get();
            }
            case 3 -> {
              if (random.nextInt(steps / 120) == 0) {
                client.close();
                edge.awaitIdle();
                edge.stop();
                edge.start();
                client = edge.connect();
              }
            }
            default -> ask(client, url, random, "seed " + seed + ", step " + step);
          }
        }
        client.close();
        edge.awaitIdle();
        System.out.println(
            codedHits
                + " coded hits, "
                + notModified
                + " 304s, "
                + parts
                + " ranges, "
                + edge.sum(c -> c.copies.outcomes(Outcome.MADE))
                + " copies made, "
                + edge.sum(c -> c.copies.outcomes(Outcome.REWRITTEN))
                + " rewritten");
      }
    }
    assertTrue(codedHits > steps / 20, "only " + codedHits + " hits of copies");
    assertTrue(notModified > 0 && parts > 0, notModified + " 304s, " + parts + " ranges");
  }

  private void purge(Edge edge, int url, SplittableRandom random) {
    switch (random.nextInt(4)) {
      case 0 -> edge.purge(PurgeKind.TAG, "t" + url, false);
      case 1 -> edge.purge(PurgeKind.PATTERN, "path ^/u" + url + "$", false);
      case 2 -> {
        edge.purge(PurgeKind.HOST, "www.example", false);
        for (int n = 0; n < URLS; n++) {
          floors[n] = versions[n].get();
        }
      }
      default -> edge.purge(PurgeKind.URL, "http://www.example/u" + url, false);
    }
    floors[url] = versions[url].get();
  }

  /** Some lie with their heads, some in slices; some hardly get smaller. */
  private static byte[] body(int url, int version) {
    int length = url % 4 == 3 ? 1_200_000 : url % 4 == 2 ? 100_000 : 500 + url * 1_000;
    SplittableRandom random = new SplittableRandom(url * 1_000L + version);
    byte[] body = new byte[length];
    int letters = url == 5 ? 256 : 20;
    for (int i = 0; i < length; i++) {
      body[i] = (byte) random.nextInt(letters);
    }
    return body;
  }

  private void ask(RawClient client, int url, SplittableRandom random, String at)
      throws IOException {
    int accepted = random.nextInt(16);
    String accept = "Accept-Encoding: " + AcceptEncoding.value(accepted);
    String known = "\"u" + url + "-v" + versions[url].get() + "\"";
    // Fields that the fast lane knows.
    String condition = "Accept: */*";
    String range = "DNT: 1";
    boolean isHead = false;
    int kind = random.nextInt(8);
    String tag = random.nextBoolean() ? someTag(url, random, known) : known;
    if (kind == 0) {
      condition = "If-None-Match: \"other\", " + tag;
    } else if (kind == 1) {
      range = "Range: bytes=" + random.nextInt(200) + "-" + (200 + random.nextInt(100));
      if (random.nextBoolean()) {
        condition = "If-Range: " + tag;
      }
    } else if (kind == 2) {
      isHead = true;
    }
    client.request(isHead ? "HEAD" : "GET", "/u" + url, HOST, accept, condition, range);
    check(
        client.reply(isHead),
        url,
        accepted,
        condition,
        isHead,
        at + " " + accept + condition + range);
  }

  private String someTag(int url, SplittableRandom random, String otherwise) {
    List<String> tags =
        seen.keySet().stream().filter(tag -> tag.startsWith("\"u" + url + "-")).sorted().toList();
    return tags.isEmpty() ? otherwise : tags.get(random.nextInt(tags.size()));
  }

  private void check(
      Response reply, int url, int accepted, String condition, boolean isHead, String at)
      throws IOException {
    String etag = reply.field("etag");
    Matcher matcher = TAG.matcher(etag);
    String told = at + ": " + reply;
    assertTrue(matcher.matches(), told);
    int version = Integer.parseInt(matcher.group(2));
    assertEquals(url, Integer.parseInt(matcher.group(1)), told);
    assertTrue(version >= floors[url], told + ", version " + floors[url] + " was purged");
    assertTrue(version <= versions[url].get(), told);
    String coding = reply.field("content-encoding");
    int bit =
        switch (coding) {
          case "" -> 0;
          case "br" -> AcceptEncoding.BR;
          case "gzip" -> AcceptEncoding.GZIP;
          case "zstd" -> AcceptEncoding.ZSTD;
          default -> throw new AssertionError(told);
        };
    assertTrue((accepted & bit) == bit, "not accepted: " + told);
    // A HEAD for what is not stored is answered by the origin.
    assertTrue(isHead || reply.field("vary").equalsIgnoreCase("accept-encoding"), told);
    byte[] whole = body(url, version);
    switch (reply.status()) {
      case 304 -> {
        notModified++;
        assertTrue(condition.contains(etag), told);
      }
      case 206 -> {
        parts++;
        Matcher range = CONTENT_RANGE.matcher(reply.field("content-range"));
        assertTrue(range.matches(), told);
        int from = Integer.parseInt(range.group(1));
        int to = Integer.parseInt(range.group(2)) + 1;
        byte[] of = coding.isEmpty() ? whole : seen.get(etag);
        assertNotNull(of, "a range of what nobody has seen whole: " + told);
        assertEquals(of.length, Integer.parseInt(range.group(3)), told);
        Bytes.assertEquals(Arrays.copyOfRange(of, from, to), reply.body(), told);
      }
      case 200 -> {
        assertEquals(!coding.isEmpty(), matcher.group(3) != null, told);
        if (isHead) {
          return;
        }
        Bytes.assertEquals(whole, DecodedBody.of(reply), told);
        boolean isCopy = reply.isHit() && !coding.isEmpty();
        codedHits += isCopy ? 1 : 0;
        byte[] before = isCopy || coding.isEmpty() ? seen.put(etag, reply.body()) : null;
        if (before != null) {
          Bytes.assertEquals(before, reply.body(), "other bytes under a strong tag: " + told);
        }
      }
      default -> throw new AssertionError(told);
    }
  }
}
