package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.ProtocolClient.Answer;
import io.forebay.server.node.NodeControl.ReloadOrder;
import io.forebay.server.plugin.PluginJars;
import io.forebay.testing.Await;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.management.JMException;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Rules with plugins over real connections: each phase, and what becomes of plugins that fail. */
@Timeout(120)
@Tag("slow")
final class ServerPluginTest {
  private static final byte[] BODY = TestOrigin.ascii("0123456789");

  /** Does in each phase what fields of the request ask for. */
  private static final String ALL =
      """
      import io.forebay.plugin.*;
      import java.time.Duration;
      import java.util.List;

      @PluginInfo(name = "all", api = Plugin.API_VERSION)
      public class All implements Plugin {
        public Handler handler(PluginConfig config) {
          return new Phases();
        }

        static class Phases
            implements RequestPhase, OriginRequestPhase, OriginResponsePhase, DeliveryPhase {
          public List<Group> groups() {
            return List.of(Group.of("mobile"), Group.of("beta").to("beta"));
          }

          public RequestDecision onRequest(ClientRequest r) {
            String ask = r.fields().first("x-ask").orElse("");
            FieldEdits seen = FieldEdits.NONE.set("x-seen", r.method() + " " + r.scheme() + " "
                + r.path() + " " + r.query().orElse("-") + " " + r.route() + " " + r.protocol()
                + " " + r.clientAddress() + " " + r.tlsVersion().orElse("plain") + " "
                + r.parameter("x").orElse("-"));
            return switch (ask) {
              case "deny" -> RequestDecision.deny(403, "not you");
              case "redirect" -> RequestDecision.redirect(302, "https://elsewhere.example/$path");
              case "respond" -> RequestDecision.respond(200, "text/plain", "made here");
              case "pass" -> RequestDecision.proceed().pass();
              case "pass beta" -> RequestDecision.proceed().passTo("beta");
              case "mobile" -> RequestDecision.proceed().inGroup("mobile");
              case "beta" -> RequestDecision.proceed().inGroup("beta");
              case "nowhere" -> RequestDecision.proceed().passTo("nowhere");
              case "other group" -> RequestDecision.proceed().inGroup("other");
              default -> RequestDecision.proceed().withResponseFields(seen);
            };
          }

          public OriginRequestEdits onOriginRequest(OriginRequest r) {
            OriginRequestEdits edits = OriginRequestEdits.of(
                FieldEdits.NONE.set("X-Group", r.group()).add("X-Dollar", "$path").remove("x-ask"));
            return r.path().equals("/old") ? edits.at("/a?from=old") : edits;
          }

          public StoreDecision onOriginResponse(Response r) {
            return r.fields().first("x-audience").orElse("").equals("staff")
                ? StoreDecision.NOT_STORED : StoreDecision.AS_USUAL.withTtl(Duration.ofHours(1));
          }

          public FieldEdits onDelivery(ClientRequest request, Response r) {
            return FieldEdits.NONE
                .set("x-delivered", request.path() + " " + r.status() + " " + r.fields().all("x-of"))
                .remove("x-powered-by");
          }
        }
      }
      """;

  /** Goes wrong in the phase and the way that its configuration says. */
  private static final String WRONG =
      """
      import io.forebay.plugin.*;

      @PluginInfo(name = "wrong", api = Plugin.API_VERSION)
      public class Wrong implements Plugin {
        public Handler handler(PluginConfig config) throws PluginConfigException {
          String how = config.text("how").orElse("throw");
          return switch (config.requiredText("phase")) {
            case "request" -> (RequestPhase) r -> { fail(how); return RequestDecision.proceed(); };
            case "origin-request" ->
                (OriginRequestPhase) r -> { fail(how); return OriginRequestEdits.NONE; };
            case "origin-response" ->
                (OriginResponsePhase) r -> { fail(how); return StoreDecision.AS_USUAL; };
            default -> (DeliveryPhase) (q, r) -> { fail(how); return FieldEdits.NONE; };
          };
        }

        static void fail(String how) {
          if (how.equals("throw")) {
            throw new IllegalStateException("on purpose");
          }
          if (how.equals("overflow")) {
            fail(how + "");
          }
          long end = System.nanoTime() + 10_000_000L;
          while (System.nanoTime() - end < 0) {
            Thread.onSpinWait();
          }
        }
      }
      """;

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();
  private final TestOrigin beta = new TestOrigin();
  private Path jars;
  private Edge edge;

  @BeforeEach
  void start() throws IOException {
    for (String path : List.of("/a", "/b", "/c", "/private")) {
      String more = path.equals("/private") ? "x-audience: staff\r\n" : "";
      String fields = "cache-control: max-age=60\r\nx-powered-by: PHP\r\n" + more;
      origin.on(path, TestOrigin.ok(fields + "x-of: main\r\n", BODY));
      beta.on(path, TestOrigin.ok(fields + "x-of: beta\r\n", BODY));
    }
    jars = Files.createDirectory(directory.resolve("plugins"));
    PluginJars.write(jars.resolve("all.jar"), ALL);
    edge = Edge.start(directory, "32MiB", config("- plugin: all\n"));
  }

  private String config(String rules) {
    return config("10s", rules);
  }

  private String config(String budget, String rules) {
    return "http3: {listeners: [secure]}\nplugins: {directory: \"JARS\", budget: BUDGET}\n"
            .replace("JARS", jars.toString())
            .replace("BUDGET", budget)
        + "origins:\n  main: {url: \"MAIN\"}\n  beta: {url: \"BETA\"}\n"
            .replace("MAIN", origin.url())
            .replace("BETA", beta.url())
        + "routes:\n  - name: ruled\n    origin: main\n    rules:\n"
        + rules.indent(6);
  }

  private void configure(String yaml) throws IOException {
    edge.configure(yaml);
    assertEquals(List.of(), edge.server().reload().errors());
  }

  @AfterEach
  void stop() throws IOException {
    edge.close();
    origin.close();
    beta.close();
  }

  private String metrics() throws Exception {
    try (HttpClient http = HttpClient.newHttpClient()) {
      return http.send(
              HttpRequest.newBuilder(URI.create(edge.server().adminUrl() + "/metrics")).build(),
              HttpResponse.BodyHandlers.ofString())
          .body();
    }
  }

  private static String last(List<TestOrigin.Request> requests, String field) {
    return requests.getLast().field(field);
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "TLS", "HTTP/2", "HTTP/3"})
  void eachPhaseSeesAndDoesWhatItMay(String protocol) throws Exception {
    try (ProtocolClient client = ProtocolClient.connect(edge, protocol)) {
      Answer first = client.ask("GET", "/a?x=a%20b");
      assertEquals(200, first.status());
      assertEquals(
          List.of(
              "GET %s /a x=a%%20b ruled %s 127.0.0.1 %s a b"
                  .formatted(
                      protocol.equals("plain") ? "http" : "https",
                      protocol.startsWith("HTTP/") ? protocol : "HTTP/1.1",
                      protocol.equals("plain") ? "plain" : "TLSv1.3")),
          first.all("x-seen"));
      assertEquals(List.of("/a 200 [main]"), first.all("x-delivered"));
      assertEquals(List.of(), first.all("x-powered-by"));
      assertEquals("", last(origin.requests("/a"), "x-group"));
      assertEquals("$path", last(origin.requests("/a"), "x-dollar"));
      edge.awaitIdle();
      Answer hit = client.ask("GET", "/a?x=a%20b");
      assertTrue(hit.isHit(), hit::toString);
      assertEquals(List.of("/a 200 [main]"), hit.all("x-delivered"));

      assertEquals(403, client.ask("GET", "/a", "x-ask", "deny").status());
      Answer moved = client.ask("GET", "/a", "x-ask", "redirect");
      assertEquals(302, moved.status());
      assertEquals(List.of("https://elsewhere.example/$path"), moved.all("location"));
      Answer made = client.ask("GET", "/a", "x-ask", "respond");
      assertEquals(200, made.status());
      assertEquals(List.of("9"), made.all("content-length"));
      assertEquals(List.of("/a 200 []"), made.all("x-delivered"));

      Answer passed = client.ask("GET", "/a", "x-ask", "pass beta");
      assertEquals(List.of("beta"), passed.all("x-of"));
      assertTrue(passed.all("cache-status").toString().contains("fwd=bypass"), passed::toString);

      Answer old = client.ask("GET", "/old");
      assertEquals(200, old.status());
      assertEquals("/a?from=old", origin.requests("/a").getLast().target());
    }
  }

  @Test
  void eachGroupHasStoredResponsesOfItsOwn() throws Exception {
    try (RawClient client = edge.connect()) {
      for (String group : List.of("", "mobile", "beta")) {
        Response first = client.get("/b", "X-Ask: " + group);
        assertFalse(first.isHit(), first::toString);
        assertEquals(group.equals("beta") ? "beta" : "main", first.field("x-of"));
        edge.awaitIdle();
        assertTrue(client.get("/b", "X-Ask: " + group).isHit());
      }
      assertEquals("mobile", last(origin.requests("/b"), "x-group"));
      assertEquals("beta", last(beta.requests("/b"), "x-group"));
      assertEquals(2, origin.requests("/b").size());
      assertEquals(1, beta.requests("/b").size());
    }
  }

  @Test
  void thePluginDecidesAboutStoring() throws Exception {
    try (RawClient client = edge.connect()) {
      client.get("/private");
      edge.awaitIdle();
      assertFalse(client.get("/private").isHit());
      client.get("/a");
      edge.awaitIdle();
      String status = client.get("/a").field("cache-status");
      String ttl = status.replaceAll(".*ttl=(\\d+).*", "$1");
      assertTrue(Integer.parseInt(ttl) > 3000, status);
    }
  }

  @Test
  void aDecisionThatCannotBeIsAFailure() throws Exception {
    try (RawClient client = edge.connect()) {
      assertEquals(503, client.get("/a", "X-Ask: nowhere").status());
      assertEquals(503, client.get("/a", "X-Ask: other group").status());
      assertEquals(200, client.get("/a").status());
    }
    assertTrue(
        metrics().contains("forebay_plugin_failures_total{cause=\"error\",plugin=\"all\"} 2"));
  }

  private String wrong(String phase, String how, String onError) {
    return "- {name: bad, plugin: {name: wrong, on-error: %s, config: {phase: %s, how: %s}}}\n"
        .formatted(onError, phase, how);
  }

  /** Calls that exceed the budget, until the plugin is called no more. */
  private static void suspend(RawClient client, String how) throws IOException {
    for (int i = 0; how.equals("spin") && i < 8; i++) {
      assertEquals(200, client.get("/c?" + how + i + System.nanoTime()).status());
    }
  }

  /**
   * Shown thing: a plugin that throws, or takes too long too often, fails open or closed as it
   * says.
   */
  @ParameterizedTest
  @CsvSource({
    "throw, request", "throw, origin-request", "throw, origin-response", "throw, delivery",
    "spin, request", "spin, origin-request", "spin, origin-response", "spin, delivery",
    "overflow, request"
  })
  void aPluginThatGoesWrongFailsOpenOrClosedAsItSays(String how, String phase) throws Exception {
    PluginJars.write(jars.resolve("wrong.jar"), WRONG);
    String budget = how.equals("spin") ? "5ms" : "10s";
    configure(config(budget, wrong(phase, how, "closed")));
    try (RawClient client = edge.connect()) {
      suspend(client, how);
      Response closed = client.get("/a");
      switch (phase) {
        case "request" -> assertEquals(503, closed.status());
        case "origin-request" -> {
          assertTrue(closed.status() >= 500, closed::toString);
          assertEquals(List.of(), origin.requests("/a"));
        }
        case "origin-response" -> {
          assertEquals(200, closed.status());
          edge.awaitIdle();
          assertFalse(client.get("/a").isHit());
        }
        default -> {
          assertEquals(200, closed.status());
          assertEquals("0123456789", closed.text());
          assertFalse(closed.has("x-of"), closed::toString);
          assertEquals("no-store", closed.field("cache-control"));
        }
      }
    }
    configure(config(budget, wrong(phase, how, "open")));
    try (RawClient client = edge.connect()) {
      suspend(client, how);
      Response open = client.get("/b");
      assertEquals(200, open.status());
      assertEquals("main", open.field("x-of"));
      edge.awaitIdle();
      Response again = client.get("/b");
      assertEquals(!phase.equals("origin-request"), again.isHit(), again::toString);
    }
    String cause = how.equals("spin") ? "suspended" : "error";
    String metrics = metrics();
    assertFalse(
        metrics.contains(
            "forebay_plugin_failures_total{cause=\"" + cause + "\",plugin=\"wrong\"} 0"),
        metrics);
  }

  /** Failing closed is what happens where a rule says nothing. */
  @Test
  void aPluginFailsClosedUnlessItsRuleSaysOtherwise() throws Exception {
    PluginJars.write(jars.resolve("wrong.jar"), WRONG);
    configure(config("- {plugin: {name: wrong, config: {phase: request}}}\n"));
    try (RawClient client = edge.connect()) {
      assertEquals(503, client.get("/a").status());
    }
  }

  @Test
  void aPluginThatTakesTooLongTooOftenIsNotCalled() throws Exception {
    PluginJars.write(jars.resolve("wrong.jar"), WRONG);
    configure(config("5ms", wrong("request", "spin", "open")));
    try (RawClient client = edge.connect()) {
      for (int i = 0; i < 10; i++) {
        assertEquals(200, client.get("/a").status());
      }
    }
    String metrics = metrics();
    assertTrue(metrics.contains("forebay_plugin_overruns_total{plugin=\"wrong\"} 8"), metrics);
    assertTrue(
        metrics.contains("forebay_plugin_failures_total{cause=\"suspended\",plugin=\"wrong\"} 2"),
        metrics);
  }

  @Test
  void onlyHitsThatAPluginIsAskedAboutLeaveTheFastLane() throws Exception {
    PluginJars.write(jars.resolve("wrong.jar"), WRONG);
    configure(
        config(
            """
            - {when: {path: /b}, plugin: all}
            - {when: {path: /c}, plugin: {name: wrong, on-error: open, config: {phase: origin-response}}}
            """));
    try (RawClient client = edge.connect()) {
      for (String path : List.of("/a", "/b", "/c")) {
        client.get(path);
        edge.awaitIdle();
        client.get(path);
        client.get(path);
      }
      long fast = edge.sum(c -> c.fastHits);
      assertTrue(client.get("/a").isHit());
      assertTrue(client.get("/c").isHit());
      assertEquals(fast + 2, edge.sum(c -> c.fastHits));
      assertTrue(client.get("/b").isHit());
      assertEquals(fast + 2, edge.sum(c -> c.fastHits), "the plugin takes an exchange");
    }
  }

  @Test
  void explainNamesThePluginWithFileAndLine() throws Exception {
    JsonNode told = edge.explain(200, "{\"url\": \"" + edge.url("/a") + "\"}");
    assertTrue(told.path("rules").toString().contains("asks plugin all"), told::toString);
    assertTrue(
        told.path("rules").toString().matches(".*forebay\\.yaml:\\d+: asks plugin.*"),
        told::toString);
    assertTrue(
        told.path("notes")
            .toString()
            .contains(
                "rule rule-1 asks plugin all: hits that it is asked about are not answered in the"
                    + " fast lane"),
        told::toString);
  }

  private static String speaking(String word) {
    return """
    import io.forebay.plugin.*;
    import java.nio.file.*;

    @PluginInfo(name = "speaking", api = Plugin.API_VERSION)
    public class Speaking implements Plugin {
      public Handler handler(PluginConfig config) throws PluginConfigException {
        Path closed = Path.of(config.requiredText("closed"));
        return new DeliveryPhase() {
          public FieldEdits onDelivery(ClientRequest q, Response r) {
            return FieldEdits.NONE.set("x-word", "WORD");
          }
          public void close() {
            try {
              Files.writeString(closed.resolve("WORD-" + System.nanoTime()), "");
            } catch (java.io.IOException e) {
              throw new java.io.UncheckedIOException(e);
            }
          }
        };
      }
    }
    """
        .replace("WORD", word);
  }

  private static long closed(Path closed, String word) {
    try (Stream<Path> files = Files.list(closed)) {
      return files.filter(file -> file.getFileName().toString().startsWith(word)).count();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static void awaitClosed(Path closed, String word, long times) {
    Await.until(
        word + " is closed",
        () -> {
          System.gc();
          return closed(closed, word) == times;
        });
  }

  /** How many class loaders of the JVM have that name. */
  private static int loaders(String name) {
    try {
      Object all =
          ManagementFactory.getPlatformMBeanServer()
              .invoke(
                  new ObjectName("com.sun.management:type=DiagnosticCommand"),
                  "vmClassloaders",
                  new Object[] {new String[0]},
                  new String[] {String[].class.getName()});
      return String.valueOf(all).split(Pattern.quote("\"" + name + "\""), -1).length - 1;
    } catch (JMException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aReloadSwapsPluginsAndClosesTheOldOnes() throws Exception {
    Path closed = Files.createDirectory(directory.resolve("closed"));
    String yaml =
        config("- {plugin: {name: speaking, config: {closed: \"CLOSED\"}}}\n")
            .replace("CLOSED", closed.toString());
    PluginJars.write(jars.resolve("speaking.jar"), speaking("one"));
    // The node remembers for good what it has started with, but not the handlers.
    edge.stop();
    edge.configure(yaml);
    edge.start();
    try (RawClient client = edge.connect()) {
      assertEquals("one", client.get("/a").field("x-word"));
      PluginJars.write(jars.resolve("speaking.jar"), speaking("two"));
      assertEquals(
          List.of("plugins.directory"),
          edge.server().reload().changed(),
          "a reload tells that jars have changed");
      assertEquals("two", client.get("/a").field("x-word"));
      awaitClosed(closed, "one", 1);
      Await.until(
          "the classes of the old plugin are unloaded",
          () -> {
            System.gc();
            return loaders("speaking.jar") == 1;
          });
      assertEquals("two", client.get("/a").field("x-word"));
      assertEquals(0, closed(closed, "two"));

      Files.writeString(jars.resolve("broken.jar"), "no jar");
      List<String> errors = edge.server().reload().errors();
      assertEquals(1, errors.size(), errors::toString);
      assertTrue(errors.getFirst().contains("broken.jar: is not a jar file"), errors::toString);
      assertTrue(errors.getFirst().matches("(?s).*forebay\\.yaml:\\d+:\\d+: .*"), errors::toString);
      assertEquals("two", client.get("/a").field("x-word"), "the old configuration goes on");
      assertEquals(1, closed(closed, "two"), "what the refused one has made is closed");
      Files.delete(jars.resolve("broken.jar"));
      try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
        assertFalse(
            open.anyMatch(file -> {
              try {
                return Files.readSymbolicLink(file).startsWith(jars);
              } catch (IOException e) {
                return false;
              }
            }),
            "no jar is open");
      }
    }
    edge.awaitIdle();
    edge.stop();
    assertEquals(2, closed(closed, "two"), "a stop closes what is in force");
  }

  /** What a dry run makes is closed at once. */
  @Test
  void aDryRunLeavesNoHandlerOpen() throws Exception {
    Path closed = Files.createDirectory(directory.resolve("closed"));
    PluginJars.write(jars.resolve("speaking.jar"), speaking("dry"));
    edge.configure(
        config("- {plugin: {name: speaking, config: {closed: \"CLOSED\"}}}\n")
            .replace("CLOSED", closed.toString()));
    assertEquals(List.of(), edge.server().reload(new ReloadOrder("test", true, 0)).errors());
    assertEquals(1, closed(closed, "dry"));
    try (RawClient client = edge.connect()) {
      assertEquals(List.of("/a 200 [main]"), client.get("/a").all("x-delivered"));
    }
  }
}
