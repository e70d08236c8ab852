package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * I1: clients receive exactly the files on nginx's disk, in every way of requesting them, for one
 * fetch per file.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("full")
final class FidelityIT {
  private static final int KIB = 1 << 10;
  private static final int MIB = 1 << 20;
  private static final long SEED = 20_260_101;

  @TempDir static Path directory;

  private NginxOrigin origin;
  private Tree tree;
  private EdgeProcess edge;

  @BeforeAll
  void start() throws Exception {
    System.out.println("seed of the files: " + SEED);
    origin = NginxOrigin.start(directory.resolve("nginx"));
    tree = origin.tree(SEED);
    edge = EdgeProcess.in(directory.resolve("edge"), origin.url()).memory("256MiB").start();
  }

  @AfterAll
  void stop() throws Exception {
    try {
      assertTrue(edge == null || edge.isAlive(), "the edge lived through all of it");
    } finally {
      Tools.close(edge, origin);
    }
  }

  @ParameterizedTest
  @ValueSource(
      ints = {
        0,
        1,
        KIB,
        32 * KIB - 1,
        32 * KIB,
        32 * KIB + 1,
        72 * KIB,
        MIB - 1,
        MIB,
        MIB + 1,
        12 * MIB,
        64 * MIB
      })
  void everySizeIsTheSameOnMissOnHitAndByRangeForOneFetch(int length) throws Exception {
    Tree.Entry file = tree.write("/sizes/" + length, length);
    Curl.Result miss = Curl.get(edge.url(file.path()));
    file.assertSame(miss);
    for (int i = 0; i < 3; i++) {
      Curl.Result hit = Curl.get(edge.url(file.path()));
      file.assertSame(hit);
      assertTrue(hit.field("Cache-Status").contains("; hit"), () -> hit.headers().toString());
      assertTrue(Integer.parseInt(hit.field("Age")) >= 0, "Age");
      assertEquals(miss.field("ETag"), hit.field("ETag"), "the origin's ETag");
      assertEquals(miss.field("Last-Modified"), hit.field("Last-Modified"));
      assertEquals(Integer.toString(length), hit.field("Content-Length"));
    }
    for (int[] range : ranges(length)) {
      assertRange(file, range[0], range[1]);
    }
    assertSuffix(file, 1);
    assertSuffix(file, length / 2 + 1);
    assertSuffix(file, length + 1);
    assertUnsatisfiable(file);
    origin.assertRequests(1, file.path());
  }

  private static List<int[]> ranges(int length) {
    List<int[]> ranges = new ArrayList<>();
    if (length == 0) {
      return ranges;
    }
    ranges.add(new int[] {0, 0});
    ranges.add(new int[] {length - 1, length - 1});
    ranges.add(new int[] {0, length - 1});
    ranges.add(new int[] {length / 3, length / 2});
    for (int boundary = MIB; boundary < length; boundary += 7 * MIB) {
      ranges.add(new int[] {boundary - 1, boundary});
      ranges.add(new int[] {boundary, Math.min(length - 1, boundary + 2 * MIB)});
    }
    return ranges;
  }

  private void assertRange(Tree.Entry file, int first, int last) throws Exception {
    assertPartial(file, first + "-" + last, first, last);
    if (last == file.length() - 1) {
      assertPartial(file, first + "-", first, last);
      assertPartial(file, first + "-" + (last + 100L), first, last);
    }
  }

  private void assertSuffix(Tree.Entry file, int length) throws Exception {
    if (file.length() > 0) {
      assertPartial(file, "-" + length, Math.max(0, file.length() - length), file.length() - 1);
    }
  }

  private void assertPartial(Tree.Entry file, String range, int first, int last) throws Exception {
    Response part = edge.get(file.path(), "Range: bytes=" + range);
    assertEquals(206, part.status(), () -> file.path() + " bytes=" + range + ": " + part);
    assertEquals(
        "bytes " + first + "-" + last + "/" + file.length(), part.field("content-range"), range);
    assertArrayEquals(Arrays.copyOfRange(file.bytes(), first, last + 1), part.body(), range);
  }

  private void assertUnsatisfiable(Tree.Entry file) throws Exception {
    Response refused = edge.get(file.path(), "Range: bytes=" + file.length() + "-");
    assertEquals(416, refused.status(), refused::toString);
    assertEquals("bytes */" + file.length(), refused.field("content-range"), refused::toString);
  }

  @Test
  void aRangeOnAMissFetchesTheWholeOnce() throws Exception {
    Tree.Entry file = tree.write("/range-first", 3 * MIB + 17);
    assertPartial(file, "2097150-2097155", 2_097_150, 2_097_155);
    Await.until("the fill behind it is kept", () -> edge.get(file.path()).isFromCache());
    file.assertSame(edge.get(file.path()));
    List<NginxOrigin.Logged> requests = origin.requests(file.path());
    assertEquals(1, requests.size(), requests::toString);
    assertEquals("-", requests.getFirst().range(), "a client's range never goes out on a fill");
  }

  @Test
  void aConditionOnAMissFetchesTheWholeOnce() throws Exception {
    Tree.Entry file = tree.write("/condition-first", 5_000);
    Response first = edge.get(file.path(), "If-None-Match: \"something-else\"");
    file.assertSame(first);
    file.assertSame(edge.get(file.path()));
    List<NginxOrigin.Logged> requests = origin.requests(file.path());
    assertEquals(1, requests.size(), requests::toString);
    assertEquals("-", requests.getFirst().condition(), "nor do its conditions");
  }

  @Test
  void headIsAnsweredFromTheCache() throws Exception {
    Tree.Entry file = tree.write("/head", 72 * KIB);
    Response get = edge.get(file.path());
    file.assertSame(get);
    try (RawClient client = new RawClient(edge.port())) {
      String request = "HEAD /head HTTP/1.1\r\nHost: 127.0.0.1:" + edge.port() + "\r\n";
      for (String more : List.of("", "Range: bytes=0-5\r\n")) {
        client.send(request + more + "\r\n");
        Response head = client.reply(true);
        assertEquals(200, head.status(), head::toString);
        assertEquals(Integer.toString(file.length()), head.field("content-length"));
        assertEquals(get.field("etag"), head.field("etag"));
        assertTrue(head.isFromCache(), head::toString);
      }
    }
    origin.assertRequests(1, file.path());
  }

  @Test
  void conditionalRequestsAreAnsweredFromTheCache() throws Exception {
    Tree.Entry file = tree.write("/conditional", 2 * MIB);
    Response get = edge.get(file.path());
    file.assertSame(get);
    String etag = get.field("etag");
    String modified = get.field("last-modified");
    String before = Tree.httpDate(tree.modified().minus(Duration.ofDays(1)));

    assertNotModified(etag, edge.get(file.path(), "If-None-Match: " + etag));
    assertNotModified(etag, edge.get(file.path(), "If-None-Match: \"x\", W/" + etag + ", \"y\""));
    assertNotModified(etag, edge.get(file.path(), "If-None-Match: *"));
    assertNotModified(etag, edge.get(file.path(), "If-Modified-Since: " + modified));
    assertNotModified(etag, edge.get(file.path(), "If-None-Match: " + etag, "Range: bytes=0-9"));
    assertNotModified(
        etag, edge.get(file.path(), "If-None-Match: " + etag, "If-Modified-Since: " + before));

    file.assertSame(edge.get(file.path(), "If-None-Match: \"other\""));
    file.assertSame(edge.get(file.path(), "If-Modified-Since: " + before));
    file.assertSame(
        edge.get(file.path(), "If-None-Match: \"other\"", "If-Modified-Since: " + modified));
    assertEquals(412, edge.get(file.path(), "If-Match: \"other\"").status());
    assertEquals(412, edge.get(file.path(), "If-Unmodified-Since: " + before).status());
    file.assertSame(edge.get(file.path(), "If-Match: " + etag));
    origin.assertRequests(1, file.path());
  }

  @Test
  void ifRangeDecidesBetweenPartAndWhole() throws Exception {
    Tree.Entry file = tree.write("/if-range", MIB);
    Response get = edge.get(file.path());
    file.assertSame(get);
    String etag = get.field("etag");
    assertEquals(206, edge.get(file.path(), "Range: bytes=5-9", "If-Range: " + etag).status());
    assertEquals(
        206,
        edge.get(file.path(), "Range: bytes=5-9", "If-Range: " + get.field("last-modified"))
            .status());
    file.assertSame(edge.get(file.path(), "Range: bytes=5-9", "If-Range: W/" + etag));
    file.assertSame(edge.get(file.path(), "Range: bytes=5-9", "If-Range: \"other\""));
    origin.assertRequests(1, file.path());
  }

  @Test
  void aClientThatReadsInSmallBitesGetsEveryByte() throws Exception {
    Tree.Entry file = tree.write("/bites", 12 * MIB);
    file.assertSame(edge.get(file.path()));
    Curl.Result slow = Curl.get(edge.url(file.path()), "--limit-rate", "8M");
    file.assertSame(slow);
    origin.assertRequests(1, file.path());
  }

  @Test
  void manyRequestsInOnePacketAreAnsweredInOrder() throws Exception {
    Tree.Entry small = tree.write("/pipelined-small", 100);
    Tree.Entry large = tree.write("/pipelined-large", 3 * MIB);
    StringBuilder requests = new StringBuilder();
    List<Tree.Entry> expected = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      Tree.Entry file = i % 5 == 4 ? large : small;
      expected.add(file);
      requests.append("GET ").append(file.path()).append(" HTTP/1.1\r\nHost: 127.0.0.1:");
      requests.append(edge.port()).append("\r\n\r\n");
    }
    try (RawClient client = new RawClient(edge.port())) {
      client.send(requests.toString());
      for (Tree.Entry file : expected) {
        file.assertSame(client.reply(false));
      }
    }
    origin.assertRequests(1, small.path());
    origin.assertRequests(1, large.path());
  }

  @Test
  void aMissTakesNoLongerThanItsOrigin() throws Exception {
    Tree.Entry file = tree.write("/prompt", 100);
    long start = System.nanoTime();
    file.assertSame(edge.get(file.path()));
    assertTrue(System.nanoTime() - start < Duration.ofSeconds(2).toNanos());
  }

  private static void assertNotModified(String etag, Response response) {
    assertEquals(304, response.status(), response::toString);
    assertEquals(0, response.body().length, response::toString);
    assertEquals(etag, response.field("etag"), response::toString);
    assertTrue(response.isFromCache(), response::toString);
  }
}
