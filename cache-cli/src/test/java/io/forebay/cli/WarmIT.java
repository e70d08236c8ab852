package io.forebay.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.forebay.cli.console.Output;
import io.forebay.testing.Commands;
import io.forebay.testing.Jar;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** {@code forebay warm} with a scripted admin API. */
@Tag("full")
final class WarmIT {
  private static final String STARTED = "{\"job\":1}";

  @TempDir private Path directory;
  private ScriptedAdmin admin;

  @BeforeEach
  void start() throws Exception {
    admin = new ScriptedAdmin();
  }

  @AfterEach
  void stop() {
    admin.close();
  }

  @Test
  void followsAJobOverItsPagesToTheEnd() throws Exception {
    admin
        .answers(202, STARTED)
        .answers(200, page("running", 1, true, ok(1, "http://a/1", "miss")))
        .answers(200, page("running", 2, false, ok(2, "http://a/2", "hit")))
        .answers(200, page("done", 3, false, ok(3, "http://a/3", "miss")));

    Commands.Finished ended = jar().run("warm", "http://a/1", "http://a/2", "--rate", "5");

    assertEquals(0, ended.exit(), ended.err());
    assertTrue(ended.out().startsWith("3 warm (1 already cached), 0 failed"), ended.out());
    List<ScriptedAdmin.Asked> asked = admin.asked();
    assertEquals("POST /v1/warm", asked.get(0).method() + " " + asked.get(0).target());
    JsonNode order = asked.get(0).json();
    assertEquals("[\"http://a/1\",\"http://a/2\"]", order.path("urls").toString());
    assertTrue(order.path("follow").asBoolean());
    assertEquals(8, order.path("concurrency").asInt());
    assertEquals(5, order.path("ratePerSecond").asInt());
    assertEquals(
        List.of("/v1/warm/1?after=0", "/v1/warm/1?after=1", "/v1/warm/1?after=2"),
        asked.subList(1, 4).stream().map(ScriptedAdmin.Asked::target).toList());
  }

  @Test
  void offATerminalThereIsNoBar() throws Exception {
    admin.answers(202, STARTED).answers(200, page("done", 1, false, ok(1, "http://a/1", "miss")));

    Commands.Finished ended = jar().run("warm", "http://a/1");

    assertEquals("", ended.err());
    assertFalse((ended.out() + ended.err()).contains("\r"));
    assertFalse((ended.out() + ended.err()).contains("\u001b"));
    assertEquals(1, ended.out().lines().count(), ended.out());
  }

  @Test
  void onATerminalThereIsABar() throws Exception {
    assumeTrue(
        Files.isExecutable(Path.of("/usr/bin/script")),
        "no terminal to try: apt-get install bsdutils");
    admin.answers(202, STARTED).answers(200, page("done", 1, false, ok(1, "http://a/1", "miss")));
    String command =
        Jar.java() + " -jar " + Jar.file() + " warm http://a/1 --admin-url " + admin.url();

    Commands.Finished ended = Jar.command("script", "-qec", command, "/dev/null").run();

    assertEquals(0, ended.exit(), ended.out());
    assertTrue(ended.out().contains("1/1"), ended.out());
    assertTrue(ended.out().contains("1 warm"), ended.out());
  }

  @Test
  void someFailedIsPartialAndNamesThem() throws Exception {
    admin
        .answers(202, STARTED)
        .answers(
            200,
            page(
                "done",
                2,
                false,
                ok(1, "http://a/1", "miss"),
                failed(2, "http://a/2", "status 404")));

    Commands.Finished ended = jar().run("warm", "http://a/1", "http://a/2");

    assertEquals(3, ended.exit());
    assertEquals(List.of("forebay: http://a/2: status 404"), ended.errLines());
  }

  @Test
  void allFailedIsFailure() throws Exception {
    admin
        .answers(202, STARTED)
        .answers(200, page("done", 1, false, failed(1, "http://a/1", "status 502")));

    assertEquals(1, jar().run("warm", "http://a/1").exit());
  }

  @Test
  void whatTheStateFileKnowsIsNotAskedForAgain() throws Exception {
    Path state = directory.resolve("state");
    admin
        .answers(202, STARTED)
        .answers(
            200,
            page(
                "done",
                2,
                false,
                ok(1, "http://a/1", "miss"),
                failed(2, "http://a/2", "status 503")));
    String[] command = {"warm", "--file", "-", "--state", state.toString()};

    Commands.Finished first = jar().input("# mine\nhttp://a/1\n\nhttp://a/2\n").run(command);
    assertEquals(3, first.exit(), first.err());

    admin.answers(202, STARTED).answers(200, page("done", 1, false, ok(1, "http://a/2", "miss")));
    Commands.Finished second = jar().input("http://a/1\nhttp://a/2\n").run(command);
    assertEquals(0, second.exit(), second.err());
    assertTrue(second.out().contains("1 skipped"), second.out());
    assertEquals("[\"http://a/2\"]", admin.asked().get(2).json().path("urls").toString());

    Commands.Finished third = jar().input("http://a/1\nhttp://a/2\n").run(command);
    assertEquals(0, third.exit(), third.err());
    assertEquals(4, admin.asked().size(), "the third run asks for nothing");
  }

  @Test
  void aPlaylistIsNotRememberedBeforeWhatItLeadsToIsIn() throws Exception {
    Path state = directory.resolve("state");
    String[] command = {"warm", "http://a/p.m3u8", "--state", state.toString()};
    admin
        .answers(202, STARTED)
        .answers(
            200,
            page(
                "running",
                2,
                false,
                ok(1, "http://a/p.m3u8", "miss"),
                ok(2, "http://a/1.ts", "miss")))
        .answers(503, "{\"error\":\"stopping\"}");
    assertEquals(3, jar().run(command).exit());
    assertTrue(Files.readString(state).contains("http://a/1.ts"));
    assertFalse(Files.readString(state).contains("http://a/p.m3u8"));

    admin
        .answers(202, STARTED)
        .answers(
            200,
            page(
                "done",
                2,
                false,
                ok(1, "http://a/p.m3u8", "hit"),
                failed(2, "http://a/2.ts", "status 503")));
    assertEquals(3, jar().run(command).exit());
    assertFalse(Files.readString(state).contains("http://a/p.m3u8"), "a segment failed");

    admin
        .answers(202, STARTED)
        .answers(
            200,
            page(
                "done", 2, false, ok(1, "http://a/p.m3u8", "hit"), ok(2, "http://a/2.ts", "miss")));
    assertEquals(0, jar().run(command).exit());
    assertTrue(Files.readString(state).contains("http://a/p.m3u8"));
  }

  @Test
  void reportHoldsEveryResultAlsoWhenTheNodeGoesAway() throws Exception {
    Path report = directory.resolve("report.json");
    admin
        .answers(202, STARTED)
        .answers(200, page("running", 1, false, ok(1, "http://a/1", "miss")))
        .answers(404, "{\"error\":\"there is no warm-up job 1\"}");

    Commands.Finished ended = jar().run("warm", "http://a/1", "--report", report.toString());

    assertEquals(3, ended.exit());
    assertTrue(ended.err().contains("there is no warm-up job 1"), ended.err());
    JsonNode json = Output.mapper().readTree(Files.readString(report));
    assertEquals(1, json.path("summary").path("warmed").asInt());
    assertEquals("http://a/1", json.path("results").path(0).path("url").asString());
  }

  @Test
  void sitemapsAreTheNodesToRead() throws Exception {
    admin.answers(202, STARTED).answers(200, page("done", 1, false, ok(1, "http://a/s", "miss")));

    Commands.Finished ended = jar().run("warm", "--json", "--sitemap", "http://a/s", "--no-follow");

    assertEquals(0, ended.exit(), ended.err());
    assertEquals(1, Output.mapper().readTree(ended.out()).path("warmed").asInt());
    assertEquals("[\"http://a/s\"]", admin.asked().get(0).json().path("sitemaps").toString());
    assertFalse(admin.asked().get(0).json().path("follow").asBoolean(true));
  }

  @Test
  void aLineThatIsNoUrlIsUsageAndStartsNothing() throws Exception {
    Commands.Finished ended = jar().input("http://a/1\nnot a url\n").run("warm");

    assertEquals(2, ended.exit());
    assertTrue(ended.err().contains("stdin:2"), ended.err());
    assertEquals(List.of(), admin.asked());
  }

  private Jar jar() {
    return Jar.quick().env("FOREBAY_ADMIN_URL", admin.url());
  }

  private static String ok(int n, String url, String cache) {
    return """
    {"n":%d,"url":"%s","status":200,"bytes":10,"cache":"%s","millis":1.5}\
    """
        .formatted(n, url, cache);
  }

  private static String failed(int n, String url, String error) {
    return """
    {"n":%d,"url":"%s","status":0,"bytes":0,"cache":"unknown","millis":1.5,"error":"%s"}\
    """
        .formatted(n, url, error);
  }

  private static String page(String state, int next, boolean isMore, String... results) {
    return """
    {"job":1,"state":"%s","totals":{"found":%d,"leftOut":0},"results":[%s],"next":%d,"more":%s}\
    """
        .formatted(state, next, String.join(",", results), next, isMore);
  }
}
