package io.forebay.server.warm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsExchange;
import com.sun.net.httpserver.HttpsServer;
import io.forebay.server.accesslog.AccessLog;
import io.forebay.server.admin.AdminServer;
import io.forebay.server.admin.EdgeFixture;
import io.forebay.server.admin.FakeNode;
import io.forebay.server.admin.RawHttp;
import io.forebay.server.audit.AuditLog;
import io.forebay.server.config.ServerConfig.AccessLogConfig;
import io.forebay.server.metric.NodeMetrics;
import io.forebay.server.node.NodeStatus;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import java.util.zip.GZIPOutputStream;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Warm-up over real sockets: the admin API and a scripted listener of the node. */
@Timeout(120)
@Tag("slow")
final class WarmTest {
  @TempDir Path directory;
  private final EdgeFixture edge = new EdgeFixture();
  private FakeNode node = new FakeNode(Map.of());
  private final List<AutoCloseable> open = new ArrayList<>();
  private RawHttp http = new RawHttp(0);

  @BeforeEach
  void start() throws IOException {
    start(Map.of());
  }

  private void start(Map<String, String> options) throws IOException {
    node = new FakeNode(options).listening(edge.listening());
    AccessLog log = AccessLog.open(new AccessLogConfig("off", 64), 2);
    NodeMetrics metrics = new NodeMetrics(node, log, () -> 0, "1.2.3");
    AdminServer admin = AdminServer.start(node, metrics, log, AuditLog.OFF, "1.2.3");
    http = new RawHttp(admin.port());
    open.addAll(List.of(edge, log, metrics, admin));
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable one : open.reversed()) {
      one.close();
    }
  }

  @Test
  void fetchesEachUrlWithItsOwnHostAndReportsIt() throws IOException {
    edge.has("a.example/one?q=1", "12345").has("b.example:81/two", "").fails("a.example/bad", 503);
    JsonNode report =
        warmed(
            """
            {"urls":["http://a.example/one?q=1","http://b.example:81/two#part",
                     "http://a.example/bad","http://a.example/missing","http://a.example/one?q=1"],
             "concurrency":1}
            """);
    assertEquals(
        List.of("a.example/one?q=1", "b.example:81/two", "a.example/bad", "a.example/missing"),
        edge.requests());
    assertEquals("done", report.get("state").stringValue());
    assertEquals(
        "{\"found\":4,\"completed\":4,\"ok\":2,\"failed\":2,\"refused\":0,\"hits\":0,\"bytes\":5,"
            + "\"leftOut\":0}",
        report.get("totals").toString());
    JsonNode first = report.at("/results/0");
    assertEquals(1, first.get("n").longValue());
    assertEquals("http://a.example/one?q=1", first.get("url").stringValue());
    assertEquals(200, first.get("status").intValue());
    assertEquals(5, first.get("bytes").longValue());
    assertEquals("uri-miss", first.get("cache").stringValue());
    assertTrue(first.get("millis").doubleValue() > 0);
    assertFalse(first.has("error"));
    assertEquals("status 503", report.at("/results/2/error").stringValue());
    assertEquals(404, report.at("/results/3/status").intValue());
    assertEquals(4, report.get("next").longValue());
    assertFalse(report.get("more").booleanValue());
  }

  @Test
  void aSecondJobFindsWhatTheFirstBrought() throws IOException {
    edge.has("a.example/x", "x");
    warmed("{\"urls\":[\"http://a.example/x\"]}");
    JsonNode second = warmed("{\"urls\":[\"http://a.example/x\"]}");
    assertEquals("hit", second.at("/results/0/cache").stringValue());
    assertEquals(1, second.at("/totals/hits").longValue());
    JsonNode list = http.get("/v1/warm").json();
    assertEquals(2, list.get("jobs").size());
  }

  @Test
  void followsPlaylistsToVariantsAndSegments() throws IOException {
    edge.has(
            "v.example/live/master.m3u8",
            """
            #EXTM3U
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="x",URI="audio/a.m3u8"
            #EXT-X-STREAM-INF:BANDWIDTH=1
            720p/index.m3u8?t=1
            #EXT-X-STREAM-INF:BANDWIDTH=2
            /live/1080p.m3u8
            """)
        .has(
            "v.example/live/720p/index.m3u8?t=1",
            """
            #EXTM3U
            #EXT-X-KEY:METHOD=AES-128,URI="https://keys.example/k"
            #EXT-X-MAP:URI="init.mp4"
            #EXTINF:4,
            s1.m4s
            #EXTINF:4,
            ../s 2.m4s
            #EXT-X-PRELOAD-HINT:TYPE=PART,URI="s3.m4s"
            """)
        .has("v.example/live/1080p.m3u8", "#EXTM3U\r\n#EXTINF:4,\r\nhttp://v.example/big.ts\r\n")
        .has("v.example/live/audio/a.m3u8", "#EXTM3U\n#EXTINF:4,\na1.aac\n");
    JsonNode report = warmed("{\"urls\":[\"http://v.example/live/master.m3u8\"]}");
    assertEquals(
        Set.of(
            "v.example/live/master.m3u8",
            "v.example/live/audio/a.m3u8",
            "v.example/live/audio/a1.aac",
            "v.example/live/720p/index.m3u8?t=1",
            "v.example/live/720p/init.mp4",
            "v.example/live/720p/s1.m4s",
            "v.example/live/s%202.m4s",
            "v.example/live/1080p.m3u8",
            "v.example/big.ts"),
        new TreeSet<>(edge.requests()));
    assertEquals(9, report.at("/totals/found").longValue());
  }

  @Test
  void followsManifestsToSegmentsThatRoutesOfTheNodeTake() throws IOException {
    edge.has(
            "v.example/d/main.mpd?x=1",
            """
            <MPD mediaPresentationDuration="PT8S"><Period><AdaptationSet>
            <SegmentTemplate duration="4" initialization="$RepresentationID$/i.mp4" media="$RepresentationID$/$Number$.m4s"/>
            <Representation id="lo"/><Representation id="hi"/>
            </AdaptationSet><AdaptationSet><Representation id="text"><BaseURL>ftp://x.example/subs</BaseURL></Representation>
            </AdaptationSet></Period></MPD>
            """)
        .has("v.example/d/lo/i.mp4", "i")
        .has("v.example/d/lo/1.m4s", "1")
        .has("v.example/d/lo/2.m4s", "2")
        .has("v.example/d/hi/i.mp4", "i")
        .has("v.example/d/hi/1.m4s", "1")
        .has("v.example/d/hi/2.m4s", "2")
        .has("v.example/bad.mpd", "<!DOCTYPE MPD []><MPD/>");
    JsonNode report =
        warmed(
            "{\"urls\":[\"http://v.example/d/main.mpd?x=1\",\"http://v.example/bad.mpd\"],"
                + "\"concurrency\":1}");
    assertEquals(
        List.of(
            "v.example/d/main.mpd?x=1",
            "v.example/bad.mpd",
            "v.example/d/lo/i.mp4",
            "v.example/d/lo/1.m4s",
            "v.example/d/lo/2.m4s",
            "v.example/d/hi/i.mp4",
            "v.example/d/hi/1.m4s",
            "v.example/d/hi/2.m4s"),
        edge.requests());
    assertEquals(7, report.at("/totals/ok").longValue(), report::toString);
    assertEquals(1, report.at("/totals/failed").longValue());
    assertEquals(1, report.at("/totals/refused").longValue(), "another scheme");
    assertTrue(report.toString().contains("not a DASH manifest: "), report::toString);
  }

  @Test
  void doesNotFollowWhenToldNotTo() throws IOException {
    edge.has("v.example/m.m3u8", "#EXTM3U\ns1.ts\n");
    warmed("{\"urls\":[\"http://v.example/m.m3u8\"],\"follow\":false}");
    assertEquals(List.of("v.example/m.m3u8"), edge.requests());
  }

  @Test
  void aPlaylistThatNamesItselfEnds() throws IOException {
    edge.has("v.example/a.m3u8", "#EXTM3U\na.m3u8\nb.m3u8\n")
        .has("v.example/b.m3u8", "#EXTM3U\na.m3u8\n");
    assertEquals(
        2, warmed("{\"urls\":[\"http://v.example/a.m3u8\"]}").at("/totals/found").longValue());
  }

  @Test
  void readsSitemapsAndTheirIndexesGzippedOrNot() throws IOException {
    edge.has(
            "s.example/index.xml",
            """
            <?xml version="1.0"?><sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
            <sitemap><loc>http://s.example/one.xml</loc></sitemap>
            <sitemap><loc> http://s.example/two.xml.gz </loc></sitemap></sitemapindex>
            """)
        .has(
            "s.example/one.xml",
            """
            <urlset xmlns:image="http://i"><url><loc>http://s.example/p?a=1&amp;b=2</loc>
            <image:image><image:loc>http://s.example/no.jpg</image:loc></image:image></url></urlset>
            """)
        .has(
            "s.example/two.xml.gz",
            gzip("<urlset><url><loc>http://s.example/q</loc></url></urlset>"))
        .has("s.example/p?a=1&b=2", "p")
        .has("s.example/q", "q");
    JsonNode report = warmed("{\"sitemaps\":[\"http://s.example/index.xml\"]}");
    assertEquals(
        Set.of(
            "s.example/index.xml",
            "s.example/one.xml",
            "s.example/two.xml.gz",
            "s.example/p?a=1&b=2",
            "s.example/q"),
        Set.copyOf(edge.requests()));
    assertEquals(5, report.at("/totals/ok").longValue());
  }

  /**
   * Sitemaps that take long to read, many at once, keep no thread from the admin API: every carrier
   * of virtual threads would be busy with one for as long as the job lasts.
   */
  @Tag("full")
  @Test
  void theApiAnswersWhileSitemapsAreRead() throws Exception {
    byte[] slow = gzip("<urlset>" + "<a b=\"c\"/>".repeat((49 << 20) / 10) + "</urlset>");
    int count = 2 * Runtime.getRuntime().availableProcessors() + 2;
    StringBuilder urls = new StringBuilder();
    for (int i = 0; i < count; i++) {
      edge.has("s.example/" + i + ".xml.gz", slow);
      urls.append(i == 0 ? "" : ",").append("\"http://s.example/").append(i).append(".xml.gz\"");
    }
    long job = started("{\"sitemaps\":[" + urls + "],\"concurrency\":64}");
    int answered = 0;
    while (http.get("/v1/warm/" + job).json().get("state").stringValue().equals("running")) {
      assertEquals(200, http.get("/healthz").status());
      answered++;
    }
    JsonNode report = finished(job);
    assertEquals(count, report.at("/totals/ok").longValue(), report.toString());
    assertTrue(answered > 10 * count, "answered " + answered + " times");
  }

  @Test
  void aBombIsAFailureThatNamesItsBound() throws IOException {
    edge.has("s.example/bomb.xml.gz", gzip("<urlset>" + " ".repeat(60 << 20) + "</urlset>"));
    JsonNode report = warmed("{\"sitemaps\":[\"http://s.example/bomb.xml.gz\"]}");
    assertEquals(
        "the sitemap has more than 52428800 bytes uncompressed",
        report.at("/results/0/error").stringValue());
    assertEquals(200, report.at("/results/0/status").intValue());
  }

  @Test
  void sitemapIndexesEndAtADepth() throws IOException {
    for (int i = 0; i <= WarmJob.MAX_DEPTH; i++) {
      edge.has(
          "s.example/" + i,
          "<sitemapindex><sitemap><loc>http://s.example/"
              + (i + 1)
              + "</loc></sitemap></sitemapindex>");
    }
    JsonNode report = warmed("{\"sitemaps\":[\"http://s.example/0\"]}");
    assertEquals(WarmJob.MAX_DEPTH + 1, edge.requests().size());
    assertEquals(1, report.at("/totals/refused").longValue());
    assertTrue(
        report.toString().contains("sitemap indexes are nested deeper than 4"), report.toString());
  }

  @Test
  void readsNoFileThatASitemapNames() throws IOException {
    edge.has(
        "s.example/x.xml",
        "<!DOCTYPE u [<!ENTITY e SYSTEM \"file:///etc/passwd\">]>"
            + "<urlset><url><loc>http://s.example/&e;</loc></url></urlset>");
    JsonNode report = warmed("{\"sitemaps\":[\"http://s.example/x.xml\"]}");
    assertTrue(
        report.at("/results/0/error").stringValue().startsWith("not a sitemap: "),
        report.toString());
    assertEquals(1, edge.requests().size());
  }

  @Test
  void aSitemapThatIsNoneIsAFailureOfItsUrl() throws IOException {
    edge.has("s.example/a", "<html/>").has("s.example/b", "not xml");
    JsonNode report =
        warmed(
            "{\"sitemaps\":[\"http://s.example/a\",\"http://s.example/b\",\"http://s.example/c\"]}");
    assertEquals(3, report.at("/totals/failed").longValue());
  }

  @Test
  void asksForNothingThatNoRouteServes() throws Exception {
    close();
    open.clear();
    start(
        Map.of(
            "routes.0.match.host", "*.good.example",
            "routes.1.match.host", "only.example",
            "routes.1.match.path", "/pub/"));
    EdgeFixture second = new EdgeFixture();
    open.add(second);
    node.listening(second.listening());
    second
        .has("a.good.example/m.m3u8", "#EXTM3U\nhttp://169.254.169.254/latest\ns.ts\n")
        .has("only.example/pub/x", "x");
    JsonNode report =
        warmed(
            """
            {"urls":["http://evil.example/","http://good.example/","http://only.example/private",
                     "http://a.good.example/m.m3u8","http://only.example/pub/x",
                     "http://a.good.example@evil.example/","file:///etc/passwd"]}
            """);
    assertEquals(
        Set.of("a.good.example/m.m3u8", "a.good.example/s.ts", "only.example/pub/x"),
        Set.copyOf(second.requests()));
    assertEquals(6, report.at("/totals/refused").longValue(), report.toString());
  }

  @Test
  void followsNoRedirect() throws IOException {
    edge.fails("a.example/r", 302);
    JsonNode report = warmed("{\"urls\":[\"http://a.example/r\"]}");
    assertEquals(302, report.at("/results/0/status").intValue());
    assertEquals(1, edge.requests().size());
  }

  @Test
  void keepsToItsConcurrency() throws Exception {
    StringBuilder urls = new StringBuilder();
    for (int i = 0; i < 12; i++) {
      urls.append(i == 0 ? "" : ",").append("\"http://a.example/").append(i).append('"');
    }
    edge.holdBack(3);
    long job = started("{\"urls\":[" + urls + "],\"concurrency\":3}");
    edge.awaitArrivals();
    assertEquals("running", http.get("/v1/warm/" + job).json().get("state").stringValue());
    edge.release();
    assertEquals(12, finished(job).at("/totals/completed").longValue());
    assertEquals(3, edge.mostInFlight());
  }

  @Test
  void keepsToItsRate() throws IOException {
    StringBuilder urls = new StringBuilder();
    for (int i = 0; i < 11; i++) {
      urls.append(i == 0 ? "" : ",").append("\"http://a.example/").append(i).append('"');
    }
    long start = System.nanoTime();
    warmed("{\"urls\":[" + urls + "],\"ratePerSecond\":50}");
    // Eleven starts are ten intervals of 20 ms.
    assertTrue(System.nanoTime() - start >= 200_000_000L);
  }

  @Test
  void aCancelledJobBreaksOffItsRequests() throws Exception {
    edge.holdBack(2);
    long job =
        started(
            "{\"urls\":[\"http://a.example/1\",\"http://a.example/2\",\"http://a.example/3\"],"
                + "\"concurrency\":2}");
    edge.awaitArrivals();
    RawHttp.Answer answer = http.send("DELETE", "/v1/warm/" + job, "");
    assertEquals(200, answer.status());
    assertEquals("cancelled", answer.json().get("state").stringValue());
    JsonNode report = finished(job);
    assertEquals("cancelled", report.get("state").stringValue());
    assertEquals(2, edge.requests().size());
    assertEquals(0, report.at("/totals/completed").longValue());
  }

  @Test
  void pagesThroughManyResults() throws IOException {
    StringBuilder playlist = new StringBuilder("#EXTM3U\n");
    for (int i = 0; i < 1500; i++) {
      playlist.append("s").append(i).append(".ts\n");
    }
    edge.has("v.example/p.m3u8", playlist.toString());
    long job = started("{\"urls\":[\"http://v.example/p.m3u8\"],\"concurrency\":16}");
    finished(job);
    JsonNode first = http.get("/v1/warm/" + job).json();
    assertEquals(1000, first.get("results").size());
    assertEquals(1000, first.get("next").longValue());
    assertTrue(first.get("more").booleanValue());
    JsonNode second = http.get("/v1/warm/" + job + "?after=1000").json();
    assertEquals(501, second.get("results").size());
    assertEquals(1001, second.at("/results/0/n").longValue());
    assertFalse(second.get("more").booleanValue());
    assertEquals(0, http.get("/v1/warm/" + job + "?after=1501").json().get("results").size());
    assertEquals(400, http.get("/v1/warm/" + job + "?after=x").status());
  }

  @Test
  void refusesAFifthJobAtOnce() throws Exception {
    edge.holdBack(WarmJobs.MAX_RUNNING);
    for (int i = 0; i < WarmJobs.MAX_RUNNING; i++) {
      started("{\"urls\":[\"http://a.example/" + i + "\"],\"concurrency\":1}");
    }
    edge.awaitArrivals();
    assertEquals(429, http.post("/v1/warm", "{\"urls\":[\"http://a.example/\"]}").status());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{\"urls\":[]}",
        "{\"urls\":[1]}",
        "{\"urls\":[\"http://a/\"],\"concurrency\":65}",
        "{\"urls\":[\"http://a/\"],\"concurrency\":0}",
        "{\"urls\":[\"http://a/\"],\"rate\":1}",
        "{\"urls\":[\"http://a/\"],\"ratePerSecond\":-1}",
        "nonsense",
      })
  void refusesAnOrderItCannotUnderstand(String body) throws IOException {
    assertEquals(400, http.post("/v1/warm", body).status());
    assertEquals(List.of(), edge.requests());
  }

  @Test
  void knowsNoOtherJobs() throws IOException {
    assertEquals(404, http.get("/v1/warm/1").status());
    assertEquals(404, http.send("DELETE", "/v1/warm/999999999999999999", "").status());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "nonsense\r\n\r\n",
        "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        "",
      })
  void aBrokenAnswerIsAFailure(String answer) throws Exception {
    try (ServerSocket broken = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      node.listening(
          new NodeStatus.Listening("http", "http", "127.0.0.1", broken.getLocalPort(), true));
      Thread server = Thread.ofVirtual().start(() -> answerOnce(broken, answer));
      JsonNode report = warmed("{\"urls\":[\"http://a.example/\"]}");
      assertEquals(1, report.at("/totals/failed").longValue(), report.toString());
      assertEquals(0, report.at("/results/0/status").intValue());
      server.join();
    }
  }

  @Test
  void readsChunkedAndCloseDelimitedAnswersPastInterimOnes() throws Exception {
    Map<String, Integer> answers = new HashMap<>();
    answers.put(
        String.join(
            "\r\n",
            "HTTP/1.1 103 Early Hints",
            "Link: </x>",
            "",
            "HTTP/1.1 200 OK",
            "Transfer-Encoding: chunked",
            "",
            "5;ext=1",
            "hello",
            "3",
            "abc",
            "0",
            "T: v",
            "",
            ""),
        8);
    answers.put("HTTP/1.0 200 OK\r\n\r\nuntil the end", 13);
    for (Map.Entry<String, Integer> answer : answers.entrySet()) {
      try (ServerSocket scripted = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
        node.listening(
            new NodeStatus.Listening("http", "http", "127.0.0.1", scripted.getLocalPort(), true));
        Thread server = Thread.ofVirtual().start(() -> answerOnce(scripted, answer.getKey()));
        JsonNode report = warmed("{\"urls\":[\"http://a.example/\"]}");
        assertEquals(1, report.at("/totals/ok").longValue(), report.toString());
        assertEquals(answer.getValue(), report.at("/results/0/bytes").intValue());
        server.join();
      }
    }
  }

  @Test
  void usesThePlainListenerWhereTlsEndsInFrontOfTheNode() throws IOException {
    edge.has("a.example/x", "x");
    assertEquals(1, warmed("{\"urls\":[\"https://a.example/x\"]}").at("/totals/ok").longValue());
  }

  @Test
  void usesTheTlsListenerForHttpsWithTheUrlsNameInTheHandshake() throws Exception {
    AtomicReference<String> serverName = new AtomicReference<>("");
    HttpsServer secure =
        HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 8);
    secure.setHttpsConfigurator(new HttpsConfigurator(tlsContext()));
    secure.createContext(
        "/",
        exchange -> {
          ExtendedSSLSession session =
              (ExtendedSSLSession) ((HttpsExchange) exchange).getSSLSession();
          serverName.set(session.getRequestedServerNames().toString());
          exchange.sendResponseHeaders(200, 3);
          exchange.getResponseBody().write(new byte[3]);
          exchange.close();
        });
    secure.start();
    open.add(() -> secure.stop(0));
    node.listening(
        edge.listening(),
        new NodeStatus.Listening(
            "https", "https", "127.0.0.1", secure.getAddress().getPort(), true));
    JsonNode report = warmed("{\"urls\":[\"https://a.example/x\"]}");
    assertEquals(1, report.at("/totals/ok").longValue(), report.toString());
    assertEquals(3, report.at("/totals/bytes").longValue());
    assertTrue(String.valueOf(serverName.get()).contains("a.example"), "no name in the handshake");
    assertEquals(List.of(), edge.requests());
  }

  // Helps.

  /** With a certificate that nobody trusts, made by the JDK's own tool. */
  private SSLContext tlsContext() throws Exception {
    Path store = directory.resolve("store.p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-keystore",
                store.toString(),
                "-storepass",
                "test-only",
                "-alias",
                "a",
                "-keyalg",
                "EC",
                "-dname",
                "CN=somebody.else")
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    assertEquals(0, keytool.waitFor());
    KeyStore keys = KeyStore.getInstance(store.toFile(), "test-only".toCharArray());
    KeyManagerFactory managers =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    managers.init(keys, "test-only".toCharArray());
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(managers.getKeyManagers(), null, null);
    return context;
  }

  private static void answerOnce(ServerSocket server, String answer) {
    try (Socket socket = server.accept()) {
      byte[] request = new byte[4096];
      int count = socket.getInputStream().read(request);
      if (count > 0) {
        socket.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private long started(String order) throws IOException {
    RawHttp.Answer answer = http.post("/v1/warm", order);
    assertEquals(202, answer.status(), answer.text());
    long job = answer.json().get("job").longValue();
    assertEquals("/v1/warm/" + job, answer.field("location"));
    return job;
  }

  private JsonNode warmed(String order) throws IOException {
    return finished(started(order));
  }

  /** The report once the job is over; the API is asked until it says so. */
  private JsonNode finished(long job) throws IOException {
    while (true) {
      JsonNode report = http.get("/v1/warm/" + job).json();
      if (!report.get("state").stringValue().equals("running")) {
        return report;
      }
      Thread.onSpinWait();
    }
  }

  private static byte[] gzip(String text) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (OutputStream out = new GZIPOutputStream(bytes)) {
      out.write(text.getBytes(StandardCharsets.UTF_8));
    }
    return bytes.toByteArray();
  }
}
