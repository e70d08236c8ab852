package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.ProtocolClient.Answer;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Siblings of files that were compressed before. Requests below {@code /p/} pass the store. */
@Timeout(120)
@Tag("slow")
final class ServerPrecompressedFilesTest {
  private static final Instant OLD = Instant.parse("2024-05-06T07:08:09.123456789Z");

  @TempDir Path directory;
  private Path www;
  private final AtomicLong clock = new AtomicLong(System.currentTimeMillis());
  private Edge edge;

  @BeforeEach
  void start() throws IOException {
    www = Files.createDirectory(directory.resolve("www"));
    for (String folder : List.of("", "p/")) {
      write(folder + "all.css", "plain text");
      write(folder + "all.css.br", "brotli");
      write(folder + "all.css.zst", "zstandard");
      write(folder + "all.css.gz", "gzipped");
      write(folder + "one.js", "plain");
      write(folder + "one.js.gz", "zip");
      write(folder + "none.txt", "plain");
      write(folder + "index.html", "<p>");
      write(folder + "index.html.br", "br of index");
    }
    write("stale.css", "new");
    Files.setLastModifiedTime(write("stale.css.gz", "old"), FileTime.from(OLD.minusNanos(1)));
    write("dir.css", "plain");
    Files.createDirectory(www.resolve("dir.css.br"));
    write("out.css", "plain");
    Files.createSymbolicLink(www.resolve("out.css.br"), directory.resolve("secret"));
    Files.writeString(directory.resolve("secret"), "secret");
    edge = Edge.start(directory, "32MiB", config(", precompressed: [br, zstd, gzip]"), clock::get);
  }

  @AfterEach
  void stop() throws IOException {
    edge.close();
  }

  private String config(String files) {
    return """
    http3: {listeners: [secure]}
    origins:
      site: {files: {directory: "WWW"FILES}}
    routes:
      - {name: passed, match: {path: /p/}, rules: [{pass: true}]}
      - {name: rest}
    """
        .replace("WWW", www.toString())
        .replace("FILES", files);
  }

  private Path write(String name, String text) throws IOException {
    Path file = www.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
    return Files.setLastModifiedTime(file, FileTime.from(OLD));
  }

  private Response get(String target, String... fields) throws IOException {
    return RawClient.get(edge.port(), target, fields);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // path | Accept-Encoding | coding | body | type | whether it varies
        "all.css  | gzip, br, zstd        | br   | brotli    | text/css        | true",
        "all.css  | gzip, zstd            | zstd | zstandard | text/css        | true",
        "all.css  | gzip                  | gzip | gzipped   | text/css        | true",
        "all.css  | br;q=0, gzip;q=0.1    | gzip | gzipped   | text/css        | true",
        "all.css  | identity              |      | plain text | text/css       | true",
        "all.css  |                       |      | plain text | text/css       | true",
        "one.js   | br, zstd, gzip        | gzip | zip       | text/javascript | true",
        "one.js   | br, zstd              |      | plain     | text/javascript | true",
        "none.txt | br, zstd, gzip        |      | plain     | text/plain      | false",
        "''       | br                    | br   | br of index | text/html     | true",
      })
  void theSiblingThatAClientAcceptsIsSent(
      String path,
      @Nullable String accepted,
      @Nullable String coding,
      String body,
      String type,
      boolean varies)
      throws IOException {
    for (String folder : List.of("/p/", "/", "/")) {
      Response response =
          accepted == null
              ? get(folder + path)
              : get(folder + path, "Accept-Encoding: " + accepted);
      assertEquals(200, response.status());
      assertEquals(body, response.text());
      assertEquals(coding == null ? "" : coding, response.field("content-encoding"));
      assertTrue(response.field("content-type").startsWith(type), response.toString());
      assertEquals(
          varies, response.field("vary").toLowerCase(Locale.ROOT).contains("accept-encoding"));
      assertEquals(String.valueOf(body.length()), response.field("content-length"));
    }
    assertTrue(
        (accepted == null ? get("/" + path) : get("/" + path, "Accept-Encoding: " + accepted))
            .isHit());
  }

  @ParameterizedTest
  @ValueSource(strings = {"TLS", "HTTP/2", "HTTP/3"})
  void overAllProtocols(String protocol) throws Exception {
    try (ProtocolClient client = ProtocolClient.connect(edge, protocol)) {
      for (int i = 0; i < 2; i++) {
        Answer coded = client.ask("GET", "/all.css", "accept-encoding", "br");
        assertEquals(List.of("br"), coded.all("content-encoding"));
        Answer plain = client.ask("GET", "/all.css");
        assertEquals(List.of(), plain.all("content-encoding"));
      }
    }
  }

  @Test
  void eachHasItsOwnTagForConditionsAndRanges() throws IOException {
    Response br = get("/p/all.css", "Accept-Encoding: br");
    Response plain = get("/p/all.css");
    String tag = br.field("etag");
    assertNotEquals(plain.field("etag"), tag);
    Response same = get("/p/all.css", "Accept-Encoding: br", "If-None-Match: " + tag);
    assertEquals(304, same.status());
    assertTrue(same.field("vary").toLowerCase(Locale.ROOT).contains("accept-encoding"));
    assertEquals(200, get("/p/all.css", "If-None-Match: " + tag).status());
    Response part = get("/p/all.css", "Accept-Encoding: br", "Range: bytes=2-", "If-Range: " + tag);
    assertEquals(206, part.status());
    assertEquals("otli", part.text());
    assertEquals("bytes 2-5/6", part.field("content-range"));
    assertEquals("br", part.field("content-encoding"));
    // The tag of the sibling is none of the plain file.
    assertEquals(200, get("/p/all.css", "Range: bytes=2-", "If-Range: " + tag).status());
    Response head = RawClient.head(edge.port(), "/p/all.css", "Accept-Encoding: br");
    assertEquals("6", head.field("content-length"));
    assertEquals("br", head.field("content-encoding"));
  }

  @Test
  void aSiblingThatIsOlderOrNoFileIsNone() throws IOException {
    Response stale = get("/stale.css", "Accept-Encoding: gzip");
    assertEquals("new", stale.text());
    assertFalse(stale.has("content-encoding"));
    assertFalse(stale.has("vary"));
    assertEquals("plain", get("/dir.css", "Accept-Encoding: br").text());
    // A link that leads out of the directory is not followed.
    assertEquals("plain", get("/out.css", "Accept-Encoding: br").text());
  }

  @Test
  void aSiblingThatChangesIsSeen() throws IOException {
    assertEquals("brotli", get("/all.css", "Accept-Encoding: br").text());
    write("all.css.br", "another");
    clock.addAndGet(5_000);
    assertEquals("another", get("/all.css", "Accept-Encoding: br").text());
    Files.delete(www.resolve("all.css.br"));
    clock.addAndGet(5_000);
    assertEquals("plain text", get("/all.css", "Accept-Encoding: br").text());
  }

  @Test
  void withoutTheSettingSiblingsAreNotLookedFor() throws IOException {
    edge.configure(config(""));
    assertEquals(List.of(), edge.server().reload().errors());
    Response response = get("/p/all.css", "Accept-Encoding: br");
    assertEquals("plain text", response.text());
    assertFalse(response.has("vary"));
  }
}
