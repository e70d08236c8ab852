package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.forebay.e2e.imported.ServerUnderImport;
import io.forebay.testing.Certificates;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.PathOrigin;
import io.forebay.testing.Ports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Live channels of ffmpeg in hls.js and dash.js, first without the edge, then through it, on routes
 * with {@code media: live}: origins say nothing of lifetimes, so that the preset decides. Without
 * the edge Caddy takes its place, which stores nothing. Players that are not content there say
 * nothing about the edge: such a run is void.
 *
 * <pre>
 *   ffmpeg ─► files ─► nginx, nginx ─┬─► edge, or Caddy ─h2, h3─► Chromium: hls.js, dash.js
 *   LowLatencyHls, twice ────────────┘
 * </pre>
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("full")
@Tag("alone")
final class LivePlayersIT {
  @TempDir static Path directory;

  private final List<NginxOrigin> files = new ArrayList<>();
  private LiveChannels channels;
  private LowLatencyHls lowLatencyHls;
  private PathOrigin growing;
  private Certificates certificates;
  private X509Certificate certificate;

  /** A kind of channel. */
  private enum Kind {
    HLS("/hls/live.m3u8", false),
    DASH("/dash/live.mpd", false),
    LL_DASH("/ll-dash/live.mpd", true),
    LL_HLS(LowLatencyHls.PLAYLIST, true);

    private final String path;
    private final boolean isLowLatency;

    Kind(String path, boolean isLowLatency) {
      this.path = path;
      this.isLowLatency = isLowLatency;
    }

    PlayerPage.Channel channel() {
      return new PlayerPage.Channel(name(), path);
    }

    /** Where its segments and parts are. */
    String root() {
      return path.substring(0, path.lastIndexOf('/') + 1);
    }
  }

  /**
   * What is played, and what is asked of it.
   *
   * @param margin seconds by which the latency of plain channels may exceed that without the edge
   * @param lowMargin the same for channels of low latency
   * @param stalls of a player, at most
   * @param share of the time that each has to play at least
   */
  private record Play(
      List<Kind> kinds,
      int players,
      int seconds,
      double margin,
      double lowMargin,
      int stalls,
      double share) {
    PlayerPage page() throws Exception {
      return new PlayerPage(kinds.stream().map(Kind::channel).toList(), players, seconds);
    }
  }

  /**
   * What came of it.
   *
   * @param fetches how often origins sent each segment, part and answer to a blocking reload
   */
  private record Outcome(String name, PlayerPage.Report report, Map<String, Integer> fetches) {
    double latency(Kind kind) {
      double[] latencies =
          players(kind).stream().mapToDouble(PlayerPage.Player::latency).sorted().toArray();
      return latencies[latencies.length / 2];
    }

    List<PlayerPage.Player> players(Kind kind) {
      return report.players().stream()
          .filter(player -> player.channel().equals(kind.name()))
          .toList();
    }

    List<Integer> fetches(Kind kind) {
      return fetches.entrySet().stream()
          .filter(entry -> entry.getKey().startsWith(kind.root()))
          .map(Map.Entry::getValue)
          .toList();
    }

    /** What the players are not content with. */
    List<String> complaints(Play play, String protocol) {
      List<String> complaints = new ArrayList<>(report.problems());
      if (!report.protocols().equals(List.of(protocol))) {
        complaints.add("protocols " + report.protocols() + ", not " + protocol);
      }
      for (PlayerPage.Player player : report.players()) {
        player.errors().forEach(error -> complaints.add(player.channel() + ": " + error));
        if (player.stalls() > play.stalls()) {
          complaints.add(player.channel() + ": " + player.stalls() + " stalls");
        }
        if (player.played() < play.seconds() * play.share() || player.latency() < 0) {
          complaints.add(player.channel() + " played " + player.played() + " s");
        }
      }
      return complaints;
    }

    Outcome print(Play play) {
      for (Kind kind : play.kinds()) {
        System.out.printf(
            "LivePlayersIT: %s: %s: %d players, %d s, latency %.2f s, %d stalls, %d errors; %d"
                + " segments, parts or blocking reloads, fetched %d times%n",
            name,
            kind,
            play.players(),
            play.seconds(),
            latency(kind),
            players(kind).stream().mapToInt(PlayerPage.Player::stalls).sum(),
            players(kind).stream().mapToInt(player -> player.errors().size()).sum(),
            fetches(kind).size(),
            fetches(kind).stream().mapToInt(Integer::intValue).sum());
      }
      return this;
    }
  }

  @BeforeAll
  void start() throws Exception {
    for (String program : List.of("caddy", "chromium", "ffmpeg", "nginx")) {
      Tools.require(program);
    }
    Path live = Files.createDirectories(directory.resolve("live"));
    channels = LiveChannels.start(live, directory.resolve("source"));
    lowLatencyHls = new LowLatencyHls(channels.fragmented());
    growing = PathOrigin.start();
    growing.otherwise(new GrowingFiles(live)::serve);
    for (int i = 0; i < 2; i++) {
      files.add(
          NginxOrigin.start(
              directory.resolve("nginx" + i),
              """
              types { application/vnd.apple.mpegurl m3u8; application/dash+xml mpd;
                video/mp2t ts; video/mp4 mp4 m4s; }
              add_header Access-Control-Allow-Origin *;
              add_header Timing-Allow-Origin *;
              location / { root %1$s; try_files $uri @growing; }
              location @growing { proxy_pass %2$s; proxy_http_version 1.1; proxy_buffering off; }
              """
                  .formatted(live, growing.url())));
    }
    certificates = Certificates.in(directory);
    certificate = certificates.ecdsa("edge", "*." + PlayerPage.DOMAIN).getCertificate();
  }

  @AfterAll
  void stop() {
    List<AutoCloseable> opened = new ArrayList<>(files);
    opened.add(growing);
    opened.add(channels);
    Tools.close(opened.toArray(AutoCloseable[]::new));
  }

  @Test
  void eachChannelPlaysThroughTheEdgeAsFromItsOrigin() throws Exception {
    Play play = new Play(List.of(Kind.values()), 2, 20, 2.5, 2.5, 20, 0.5);
    Outcome origin = clean(play, "h2");
    assertAsFrom(origin, play, "h2", throughEdge(play, "h2", false), 3);
    assertAsFrom(origin, play, "h3", throughEdge(play, "h3", true), 10);
  }

  /**
   * By default each channel by itself; {@code HLS+DASH,LL_HLS} are two of them together, then one.
   */
  static Stream<String> channelsOfACampaign() {
    return Stream.of(
        System.getProperty("test.players.channels", "HLS,DASH,LL_DASH,LL_HLS").split(",", -1));
  }

  @ParameterizedTest
  @MethodSource("channelsOfACampaign")
  @Tag("campaign")
  void sixPlayersOfAChannelPlayForLongThroughTheEdgeAsFromItsOrigin(String names) throws Exception {
    List<Kind> kinds = Stream.of(names.split("\\+", -1)).map(Kind::valueOf).toList();
    int seconds = Integer.getInteger("test.players.seconds", 600);
    Play play = new Play(kinds, 6, seconds, 1, 0.5, 2, 0.95);
    List<String> failures = new ArrayList<>();
    for (String protocol : List.of("h2", "h3")) {
      Outcome origin = clean(play, protocol);
      for (boolean isKilled : List.of(false, true)) {
        try {
          assertAsFrom(
              origin, play, protocol, throughEdge(play, protocol, isKilled), isKilled ? 10 : 0);
        } catch (AssertionError failed) {
          failures.add(protocol + (isKilled ? " with a kill: " : ": ") + failed.getMessage());
        }
      }
    }
    assertEquals(List.of(), failures);
  }

  /** Plays without the edge; the players have to be content, or nothing can be said. */
  private Outcome clean(Play play, String protocol) throws Exception {
    Outcome outcome = withoutEdge(play, protocol);
    List<String> complaints = outcome.complaints(play, protocol);
    if (!complaints.isEmpty()) {
      System.out.println("LivePlayersIT: once more, the run is void: " + complaints);
      outcome = withoutEdge(play, protocol);
      complaints = outcome.complaints(play, protocol);
    }
    if (!complaints.isEmpty()) {
      String why = "void: without the edge the players say " + complaints;
      System.out.println("skipped: " + why);
      Assumptions.abort(why);
    }
    return outcome;
  }

  private static void assertAsFrom(
      Outcome origin, Play play, String protocol, Outcome edge, int fetchedAgain) {
    List<String> complaints = edge.complaints(play, protocol);
    for (Kind kind : play.kinds()) {
      double margin = kind.isLowLatency ? play.lowMargin() : play.margin();
      if (edge.latency(kind) > origin.latency(kind) + margin) {
        complaints.add(
            "%s: latency %.2f s, without the edge %.2f s"
                .formatted(kind, edge.latency(kind), origin.latency(kind)));
      }
      List<Integer> fetches = edge.fetches(kind);
      int again = fetches.stream().mapToInt(count -> count - 1).sum();
      if (again > fetchedAgain || fetches.size() < play.seconds() / 2 - 2) {
        complaints.add("%s: %d segments, %d fetches again".formatted(kind, fetches.size(), again));
      }
    }
    assertEquals(List.of(), complaints, edge.name());
  }

  // One run.

  private Outcome withoutEdge(Play play, String protocol) throws Exception {
    Path home = Files.createTempDirectory(directory, "caddy");
    int port = Ports.free();
    try (PlayerPage page = play.page();
        PathOrigin parts = partOrigin()) {
      Path caddyfile = home.resolve("Caddyfile");
      Files.writeString(
          caddyfile,
          """
          {
            admin off
            auto_https off
          }
          https://*.%s:%d {
            bind 127.0.0.1
            tls %s %s
            handle %s* {
              reverse_proxy 127.0.0.1:%d
            }
            handle %s* {
              reverse_proxy 127.0.0.1:%d {
                flush_interval -1
              }
            }
            handle {
              reverse_proxy 127.0.0.1:%d {
                flush_interval -1
              }
            }
          }
          """
              .formatted(
                  PlayerPage.DOMAIN,
                  port,
                  certificates.pem("edge"),
                  certificates.key("edge"),
                  PlayerPage.ROOT,
                  page.port(),
                  LowLatencyHls.ROOT,
                  parts.port(),
                  files.getFirst().port()));
      try (ServerUnderImport caddy =
          ServerUnderImport.start(
              "caddy",
              port,
              home,
              List.of(
                  Tools.require("caddy").toString(),
                  "run",
                  "--adapter",
                  "caddyfile",
                  "--config",
                  caddyfile.toString()))) {
        return played(
            "without the edge, " + protocol,
            play,
            page,
            caddy.port(),
            protocol,
            false,
            List.of(parts));
      }
    }
  }

  private Outcome throughEdge(Play play, String protocol, boolean isKilled) throws Exception {
    int port = Ports.free();
    Path home = Files.createTempDirectory(directory, "edge");
    try (PlayerPage page = play.page();
        PathOrigin first = partOrigin();
        PathOrigin second = partOrigin();
        EdgeProcess edge =
            EdgeProcess.in(home)
                .config(
                    """
                    access-log: access.log
                    listen:
                      - name: front
                        address: "127.0.0.1:%d"
                        tls: {%s}
                    http3: {listeners: [front]}
                    origins:
                      page: %s
                      files: {servers: [%s, %s]}
                      parts: {servers: [%s, %s]}
                    routes:
                      - match: {path: %s}
                        origin: page
                        cache: false
                      - match: {path: %s}
                        origin: parts
                        media: live
                        key: {host: %s}
                      - origin: files
                        media: live
                        key: {host: %s}
                    """
                        .formatted(
                            port,
                            certificates.entry("edge"),
                            page.url(),
                            files.getFirst().url(),
                            files.getLast().url(),
                            first.url(),
                            second.url(),
                            PlayerPage.ROOT,
                            LowLatencyHls.ROOT,
                            PlayerPage.DOMAIN,
                            PlayerPage.DOMAIN))
                .listeningByFile()
                .start()) {
      return played(
          "through the edge, " + protocol + (isKilled ? ", a server killed" : ""),
          play,
          page,
          port,
          protocol,
          isKilled,
          List.of(first, second));
    } finally {
      printErrors(home.resolve("access.log"));
    }
  }

  /** What the edge says of requests that it answered with an error, or did not end well. */
  private static void printErrors(Path log) throws IOException {
    for (String line : Files.exists(log) ? Files.readAllLines(log) : List.<String>of()) {
      JsonNode request = JsonMapper.shared().readTree(line);
      // Many are in progress when the browser ends, none for long.
      boolean isBroken =
          request.has("abort")
              && (!request.path("abort").asString().equals("CLIENT_GONE")
                  || request.path("duration_us").asLong() > 10_000_000);
      if (request.path("status").asInt() >= 400 || request.has("error") || isBroken) {
        System.out.println("LivePlayersIT: edge: " + line);
      }
    }
  }

  /** Why the browser got no response; players know only that they got none. */
  private static void printFailures(Path netLog) throws IOException {
    for (String failure : NetLog.failures(netLog, PlayerPage.DOMAIN)) {
      System.out.println("LivePlayersIT: browser: " + failure);
    }
  }

  private PathOrigin partOrigin() throws Exception {
    PathOrigin origin = PathOrigin.start();
    origin.otherwise(lowLatencyHls::serve);
    return origin;
  }

  private Outcome played(
      String name,
      Play play,
      PlayerPage page,
      int port,
      String protocol,
      boolean isKilled,
      List<PathOrigin> parts)
      throws Exception {
    List<Integer> before = new ArrayList<>();
    for (NginxOrigin server : files) {
      before.add(server.requests().size());
    }
    Path profile = Files.createTempDirectory(directory, "page");
    Path netLog = profile.resolve("net-log.json");
    PlayerPage.Report report;
    try {
      report =
          page.play(
              profile,
              port,
              protocol,
              certificate,
              netLog,
              () -> {
                if (isKilled) {
                  kill(files.getFirst(), parts.getFirst());
                }
              });
    } finally {
      if (isKilled) {
        files.getFirst().restart();
      }
      printFailures(netLog);
    }
    channels.assertRunning();
    Map<String, Integer> fetches = new TreeMap<>();
    for (int i = 0; i < files.size(); i++) {
      List<NginxOrigin.Logged> requests = files.get(i).requests();
      requests = requests.subList(before.get(i), requests.size());
      assertFalse(
          isKilled && requests.isEmpty() && parts.get(i).requests().isEmpty(),
          "a server was killed that nobody asked");
      requests.stream()
          .filter(request -> request.status() < 300)
          .map(NginxOrigin.Logged::uri)
          .filter(LiveChannels::isSegment)
          .forEach(uri -> fetches.merge(uri, 1, Integer::sum));
    }
    for (PathOrigin origin : parts) {
      origin.requests().stream()
          .filter(request ->
              LiveChannels.isSegment(request.path()) || LowLatencyHls.isBlocking(request.target()))
          .forEach(request -> fetches.merge(request.target(), 1, Integer::sum));
    }
    return new Outcome(name, report, fetches).print(play);
  }

  private static void kill(NginxOrigin server, PathOrigin parts) {
    try {
      server.kill();
      parts.close();
    } catch (Exception e) {
      throw new AssertionError("a server is not killed", e);
    }
  }
}
