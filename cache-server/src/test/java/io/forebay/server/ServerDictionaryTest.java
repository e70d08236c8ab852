package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.ProtocolClient.Answer;
import io.forebay.server.counters.CopyCounters.Outcome;
import io.forebay.storage.purge.PurgeKind;
import io.forebay.testing.Await;
import io.forebay.testing.Bytes;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Deltas between versions of an asset (RFC 9842), over real sockets with TLS. */
@Tag("slow")
final class ServerDictionaryTest {

  private static final String HOST = "Host: www.example";
  private static final String DCB = "Accept-Encoding: gzip, br, zstd, dcb, dcz";
  private static final String DCZ = "Accept-Encoding: br, dcz";
  private static final String FRESH =
      "content-type: text/javascript\r\ncache-control: max-age=1000\r\n";
  private static final String OFFERED = "match=\"/app/*\", match-dest=(\"script\"), id=\"app\"";

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();

  @SuppressWarnings("NullAway.Init")
  private Edge edge;

  @BeforeEach
  void start() throws IOException {
    edge =
        Edge.before(
            origin,
            directory,
            "64MiB",
            """
            http3: {listeners: [secure]}
            routes:
              - {match: {path: /}}
              - match: {path: /app/}
                dictionary: {match: "/app/*", match-dest: [script], id: app}
              - {match: {path: /own/}, dictionary: on}
              - match: {path: /tenant/}
                key: {headers: [X-Tenant]}
                dictionary: {match: "/tenant/*", max-size: 64KiB}
            """);
  }

  @AfterEach
  void stop() throws IOException {
    edge.close();
    origin.close();
  }

  /** Text that compresses by about a third, with one line that says which version it is. */
  private static byte[] version(int number, int length) {
    SplittableRandom random = new SplittableRandom(7);
    byte[] body = new byte[length];
    for (int i = 0; i < length; i++) {
      body[i] = (byte) ('a' + random.nextInt(16));
    }
    byte[] line = ("version " + number + "\n").getBytes(StandardCharsets.US_ASCII);
    System.arraycopy(line, 0, body, length / 2, line.length);
    return body;
  }

  private byte[] serve(String path, int number, int length) {
    byte[] body = version(number, length);
    origin.on(path, TestOrigin.ok(FRESH + "etag: \"" + number + "\"\r\n", body));
    return body;
  }

  private static String has(byte[] dictionary) {
    return "Available-Dictionary: :"
        + Base64.getEncoder().encodeToString(DecodedBody.sha256(dictionary))
        + ":";
  }

  private static Response ask(RawClient client, String path, String... fields) {
    String[] all = Arrays.copyOf(fields, fields.length + 1);
    all[fields.length] = HOST;
    try {
      return client.get(path, all);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Fetches what is a dictionary from now on. */
  private void learned(RawClient client, String path, byte[] body, String... fields)
      throws IOException {
    long before = edge.sum(c -> c.deltas.dictionaries);
    Bytes.assertEquals(body, DecodedBody.of(ask(client, path, fields)));
    Await.until(
        path + " is learned",
        () -> {
          ask(client, path, fields);
          return edge.sum(c -> c.deltas.dictionaries) > before;
        });
  }

  /** Asks until the answer is a delta. */
  private static Response delta(RawClient client, String path, String... fields) {
    Response[] last = new Response[1];
    Await.until(
        "a delta of " + path,
        () -> {
          last[0] = ask(client, path, fields);
          return last[0].field("content-encoding").startsWith("dc");
        });
    return last[0];
  }

  /**
   * Asks until nothing more is made in the background, and then once more: what it gets for good.
   */
  private Response settled(RawClient client, String path, String... fields) {
    for (int i = 0; i < 5; i++) {
      ask(client, path, fields);
      Await.until("no job", () -> edge.server().copiesInProgress() == 0);
    }
    return ask(client, path, fields);
  }

  private static void assertNoDelta(Response reply) {
    assertFalse(reply.field("content-encoding").startsWith("dc"), reply::toString);
  }

  private long outcomes(Outcome outcome) {
    return edge.sum(c -> c.deltas.outcomes(outcome));
  }

  // --- made, and served -------------------------------------------------------------------------

  @Tag("full")
  @ParameterizedTest
  @CsvSource({"dcb, 30000", "dcz, 30000", "dcb, 1500000", "dcz, 1500000"})
  void aNewVersionIsADeltaToWhoHasTheOldOne(String coding, int length) throws IOException {
    String accept = coding.equals("dcb") ? DCB : DCZ;
    byte[] old = serve("/app/1.js", 1, length);
    byte[] body = serve("/app/2.js", 2, length);
    try (RawClient client = edge.connectTls()) {
      learned(client, "/app/1.js", old);
      Response first = ask(client, "/app/2.js", accept, has(old));
      assertNoDelta(first);
      Bytes.assertEquals(body, DecodedBody.of(first));
      assertEquals(OFFERED, first.field("use-as-dictionary"));
      assertTrue(first.field("vary").contains("available-dictionary"), first::toString);

      Response reply = delta(client, "/app/2.js", accept, has(old));
      assertEquals(coding, reply.field("content-encoding"));
      Bytes.assertEquals(body, DecodedBody.of(reply, old));
      assertTrue(reply.body().length < 500, reply.body().length + " bytes");
      assertEquals(Integer.toString(reply.body().length), reply.field("content-length"));
      assertTrue(
          reply.field("etag").matches("\"2-" + coding + "[0-9]+\\.1[0-9]{11,}\""),
          reply.field("etag"));
      assertEquals("accept-encoding, available-dictionary", reply.field("vary"));
      assertFalse(reply.has("accept-ranges"));
      assertTrue(reply.isHit());
      // The new one is a dictionary, too, however it was sent.
      assertEquals(OFFERED, reply.field("use-as-dictionary"));

      client.request("HEAD", "/app/2.js", HOST, accept, has(old));
      Response head = client.reply(true);
      assertEquals(coding, head.field("content-encoding"));
      assertEquals(reply.field("etag"), head.field("etag"));

      Response plain = settled(client, "/app/2.js", "Accept-Encoding: br");
      assertEquals("br", plain.field("content-encoding"));
      assertEquals("accept-encoding, available-dictionary", plain.field("vary"));
      Bytes.assertEquals(body, ask(client, "/app/2.js").body());
    }
    assertEquals(1, outcomes(Outcome.MADE));
    assertEquals(1, origin.count("/app/1.js"));
    assertEquals(1, origin.count("/app/2.js"));
    assertTrue(edge.sum(c -> c.deltas.served) >= 2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"TLS", "HTTP/2", "HTTP/3"})
  void everyProtocolCarriesDeltas(String protocol) throws Exception {
    byte[] old = serve("/app/1.js", 1, 30_000);
    byte[] body = serve("/app/2.js", 2, 30_000);
    String hash = has(old).substring("Available-Dictionary: ".length());
    try (ProtocolClient client = ProtocolClient.connect(edge, protocol)) {
      Await.until(
          "the old version is learned",
          () -> {
            Answer got = askBy(client, "/app/1.js");
            assertEquals(new String(old, StandardCharsets.ISO_8859_1), got.body());
            assertEquals(List.of(OFFERED), got.all("use-as-dictionary"));
            return edge.sum(c -> c.deltas.dictionaries) == 1;
          });
      Answer[] last = new Answer[1];
      Await.until(
          "a delta",
          () -> {
            last[0] =
                askBy(
                    client,
                    "/app/2.js",
                    "accept-encoding",
                    "br, dcb",
                    "available-dictionary",
                    hash,
                    "dictionary-id",
                    "\"app\"");
            return last[0].all("content-encoding").equals(List.of("dcb"));
          });
      byte[] coded = last[0].body().getBytes(StandardCharsets.ISO_8859_1);
      Response reply =
          new Response(200, List.of("HTTP/1.1 200 OK", "content-encoding: dcb"), coded);
      Bytes.assertEquals(body, DecodedBody.of(reply, old));
    }
    assertFalse(
        origin
            .requests("/app/2.js")
            .getFirst()
            .head()
            .toLowerCase(Locale.ROOT)
            .contains("dictionary"),
        "the origin can do nothing with it");
  }

  private static Answer askBy(ProtocolClient client, String path, String... fields) {
    try {
      return client.ask("GET", path, fields);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void theClientsWeightsChoose() throws IOException {
    byte[] old = serve("/app/1.js", 1, 30_000);
    serve("/app/2.js", 2, 30_000);
    try (RawClient client = edge.connectTls()) {
      learned(client, "/app/1.js", old);
      delta(client, "/app/2.js", "Accept-Encoding: br, dcb", has(old));
      delta(client, "/app/2.js", "Accept-Encoding: br, dcz", has(old));
      String[][] choices = {
        {"br, dcb, dcz", "dcb"},
        {"br, dcz, dcb;q=0.9", "dcz"},
        {"br;q=0.5, dcb;q=0.6", "dcb"},
        {"br, dcb;q=0.5", "br"},
        {"br, dcb;q=0", "br"},
        {"br", "br"},
        {"br, *", "br"},
        {"dcb", "dcb"},
        {"identity, dcb;q=0.5", ""},
      };
      for (String[] choice : choices) {
        Response reply = settled(client, "/app/2.js", "Accept-Encoding: " + choice[0], has(old));
        assertEquals(choice[1], reply.field("content-encoding"), choice[0]);
      }
    }
  }

  @Test
  void whatHardlyGetsSmallerIsSentWithoutADictionary() throws IOException {
    byte[] other = Edge.bytes(9, 30_000);
    origin.on("/app/1.js", TestOrigin.ok(FRESH, other));
    byte[] body = serve("/app/2.js", 2, 30_000);
    try (RawClient client = edge.connectTls()) {
      learned(client, "/app/1.js", other);
      Await.until(
          "it is given up",
          () -> {
            assertNoDelta(ask(client, "/app/2.js", DCB, has(other)));
            return outcomes(Outcome.NO_GAIN) == 1;
          });
      Response reply = settled(client, "/app/2.js", DCB, has(other));
      assertEquals("br", reply.field("content-encoding"));
      Bytes.assertEquals(body, DecodedBody.of(reply));
    }
    assertEquals(1, outcomes(Outcome.NO_GAIN));
    assertEquals(0, outcomes(Outcome.MADE));
  }

  @Test
  void aResponseHasFewDeltas() throws IOException {
    byte[] body = serve("/app/new.js", 100, 20_000);
    try (RawClient client = edge.connectTls()) {
      for (int i = 0; i < 10; i++) {
        byte[] old = serve("/app/" + i + ".js", i, 20_000);
        learned(client, "/app/" + i + ".js", old);
        Response reply = settled(client, "/app/new.js", DCB, has(old));
        if (i < 8) {
          Bytes.assertEquals(body, DecodedBody.of(reply, old), "delta " + i);
        } else {
          assertNoDelta(reply);
        }
      }
    }
    assertEquals(8, outcomes(Outcome.MADE));
  }

  // --- who gets none ----------------------------------------------------------------------------

  @Test
  void whoNamesNoDictionaryOfThisOriginGetsNoDelta() throws IOException {
    byte[] old = serve("/app/1.js", 1, 30_000);
    byte[] body = serve("/app/2.js", 2, 30_000);
    try (RawClient client = edge.connectTls();
        RawClient plainText = edge.connect()) {
      learned(client, "/app/1.js", old);
      delta(client, "/app/2.js", DCB, has(old));
      String hash = has(old);
      for (String wrong :
          List.of(
              "Available-Dictionary: ::",
              has(version(3, 100)),
              hash.substring(0, hash.length() - 1),
              hash.toUpperCase(Locale.ROOT),
              "Dictionary-ID: \"app\"",
              "X-Available-Dictionary: " + hash.substring(22))) {
        Response reply = settled(client, "/app/2.js", DCB, wrong);
        assertNoDelta(reply);
        Bytes.assertEquals(body, DecodedBody.of(reply), wrong);
      }
      assertNoDelta(settled(client, "/app/2.js", DCB, hash, hash));

      // Another host, with the same responses; another port; no TLS.
      for (String host : List.of("Host: other.example", "Host: www.example:8443")) {
        for (int i = 0; i < 4; i++) {
          assertNoDelta(client.get("/app/2.js", host, DCB, hash));
        }
      }
      Response insecure = settled(plainText, "/app/2.js", DCB, hash);
      assertNoDelta(insecure);
      assertFalse(insecure.has("use-as-dictionary"));
      assertEquals("accept-encoding", insecure.field("vary"));
    }
    assertEquals(1, outcomes(Outcome.MADE));
  }

  @Test
  void aDictionaryOfOtherClientsIsNone() throws IOException {
    byte[] old = serve("/tenant/1.js", 1, 30_000);
    byte[] body = serve("/tenant/2.js", 2, 30_000);
    try (RawClient client = edge.connectTls()) {
      learned(client, "/tenant/1.js", old, "X-Tenant: a");
      Bytes.assertEquals(
          body, DecodedBody.of(delta(client, "/tenant/2.js", DCB, has(old), "X-Tenant: a"), old));
      for (String tenant : List.of("X-Tenant: b", "X-None: a")) {
        Response reply = settled(client, "/tenant/2.js", DCB, has(old), tenant);
        assertNoDelta(reply);
        Bytes.assertEquals(body, DecodedBody.of(reply));
      }
    }
    assertEquals(1, outcomes(Outcome.MADE));
  }

  @Test
  void whatIsLargerThanTheBoundIsNeitherADictionaryNorADelta() throws IOException {
    byte[] small = serve("/tenant/small.js", 1, 60_000);
    serve("/tenant/large.js", 2, 70_000);
    byte[] large = serve("/tenant/large-2.js", 3, 70_000);
    try (RawClient client = edge.connectTls()) {
      learned(client, "/tenant/small.js", small);
      assertNoDelta(settled(client, "/tenant/large.js", DCB, has(small)));
      settled(client, "/tenant/large-2.js");
      assertNoDelta(settled(client, "/tenant/small.js", DCB, has(large)));
    }
    assertEquals(1, edge.sum(c -> c.deltas.dictionaries));
    assertEquals(0, outcomes(Outcome.MADE));
  }

  @Test
  void aPageOfAnotherOriginGetsADeltaOnlyOfWhatItMayRead() throws IOException {
    byte[] old = serve("/app/1.js", 1, 30_000);
    serve("/app/2.js", 2, 30_000);
    origin.on(
        "/app/shared.js",
        TestOrigin.ok(FRESH + "access-control-allow-origin: *\r\n", version(2, 30_000)));
    try (RawClient client = edge.connectTls()) {
      learned(client, "/app/1.js", old);
      delta(client, "/app/2.js", DCB, has(old));
      delta(client, "/app/shared.js", DCB, has(old));
      String cross = "Sec-Fetch-Site: cross-site";
      assertNoDelta(settled(client, "/app/2.js", DCB, has(old), cross, "Sec-Fetch-Mode: no-cors"));
      assertNoDelta(
          settled(client, "/app/shared.js", DCB, has(old), cross, "Sec-Fetch-Mode: no-cors"));
      String[] cors = {
        DCB, has(old), cross, "Sec-Fetch-Mode: cors", "Origin: https://other.example"
      };
      assertNoDelta(settled(client, "/app/2.js", cors));
      assertEquals("dcb", settled(client, "/app/shared.js", cors).field("content-encoding"));
      assertEquals(
          "dcb",
          settled(
                  client,
                  "/app/2.js",
                  DCB,
                  has(old),
                  "Sec-Fetch-Site: same-origin",
                  "Sec-Fetch-Mode: no-cors")
              .field("content-encoding"));
    }
  }

  @Test
  void theOriginsOwnFieldCountsAndOtherTypesAreNoDictionaries() throws IOException {
    byte[] old = version(1, 30_000);
    byte[] other = version(5, 30_000);
    String own = "use-as-dictionary: match=\"/own/*\"\r\n";
    origin.on("/own/1.js", TestOrigin.ok(FRESH + own, old));
    origin.on(
        "/own/other.js",
        TestOrigin.ok(FRESH + "use-as-dictionary: match=\"/own/*\", type=other\r\n", other));
    origin.on("/own/none.js", TestOrigin.ok(FRESH, version(6, 30_000)));
    byte[] body = serve("/own/2.js", 2, 30_000);
    origin.on("/app/1.js", TestOrigin.ok(FRESH + own, old));
    try (RawClient client = edge.connectTls()) {
      learned(client, "/own/1.js", old);
      assertEquals("match=\"/own/*\"", ask(client, "/own/1.js").field("use-as-dictionary"));
      settled(client, "/own/other.js");
      settled(client, "/own/none.js");
      assertFalse(ask(client, "/own/none.js").has("use-as-dictionary"));
      assertEquals(1, edge.sum(c -> c.deltas.dictionaries));
      Bytes.assertEquals(body, DecodedBody.of(delta(client, "/own/2.js", DCB, has(old)), old));
      assertNoDelta(settled(client, "/own/2.js", DCB, has(other)));
      // The route's own does not come beside it.
      assertEquals(List.of("match=\"/own/*\""), ask(client, "/app/1.js").all("use-as-dictionary"));
    }
  }

  // --- conditions and ranges --------------------------------------------------------------------

  @Test
  void aDeltaIsConfirmedToWhoHasItsDictionaryAndRangesAreOfOtherBytes() throws IOException {
    byte[] old = serve("/app/1.js", 1, 30_000);
    byte[] body = serve("/app/2.js", 2, 30_000);
    byte[] older = serve("/app/0.js", 0, 30_000);
    try (RawClient client = edge.connectTls()) {
      learned(client, "/app/1.js", old);
      learned(client, "/app/0.js", older);
      String tag = delta(client, "/app/2.js", DCB, has(old)).field("etag");
      String condition = "If-None-Match: \"x\", " + tag;
      Response confirmed = ask(client, "/app/2.js", DCB, has(old), condition);
      assertEquals(304, confirmed.status());
      assertEquals(tag, confirmed.field("etag"));
      assertEquals("accept-encoding, available-dictionary", confirmed.field("vary"));
      // A cache in front of the node would send what it has under that tag.
      assertEquals(200, ask(client, "/app/2.js", DCB, condition).status());
      assertEquals(200, ask(client, "/app/2.js", DCB, has(older), condition).status());
      assertEquals(
          200, ask(client, "/app/2.js", "Accept-Encoding: br", has(old), condition).status());
      assertEquals(
          200,
          ask(client, "/app/2.js", DCB, has(old), "If-None-Match: " + tag.replace('2', '3'))
              .status());
      assertEquals(304, ask(client, "/app/2.js", DCB, has(old), "If-None-Match: \"2\"").status());

      Response part = ask(client, "/app/2.js", DCB, has(old), "Range: bytes=100-199");
      assertEquals(206, part.status());
      assertFalse(part.has("content-encoding"));
      Bytes.assertEquals(Arrays.copyOfRange(body, 100, 200), part.body());
      Response whole =
          ask(client, "/app/2.js", DCB, has(old), "Range: bytes=1-9", "If-Range: " + tag);
      assertEquals(200, whole.status());
      assertNoDelta(whole);
      Bytes.assertEquals(body, DecodedBody.of(whole));
    }
  }

  @Test
  void aConfirmedResponseKeepsItsDeltas() throws IOException {
    byte[] old = serve("/app/1.js", 1, 30_000);
    byte[] body = version(2, 30_000);
    origin.on(
        "/app/2.js",
        (request, connection) -> {
          if (request.field("if-none-match").isEmpty()) {
            TestOrigin.sendOk(connection, FRESH + "etag: \"2\"\r\n", body);
          } else {
            TestOrigin.notModified(
                connection, "etag: \"2\"\r\nx-round: " + request.number() + "\r\n");
          }
        });
    try (RawClient client = edge.connectTls()) {
      learned(client, "/app/1.js", old);
      String tag = delta(client, "/app/2.js", DCB, has(old)).field("etag");
      edge.purge(PurgeKind.URL, "https://www.example/app/2.js", true);
      Response confirmed = delta(client, "/app/2.js", DCB, has(old));
      assertEquals(tag, confirmed.field("etag"));
      assertEquals("2", confirmed.field("x-round"));
      Bytes.assertEquals(body, DecodedBody.of(confirmed, old));
    }
    assertEquals(1, outcomes(Outcome.MADE));
    assertEquals(1, outcomes(Outcome.REWRITTEN));
  }

  // --- purges and restarts ----------------------------------------------------------------------

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "URL | https://www.example/app/1.js",
        "TAG | old",
        "PATTERN | path ^/app/1",
        "EVERYTHING | ''"
      })
  void aPurgedDictionaryMakesNoDeltaAndNoneThatWasMadeIsServed(PurgeKind kind, String text)
      throws IOException {
    byte[] old = version(1, 30_000);
    origin.on("/app/1.js", TestOrigin.ok(FRESH + "cache-tag: old\r\n", old));
    byte[] body = serve("/app/2.js", 2, 30_000);
    try (RawClient client = edge.connectTls();
        RawClient other = edge.connectTls()) {
      learned(client, "/app/1.js", old);
      Bytes.assertEquals(body, DecodedBody.of(delta(client, "/app/2.js", DCB, has(old)), old));
      delta(other, "/app/2.js", DCB, has(old));
      edge.purge(kind, text, false);
      for (RawClient each : List.of(client, other, client)) {
        Response reply = ask(each, "/app/2.js", DCB, has(old));
        assertNoDelta(reply);
        Bytes.assertEquals(body, DecodedBody.of(reply));
      }
      Response reply = settled(client, "/app/2.js", DCB, has(old));
      assertNoDelta(reply);
      // Another body at the URL of the dictionary is another dictionary.
      byte[] replaced = version(8, 30_000);
      origin.on("/app/1.js", TestOrigin.ok(FRESH, replaced));
      learned(client, "/app/1.js", replaced);
      assertNoDelta(settled(client, "/app/2.js", DCB, has(old)));
      Bytes.assertEquals(
          body, DecodedBody.of(delta(client, "/app/2.js", DCB, has(replaced)), replaced));
    }
  }

  @Test
  void aPurgeOfTheAssetTakesItsDeltas() throws IOException {
    byte[] old = serve("/app/1.js", 1, 30_000);
    serve("/app/2.js", 2, 30_000);
    try (RawClient client = edge.connectTls()) {
      learned(client, "/app/1.js", old);
      delta(client, "/app/2.js", DCB, has(old));
      byte[] next = serve("/app/2.js", 3, 30_000);
      edge.purge(PurgeKind.URL, "https://www.example/app/2.js", false);
      for (int i = 0; i < 3; i++) {
        Response reply = ask(client, "/app/2.js", DCB, has(old));
        Bytes.assertEquals(
            next,
            reply.field("content-encoding").startsWith("dc")
                ? DecodedBody.of(reply, old)
                : DecodedBody.of(reply));
      }
      Bytes.assertEquals(next, DecodedBody.of(delta(client, "/app/2.js", DCB, has(old)), old));
    }
  }

  @Test
  void dictionariesAndDeltasSurviveARestart() throws IOException {
    byte[] old = serve("/app/1.js", 1, 300_000);
    byte[] body = serve("/app/2.js", 2, 300_000);
    byte[] next = serve("/app/3.js", 3, 300_000);
    Response before;
    try (RawClient client = edge.connectTls()) {
      learned(client, "/app/1.js", old);
      before = delta(client, "/app/2.js", DCB, has(old));
    }
    edge.awaitIdle();
    edge.stop();
    edge.start();
    try (RawClient client = edge.connectTls()) {
      Response after = delta(client, "/app/2.js", DCB, has(old));
      assertEquals(before.field("etag"), after.field("etag"));
      Bytes.assertEquals(body, DecodedBody.of(after, old));
      assertEquals(0, outcomes(Outcome.MADE));
      // What was learned is known without a request for it.
      Bytes.assertEquals(next, DecodedBody.of(delta(client, "/app/3.js", DCB, has(old)), old));
    }
    assertEquals(1, origin.count("/app/1.js"));
    assertEquals(1, origin.count("/app/2.js"));
  }

  // --- what operators see -----------------------------------------------------------------------

  @Test
  void explainAndTheLogNameTheDelta() throws Exception {
    byte[] old = serve("/app/1.js", 1, 30_000);
    serve("/app/2.js", 2, 30_000);
    String order =
        """
        {"url": "https://www.example/app/2.js",
         "fields": [["Accept-Encoding", "br, dcb"], ["Available-Dictionary", "HASH"]]}
        """
            .replace("HASH", has(old).substring("Available-Dictionary: ".length()));
    try (RawClient client = edge.connectTls()) {
      learned(client, "/app/1.js", old);
      ask(client, "/app/2.js");
      Await.until(
          "it is stored",
          () -> edge.explain(200, order).toString().contains("There is no delta in dcb"));
      Response reply = delta(client, "/app/2.js", DCB, has(old));
      String explained = edge.explain(200, order).toString();
      assertTrue(
          explained.contains(
              "The delta in dcb to the client's dictionary is served, as long as the dictionary is"
                  + " stored: "
                  + reply.body().length
                  + " bytes in place of 30000"),
          explained);
    }
  }
}
