package io.forebay.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.cli.console.Output;
import io.forebay.testing.Commands;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Requests and output of {@code forebay purge} with a scripted admin API. */
final class PurgeCommandTest {
  @TempDir private Path directory;
  private ScriptedAdmin admin;

  @BeforeEach
  void start() throws IOException {
    admin = new ScriptedAdmin();
  }

  @AfterEach
  void stop() {
    admin.close();
  }

  @Test
  void sendsPatternsAndWhatTheyAreLimitedTo() {
    admin.answers(200, ScriptedAdmin.PURGED);

    Commands.Finished ended =
        purge("--path", "^/img/", "--header", "content-type: ^video/", "--on-host", "a.example");

    assertEquals(0, ended.exit(), ended.err());
    JsonNode patterns = admin.asked().getFirst().json().path("patterns");
    assertEquals("^/img/", patterns.path(0).path("path").asString());
    assertEquals("a.example", patterns.path(0).path("host").asString());
    assertEquals("content-type: ^video/", patterns.path(1).path("header").asString());
    assertEquals("a.example", patterns.path(1).path("host").asString());
  }

  @Test
  void saysUnderWhichOtherPortOrSchemeAUrlIsStored() {
    admin.answers(
        200,
        """
        {"purges":[{"id":1,"kind":"url","text":"http://a/x","matched":0,"tookMillis":0.4,
        "storedUnder":["https://a/x","http://a:8080/x"]}],"tookMillis":0.5}\
        """);

    Commands.Finished ended = purge("http://a/x");

    assertEquals(0, ended.exit(), ended.err());
    assertTrue(ended.out().contains("another port or scheme: https://a/x\n"), ended.out());
    assertTrue(ended.out().contains("another port or scheme: http://a:8080/x\n"), ended.out());
    assertTrue(ended.out().contains("with --any-port --any-scheme"), ended.out());
    JsonNode asked = admin.asked().getFirst().json();
    assertFalse(asked.path("anyPort").asBoolean());
    assertFalse(asked.path("anyScheme").asBoolean());
  }

  @Test
  void sendsThatAUrlIsMeantOnAnyPortAndWithAnyScheme() {
    admin.answers(200, ScriptedAdmin.PURGED).answers(200, ScriptedAdmin.PURGED);

    Commands.Finished ended = purge("http://a/x", "--any-port", "--any-scheme", "--tag", "t1");
    Commands.Finished wrong = purge("--any-port", "--tag", "t1");

    assertEquals(0, ended.exit(), ended.err());
    assertTrue(admin.asked().get(0).json().path("anyPort").asBoolean());
    assertTrue(admin.asked().get(0).json().path("anyScheme").asBoolean());
    assertFalse(admin.asked().get(1).json().path("anyPort").asBoolean());
    assertEquals(2, wrong.exit());
    assertTrue(wrong.err().contains("--any-port and --any-scheme are for URLs"), wrong.err());
  }

  @Test
  void sendsTheAgeOfWhatIsMeant() {
    admin.answers(200, ScriptedAdmin.PURGED).answers(200, ScriptedAdmin.PURGED);

    Commands.Finished byAge = purge("--host", "a.example", "--older-than", "6h");
    Commands.Finished byTime = purge("--all", "-y", "--stored-before", "2026-01-01T00:00:00Z");
    Commands.Finished both =
        purge("--all", "-y", "--older-than", "6h", "--stored-before", "2026-01-01T00:00:00Z");
    Commands.Finished ofNothing = purge("--older-than", "6h");

    assertEquals(0, byAge.exit(), byAge.err());
    assertEquals("6h", admin.asked().get(0).json().path("olderThan").asString());
    assertEquals(0, byTime.exit(), byTime.err());
    assertEquals(
        "2026-01-01T00:00:00Z", admin.asked().get(1).json().path("storedBefore").asString());
    assertEquals(2, both.exit());
    assertEquals(2, ofNothing.exit());
    assertTrue(ofNothing.err().contains("--all for all objects of that age"), ofNothing.err());
  }

  @Test
  void takesBackASoftPurgeHereAndInACluster() {
    admin
        .answers(
            200, "{\"id\":18,\"kind\":\"undo\",\"undone\":17,\"sequence\":18,\"tookMillis\":1.2}")
        .answers(
            202,
            """
            {"id":"c-9","kind":"undo","undone":"c-8","tookMillis":3.4,"cluster":{"revision":9,
            "acknowledged":false,"confirmed":["edge-1"],"fenced":[],
            "pending":[{"node":"edge-2","why":"Connection refused"}]}}\
            """);

    Commands.Finished alone = purge("--undo", "17");
    Commands.Finished cluster = purge("--undo", "c-8", "--wait", "all");
    Commands.Finished wrong = purge("--undo", "../x");

    assertEquals(0, alone.exit(), alone.err());
    assertEquals("/v1/purges/17/undo", admin.asked().get(0).target());
    assertTrue(alone.out().contains("undone     17"), alone.out());
    assertEquals(3, cluster.exit());
    assertEquals("/v1/purges/c-8/undo", admin.asked().get(1).target());
    assertEquals("all", admin.asked().get(1).json().path("wait").asString());
    assertTrue(cluster.out().contains("pending: edge-2"), cluster.out());
    assertEquals(2, wrong.exit());
  }

  @Test
  void aDryRunSaysWhatWouldBePurgedAndWhatWasNotCounted() {
    admin.answers(
        200,
        """
        {"dryRun":true,"purges":[{"kind":"tag","text":"t1","soft":false,"matched":7,
        "matchedBytes":2048,"complete":false,"parts":[
        {"place":"memory","matched":7,"matchedBytes":2048,"uncounted":""},
        {"place":"disk d0","matched":0,"matchedBytes":0,"uncounted":"everything: the disk is not in use"}
        ]}],"tookMillis":1.2}\
        """);

    Commands.Finished ended = purge("--tag", "t1", "--dry-run");

    assertEquals(0, ended.exit(), ended.err());
    assertTrue(admin.asked().getFirst().json().path("dryRun").asBoolean());
    assertTrue(ended.out().contains("would have matched 7 objects, 2.0 KiB"), ended.out());
    assertTrue(ended.out().contains("disk d0: everything: the disk is not in use"), ended.out());
    assertTrue(ended.out().contains("nothing was purged"), ended.out());
  }

  @Test
  void saysWhatBecameOfAPurgeAndOfTheLatest() {
    String one =
        """
        {"id":9,"kind":"pattern","text":"path ^/img/","soft":true,"before":9,
        "at":"2026-01-02T03:04:05Z","scopes":0,"matched":3,"matchedBytes":30,"swept":false}\
        """;
    String old =
        """
        {"id":8,"kind":"tag","text":"t1","soft":false,"before":8,"at":"2026-01-02T03:04:04Z",
        "scopes":2,"matched":null,"matchedBytes":null,"swept":true}\
        """;
    admin
        .answers(200, one)
        .answers(200, "{\"purges\":[" + one + "," + old + "]}")
        .answers(404, "{\"error\":\"no purge 7 is known\"}");

    Commands.Finished status = purge("--status", "9");
    Commands.Finished latest = purge("--latest");
    Commands.Finished unknown = purge("--status", "7");

    assertEquals(
        "GET /v1/purges/9", admin.asked().get(0).method() + " " + admin.asked().get(0).target());
    assertTrue(status.out().contains("matched 3 objects, 30 B so far"), status.out());
    assertEquals("/v1/purges", admin.asked().get(1).target());
    assertEquals(2, latest.out().lines().count());
    assertTrue(latest.out().contains("number of matches unknown"), latest.out());
    assertEquals(1, unknown.exit());
    assertEquals(List.of("forebay: no purge 7 is known"), unknown.errLines());
  }

  @Test
  void jsonIsOneObject() {
    admin.answers(200, ScriptedAdmin.PURGED);

    Commands.Finished ended = purge("--json", "http://a/x");

    assertEquals(1, ended.out().lines().count());
    JsonNode result = Output.mapper().readTree(ended.out());
    assertEquals(1, result.path("ordered").asInt());
    assertEquals(7, result.path("purges").path(0).path("id").asInt());
  }

  @Test
  void manyUrlsGoInSeveralRequestsAndAFailureOnTheWayIsPartial() throws IOException {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < 150; i++) {
      lines.add("http://a/" + i);
    }
    Path file = directory.resolve("urls.txt");
    Files.write(file, lines);
    admin
        .answers(200, ScriptedAdmin.PURGED)
        .answers(503, "{\"error\":\"the journal cannot be written: no space\"}");

    Commands.Finished ended = purge("@" + file);

    assertEquals(3, ended.exit());
    assertEquals(1, ended.errLines().size(), ended.err());
    assertTrue(ended.err().contains("of 150"), ended.err());
    assertTrue(ended.err().contains("no space"), ended.err());
    assertEquals(100, admin.asked().get(0).json().path("urls").size());
    assertEquals(50, admin.asked().get(1).json().path("urls").size());
  }

  @Test
  void theNodesRefusalIsTheOneLine() {
    admin.answers(400, "{\"error\":\"url 'x' has no host\"}");
    Commands.Finished wrong = purge("x");
    assertEquals(2, wrong.exit());
    assertEquals(List.of("forebay: url 'x' has no host"), wrong.errLines());

    admin.answers(503, "{\"error\":\"the journal cannot be written\"}");
    Commands.Finished failed = purge("http://a/x");
    assertEquals(1, failed.exit());
    assertEquals(List.of("forebay: the journal cannot be written"), failed.errLines());
  }

  @Test
  void nothingNamedIsUsage() {
    Commands.Finished ended = purge();

    assertEquals(2, ended.exit());
    assertEquals(List.of(), admin.asked());
  }

  private Commands.Finished purge(String... arguments) {
    return InProcess.run(
        Stream.concat(Stream.of("purge", "--admin-url", admin.url()), Stream.of(arguments))
            .toArray(String[]::new));
  }
}
