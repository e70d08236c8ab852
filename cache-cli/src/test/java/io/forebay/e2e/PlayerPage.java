package io.forebay.e2e;

import io.forebay.testing.Await;
import io.forebay.testing.PathOrigin;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A page of hls.js and dash.js players in headless Chromium ({@code players.html}), with the origin
 * of the page itself, which takes the players' reports.
 */
final class PlayerPage implements AutoCloseable {
  /** Each player of a channel has a host of its own below it. */
  static final String DOMAIN = "live.test";

  /** The page's own directory. */
  static final String ROOT = "/players/";

  private static final String REPORT = ROOT + "report";
  private static final List<String> PHASES =
      List.of("starting", "first half", "second half", "over");

  private final PathOrigin pages = PathOrigin.start();
  private final List<Channel> channels;
  private final int players;
  private final int seconds;

  /** What is played: a name, and the path of its manifest or playlist. */
  record Channel(String name, String path) {}

  /** What one player says at the end; the latency is the median, in seconds. */
  record Player(String channel, double played, List<String> errors, int stalls, double latency) {}

  /**
   * @param problems what was answered with an error, and errors of scripts
   * @param protocols over which media came
   */
  record Report(List<Player> players, List<String> problems, List<String> protocols) {}

  PlayerPage(List<Channel> channels, int players, int seconds) throws IOException {
    this.channels = channels;
    this.players = players;
    this.seconds = seconds;
    pages.on(REPORT, exchange -> exchange.respond(204, "Cache-Control: no-store\r\n", ""));
    script("hls.js");
    script("dash.js");
    try (var in = Objects.requireNonNull(PlayerPage.class.getResourceAsStream("/players.html"))) {
      file("index.html", "text/html", in.readAllBytes());
    }
  }

  private void script(String name) throws IOException {
    file(name, "text/javascript", Files.readAllBytes(Tools.requirePlayer(name)));
  }

  private void file(String name, String type, byte[] content) {
    pages.on(
        ROOT + name,
        exchange ->
            exchange.respond(
                200, "Cache-Control: no-store\r\nContent-Type: " + type + "\r\n", content));
  }

  /** Of the page. */
  String url() {
    return pages.url();
  }

  int port() {
    return pages.port();
  }

  /**
   * Plays.
   *
   * @param port of what serves the page and the channels over TLS
   * @param protocol {@code h2} or {@code h3}
   * @param netLog file that the browser writes, for {@link NetLog}
   * @param inTheMiddle what is done when half of the time is over
   */
  Report play(
      Path directory,
      int port,
      String protocol,
      X509Certificate trusted,
      Path netLog,
      Runnable inTheMiddle)
      throws Exception {
    String hosts =
        IntStream.range(0, players)
            .mapToObj(i -> "v" + i + "." + DOMAIN + ":" + port)
            .collect(Collectors.joining(","));
    String url =
        "https://v0.%s:%d%sindex.html?seconds=%d&players=%d&port=%d"
            .formatted(DOMAIN, port, ROOT, seconds, players, port);
    for (Channel channel : channels) {
      url += "&channel=" + channel.name() + ":" + channel.path();
    }
    List<String> options =
        List.of(
            protocol.equals("h3") ? "--origin-to-force-quic-on=" + hosts : "--disable-quic",
            "--autoplay-policy=no-user-gesture-required",
            "--mute-audio",
            "--disable-background-timer-throttling",
            "--disable-renderer-backgrounding",
            "--disable-backgrounding-occluded-windows",
            "--log-net-log=" + netLog);
    try (Chromium browser = Chromium.open(directory, url, "*." + DOMAIN, trusted, options)) {
      await(browser, "first half");
      await(browser, "second half");
      inTheMiddle.run();
      await(browser, "over");
    }
    return report();
  }

  private void await(Chromium browser, String phase) {
    try {
      Await.until(
          "players are in their phase " + phase,
          Await.LIMIT.plus(Duration.ofSeconds(seconds)),
          () -> {
            browser.assertRunning();
            String reached = latest().path("phase").asString("starting");
            return PHASES.indexOf(reached) >= PHASES.indexOf(phase);
          });
    } catch (AssertionError failed) {
      throw new AssertionError("players: " + latest(), failed);
    }
  }

  private JsonNode latest() {
    List<PathOrigin.Request> reports = pages.requests(REPORT);
    return JsonMapper.shared()
        .readTree(
            reports.isEmpty()
                ? "{}"
                : new String(reports.getLast().body(), StandardCharsets.UTF_8));
  }

  private Report report() {
    JsonNode report = latest();
    List<Player> all = new ArrayList<>();
    for (JsonNode player : report.path("players")) {
      all.add(
          new Player(
              player.path("channel").asString(),
              player.path("played").asDouble(),
              texts(player.path("errors")),
              player.path("stalls").asInt(),
              player.path("latency").asDouble()));
    }
    return new Report(
        all, texts(report.path("problems")), List.copyOf(report.path("protocols").propertyNames()));
  }

  private static List<String> texts(JsonNode array) {
    List<String> texts = new ArrayList<>();
    array.forEach(text -> texts.add(text.asString()));
    return texts;
  }

  @Override
  public void close() throws IOException {
    pages.close();
  }
}
