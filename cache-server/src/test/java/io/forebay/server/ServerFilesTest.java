package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.forebay.server.ProtocolClient.Answer;
import io.forebay.testing.Await;
import io.forebay.testing.Bytes;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files of a directory as an origin. Requests below {@code /p/} pass the store. */
@Timeout(120)
@Tag("slow")
final class ServerFilesTest {
  private static final String SECRET = "root:secret";
  private static final FileTime OLD =
      FileTime.from(Instant.parse("2024-05-06T07:08:09.123456789Z"));
  private static final String OLD_DATE = "Mon, 06 May 2024 07:08:09 GMT";
  private static final int LARGE = 48 << 20;

  @TempDir Path directory;
  private Path www;
  private final AtomicLong clock = new AtomicLong(System.currentTimeMillis());
  private Edge edge;

  @BeforeEach
  void start() throws IOException {
    www = Files.createDirectory(directory.resolve("www"));
    Files.createDirectory(directory.resolve("outside"));
    Files.writeString(directory.resolve("outside/secret.txt"), SECRET);
    Files.writeString(directory.resolve("secret.txt"), SECRET);
    write("a.txt", "0123456789");
    write("p/a.txt", "0123456789");
    write("p/empty.bin", "");
    write("sub/index.html", "<p>");
    write("none/x.txt", "x");
    write(".hidden", SECRET);
    write("sub/.git/config", SECRET);
    write(".well-known/security.txt", "contact");
    write("a b;c=1%.JSON", "{}");
    edge = Edge.start(directory, "32MiB", config("", ""), clock::get);
  }

  @AfterEach
  void stop() throws IOException {
    Await.until("no file is open", () -> openFiles() == 0);
    edge.close();
  }

  private String config(String files, String origin) {
    return """
    http3: {listeners: [secure]}
    origins:
      site: {files: {directory: "WWW"FILES}ORIGIN}
    routes:
      - {name: passed, match: {path: /p/}, rules: [{pass: true}]}
      - {name: rest, stale-while-revalidate: 0s, stale-if-error: 1h}
    """
        .replace("WWW", www.toString())
        .replace("FILES", files)
        .replace("ORIGIN", origin);
  }

  private void reload(String yaml) throws IOException {
    edge.configure(yaml);
    assertEquals(List.of(), edge.server().reload().errors());
  }

  private Path write(String name, String text) throws IOException {
    Path file = www.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
    return Files.setLastModifiedTime(file, OLD);
  }

  private Path large(String name) throws IOException {
    Path file = write(name, "");
    try (RandomAccessFile grown = new RandomAccessFile(file.toFile(), "rw")) {
      grown.setLength(LARGE);
    }
    return Files.setLastModifiedTime(file, OLD);
  }

  /** Descriptors of this process that stand for something below the directory. */
  private long openFiles() throws IOException {
    try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
      return descriptors.filter(this::isBelow).count();
    }
  }

  private boolean isBelow(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).startsWith(www);
    } catch (IOException e) {
      return false;
    }
  }

  private Response get(String target, String... fields) throws IOException {
    return RawClient.get(edge.port(), target, fields);
  }

  // --- files ------------------------------------------------------------------------------------

  @Test
  void aFileIsStoredAndRevalidatedByItsTimeAndSize() throws IOException {
    Response first = get("/a.txt");
    assertEquals(200, first.status());
    assertEquals("0123456789", first.text());
    assertEquals("text/plain; charset=utf-8", first.field("content-type"));
    assertEquals("max-age=1", first.field("cache-control"));
    assertEquals(OLD_DATE, first.field("last-modified"));
    assertTrue(first.field("etag").matches("\"[0-9a-f.-]+\""), first.toString());
    assertTrue(get("/a.txt").isHit());

    clock.addAndGet(5_000);
    Response confirmed = get("/a.txt");
    assertEquals("0123456789", confirmed.text());
    assertEquals(first.field("etag"), confirmed.field("etag"));
    assertTrue(confirmed.field("cache-status").contains("304"), confirmed.toString());

    write("a.txt", "9876543210");
    Files.setLastModifiedTime(www.resolve("a.txt"), FileTime.fromMillis(OLD.toMillis() + 1));
    clock.addAndGet(5_000);
    assertEquals("9876543210", get("/a.txt").text());
    assertTrue(edge.sum(counters -> counters.originFetches) >= 3);
  }

  @Test
  void aFileThatWasJustChangedHasNoValidators() throws IOException {
    Await.until(
        "a file without validators",
        Duration.ofSeconds(30),
        () -> {
          Files.setLastModifiedTime(write("p/now.txt", "now"), FileTime.from(Instant.now()));
          Response now = get("/p/now.txt", "If-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT");
          return now.status() == 200 && !now.has("etag") && !now.has("last-modified");
        });
    // A time that lies ahead is no date of a change, but tells one content from another.
    Files.setLastModifiedTime(
        write("p/then.txt", "then"), FileTime.from(Instant.now().plus(Duration.ofDays(1))));
    assertEquals("", get("/p/then.txt").field("last-modified"));
    assertFalse(get("/p/then.txt").field("etag").isEmpty());
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "TLS", "HTTP/2", "HTTP/3"})
  void everyProtocolGetsFiles(String protocol) throws Exception {
    try (ProtocolClient client = ProtocolClient.connect(edge, protocol)) {
      Answer got = client.ask("GET", "/p/a.txt");
      assertEquals(200, got.status());
      assertEquals("10", got.all("content-length").getFirst());
      Answer head = client.ask("HEAD", "/p/a.txt");
      assertEquals(200, head.status());
      assertEquals("10", head.all("content-length").getFirst());
      assertEquals(404, client.ask("GET", "/p/missing").status());
      assertEquals(206, client.ask("GET", "/a.txt", "range", "bytes=2-4").status());
    }
  }

  @Test
  void anEmptyFileAndALargeOneAreWhole() throws IOException {
    assertEquals(0, get("/p/empty.bin").body().length);
    assertEquals("application/octet-stream", get("/p/empty.bin").field("content-type"));
    byte[] bytes = Edge.bytes(7, 3 << 20);
    Files.write(www.resolve("p/three.bin"), bytes);
    Files.write(www.resolve("three.bin"), bytes);
    Bytes.assertEquals(bytes, get("/p/three.bin").body());
    Bytes.assertEquals(bytes, get("/three.bin").body());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          Range: bytes=2-4                                        | 206 | 234
          Range: bytes=-3                                         | 206 | 789
          Range: bytes=8-99                                       | 206 | 89
          Range: bytes=10-                                        | 416 |
          Range: bytes=1-2,5-6                                    | 200 | 0123456789
          Range: lines=1-2                                        | 200 | 0123456789
          Range: bytes=2-4;If-Range: ETAG                         | 206 | 234
          Range: bytes=2-4;If-Range: "other"                      | 200 | 0123456789
          Range: bytes=2-4;If-Range: DATE                         | 206 | 234
          If-None-Match: ETAG                                     | 304 |
          If-None-Match: "other", W/ETAG                          | 304 |
          If-None-Match: *                                        | 304 |
          If-None-Match: "other"                                  | 200 | 0123456789
          If-Modified-Since: DATE                                 | 304 |
          If-Modified-Since: Sun, 05 May 2024 07:08:09 GMT        | 200 | 0123456789
          If-None-Match: "other";If-Modified-Since: DATE          | 200 | 0123456789
          If-Match: ETAG                                          | 200 | 0123456789
          If-Match: "other"                                       | 412 |
          If-Unmodified-Since: Sun, 05 May 2024 07:08:09 GMT      | 412 |
          """)
  void conditionsAndRangesAreEvaluated(String fields, int status, String body) throws IOException {
    String etag = get("/p/a.txt").field("etag");
    Response response =
        get("/p/a.txt", fields.replace("ETAG", etag).replace("DATE", OLD_DATE).split(";"));
    assertEquals(status, response.status(), response::toString);
    if (status < 300) {
      assertEquals(body, response.text());
    }
    if (status == 416) {
      assertEquals("bytes */10", response.field("content-range"));
    }
    if (status == 304) {
      assertEquals(etag, response.field("etag"));
    }
  }

  @Test
  void aDirectoryIsItsIndexAndIsNeverListed() throws IOException {
    assertEquals("<p>", get("/sub/").text());
    Response redirect = get("/sub?x=1");
    assertEquals(301, redirect.status());
    assertEquals("./sub/?x=1", redirect.field("location"));
    assertEquals(404, get("/none/").status());
    assertEquals(404, get("/").status());
    assertEquals(404, get("/a.txt/").status());
    assertEquals("{}", get("/a%20b;c=1%25.JSON").text());
    assertEquals("application/json", get("/a%20b;c=1%25.JSON").field("content-type"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"POST", "PUT", "DELETE", "OPTIONS"})
  void otherMethodsAreRefused(String method) throws IOException {
    try (RawClient client = edge.connect()) {
      client.request(
          method, "/a.txt", TestOrigin.ascii("body"), "Host: a.example", "Content-Length: 4");
      Response refused = client.reply();
      assertEquals(405, refused.status());
      assertEquals("GET, HEAD", refused.field("allow"));
    }
  }

  // --- hostile paths ----------------------------------------------------------------------------

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "/%2e%2e%2fsecret.txt",
        "/..%2fsecret.txt",
        "/..%5csecret.txt",
        "/..\\secret.txt",
        "/%252e%252e/secret.txt",
        "/%252e%252e%252fsecret.txt",
        "/sub/..;/..;/secret.txt",
        "/..;/secret.txt",
        "/%c0%ae%c0%ae/secret.txt",
        "/%e0%80%ae%e0%80%ae/secret.txt",
        "/..%c0%afsecret.txt",
        "/..%00/secret.txt",
        "/a.txt%00.html",
        "/.hidden",
        "/%2ehidden",
        "/sub/.git/config",
        "/sub/%2egit/config",
        "/sub/./.git/config",
        "//etc/passwd",
        "/sub//index.html",
        "/%2f%2fetc/passwd",
        "/link/secret.txt",
        "/absolute",
        "/relative",
        "/chain",
        "/proc/root/etc/passwd",
        "/circle",
        "/fifo",
        "/socket",
        "/device",
      })
  void nothingOutsideTheDirectoryAndNothingSpecialIsServed(String target) throws Exception {
    Files.createSymbolicLink(www.resolve("link"), Path.of("../outside"));
    Files.createSymbolicLink(www.resolve("absolute"), directory.resolve("secret.txt"));
    Files.createSymbolicLink(www.resolve("relative"), Path.of("sub/../../secret.txt"));
    Files.createSymbolicLink(www.resolve("chain"), Path.of("relative"));
    Files.createSymbolicLink(www.resolve("proc"), Path.of("/proc/self"));
    Files.createSymbolicLink(www.resolve("circle"), Path.of("circle"));
    Files.createSymbolicLink(www.resolve("device"), Path.of("/dev/zero"));
    assertEquals(0, new ProcessBuilder("mkfifo", www.resolve("fifo").toString()).start().waitFor());
    try (ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      socket.bind(UnixDomainSocketAddress.of(www.resolve("socket")));
      Response response = get(target, "Connection: close");
      assertTrue(response.status() == 404 || response.status() == 400, response::toString);
      assertFalse(response.text().contains(SECRET), response::toString);
    }
  }

  @Test
  void linksAreFollowedInsideTheDirectory() throws IOException {
    Files.createSymbolicLink(www.resolve("current"), Path.of("sub"));
    Files.createSymbolicLink(www.resolve("sub/up.txt"), Path.of("../a.txt"));
    assertEquals("<p>", get("/current/").text());
    assertEquals("0123456789", get("/current/up.txt").text());
    assertEquals("contact", get("/.well-known/security.txt").text());
  }

  @Test
  void aDirectoryThatTurnsIntoALinkWhileItIsAskedForLetsNothingOut() throws Exception {
    Path swapped = www.resolve("p/swap");
    Path real = Files.createDirectory(www.resolve("p/real"));
    Files.writeString(real.resolve("secret.txt"), "public");
    AtomicBoolean isOver = new AtomicBoolean();
    Thread swapping =
        Thread.ofPlatform()
            .start(() -> {
              try {
                while (!isOver.get()) {
                  for (String to : new String[] {"real", "../../outside"}) {
                    Path next = www.resolve("p/next");
                    Files.createSymbolicLink(next, Path.of(to));
                    Files.move(next, swapped, StandardCopyOption.ATOMIC_MOVE);
                  }
                }
              } catch (IOException e) {
                throw new AssertionError(e);
              }
            });
    try (RawClient client = edge.connect()) {
      int served = 0;
      for (int i = 0; i < 10_000 && served < 50; i++) {
        Response response = client.get("/p/swap/secret.txt", "Host: a.example");
        assertFalse(response.text().contains(SECRET), response::toString);
        served += response.status() == 200 ? 1 : 0;
      }
      assertTrue(served > 0);
    } finally {
      isOver.set(true);
      swapping.join();
    }
  }

  // --- trouble ----------------------------------------------------------------------------------

  @Test
  void aFileThatMayNotBeReadIsForbidden() throws IOException {
    Path denied = write("p/denied", "x");
    // Root may read any file of a disk, but none of sysfs that is only for writing.
    Path root = Path.of("/sys/bus/platform");
    Files.setPosixFilePermissions(denied, Set.of());
    if (Files.isReadable(denied)) {
      assumeTrue(Files.exists(root.resolve("uevent")));
      www = root;
      reload(config("", "").replace("match: {path: /p/}", "match: {path: /uevent}"));
      assertEquals(403, get("/uevent").status());
    } else {
      assertEquals(403, get("/p/denied").status());
    }
  }

  @Tag("full")
  @ParameterizedTest
  @ValueSource(strings = {"shorter", "longer", "rewritten"})
  void aFileThatChangesWhileItIsReadEndsAsAnError(String how) throws IOException {
    Path file = large("p/large.bin");
    try (RawClient client = new RawClient(edge.port(), 4096)) {
      client.request("GET", "/p/large.bin", "Host: a.example");
      Response head = client.head();
      assertEquals(200, head.status());
      try (RandomAccessFile changed = new RandomAccessFile(file.toFile(), "rw")) {
        switch (how) {
          case "shorter" -> changed.setLength(LARGE / 2);
          case "longer" -> changed.setLength(LARGE + 1);
          default -> changed.write(1);
        }
      }
      assertThrows(IOException.class, () -> client.body(head));
    }
    edge.awaitSum(1, counters -> counters.originFailures);
  }

  @Test
  void anObjectThatWasNotReadWholeIsNotStored() throws Exception {
    Path file = large("large.bin");
    AtomicBoolean isOver = new AtomicBoolean();
    Thread appending =
        Thread.ofPlatform()
            .start(() -> {
              try (RandomAccessFile grown = new RandomAccessFile(file.toFile(), "rw")) {
                while (!isOver.get()) {
                  grown.seek(grown.length());
                  grown.write(1);
                }
              } catch (IOException e) {
                throw new AssertionError(e);
              }
            });
    try {
      Await.until("it grows", () -> Files.size(file) > LARGE);
      assertThrows(IOException.class, () -> get("/large.bin"));
    } finally {
      isOver.set(true);
      appending.join();
    }
    Files.setLastModifiedTime(file, OLD);
    assertEquals(Files.size(file), get("/large.bin").body().length);
  }

  @Test
  void aDirectoryThatIsAwayIsAFailureThatStaleFilesOutlive() throws IOException {
    assertEquals("0123456789", get("/a.txt").text());
    Files.move(www, directory.resolve("away"));
    clock.addAndGet(5_000);
    Response stale = get("/a.txt");
    assertEquals(200, stale.status());
    assertEquals("0123456789", stale.text());
    assertEquals(502, get("/sub/index.html").status());
    Files.move(directory.resolve("away"), www);
    assertEquals("<p>", get("/sub/index.html").text());
  }

  @Test
  void openFilesAreBounded() throws Exception {
    large("p/large.bin");
    reload(config("", ", max-connections: 1, max-waiting: 1"));
    try (RawClient holding = new RawClient(edge.port(), 4096);
        RawClient one = edge.connect();
        RawClient other = edge.connect()) {
      holding.request("GET", "/p/large.bin", "Host: a.example");
      assertEquals(200, holding.head().status());
      // Whichever comes first waits, and the other one is refused.
      one.request("GET", "/p/a.txt", "Host: a.example");
      other.request("GET", "/p/a.txt", "Host: b.example");
      List<CompletableFuture<Response>> replies =
          Stream.of(one, other)
              .map(client ->
                  CompletableFuture.supplyAsync(() -> reply(client), Thread::startVirtualThread))
              .toList();
      Object first = CompletableFuture.anyOf(replies.toArray(CompletableFuture[]::new)).get();
      assertEquals(503, ((Response) first).status());
      holding.close();
      assertEquals(
          List.of("0123456789"),
          replies.stream()
              .map(CompletableFuture::join)
              .filter(reply -> reply.status() == 200)
              .map(Response::text)
              .toList());
    }
  }

  private static Response reply(RawClient client) {
    try {
      return client.reply();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  // --- what operators see -----------------------------------------------------------------------

  @Test
  void operatorsSeeTheDirectory() throws Exception {
    assertEquals("file:" + www, edge.server().origins().getFirst().servers().getFirst().url());
    assertTrue(edge.server().banner().stream().anyMatch(line -> line.endsWith("site file:" + www)));
    String explained = edge.explain(200, "{\"url\":\"" + edge.url("/a.txt") + "\"}").toString();
    assertTrue(explained.contains("site"), explained);
    Files.delete(www.resolve("a.txt"));
    String files = ", index: none, hidden: true, types: [html=text/x-test], cache-control: none";
    reload(config(files, ""));
    assertEquals(404, get("/sub/").status());
    assertEquals("text/x-test", get("/sub/index.html").field("content-type"));
    assertEquals("", get("/sub/index.html").field("cache-control"));
    assertEquals(SECRET, get("/.hidden").text());
    edge.configure(config("", "").replace(www.toString(), www + "/missing"));
    assertTrue(edge.server().reload().errors().toString().contains("no such file or directory"));
  }
}
