package io.forebay.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code forebay warm} from access logs and another node, and {@code forebay store hot}. */
final class WarmSourcesTest {
  private static final String DONE =
      "{\"job\":1,\"state\":\"done\",\"totals\":{\"found\":0},\"results\":[],\"next\":0,\"more\":false}";
  private static final String HOT =
      """
      {"objects":[{"url":"http://a/hot","touches":3,"segment":"protected","bytes":2048},
       {"url":"http://a/warm","touches":1,"segment":"probation","bytes":10}],"complete":true}
      """;

  @TempDir private Path directory;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private ScriptedAdmin admin;

  @BeforeEach
  void start() throws Exception {
    admin = new ScriptedAdmin();
  }

  @AfterEach
  void stop() {
    admin.close();
  }

  private int run(String... arguments) {
    return Forebay.commandLine()
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(arguments);
  }

  @Test
  void warmsWhatAnotherNodeIsAskedForInItsOrder() throws Exception {
    Path token = Files.writeString(directory.resolve("token"), "0123456789abcdef\n");
    try (ScriptedAdmin other = new ScriptedAdmin()) {
      other.answers(200, HOT);
      admin.answers(202, "{\"job\":1}").answers(200, DONE);
      assertEquals(
          0,
          run(
              "warm",
              "--from-node",
              other.url(),
              "--from-token-file",
              token.toString(),
              "--top",
              "20",
              "--json",
              "--admin-url",
              admin.url()),
          err.toString());
      assertEquals("/v1/store/hot?limit=20", other.asked().getFirst().target());
      assertEquals("Bearer 0123456789abcdef", other.asked().getFirst().authorization());
    }
    assertEquals(
        "[\"http://a/hot\",\"http://a/warm\"]",
        admin.asked().getFirst().json().path("urls").toString());
  }

  @Test
  void warmsTheMostRequestedUrlsOfALog() throws Exception {
    String line = "192.0.2.1 - - [02/Jan/2026:00:00:00 +0000] \"GET /%s HTTP/1.1\" 200 5\n";
    Path log =
        Files.writeString(
            directory.resolve("access.log"),
            line.formatted("rare")
                + line.formatted("often").repeat(3)
                + line.formatted("b").repeat(2));
    admin.answers(202, "{\"job\":1}").answers(200, DONE);
    assertEquals(
        0,
        run(
            "warm",
            "--access-log",
            log.toString(),
            "--log-base",
            "https://b.example",
            "--top",
            "2",
            "--json",
            "--admin-url",
            admin.url()),
        err.toString());
    assertEquals(
        "[\"https://b.example/often\",\"https://b.example/b\"]",
        admin.asked().getFirst().json().path("urls").toString());
  }

  @Test
  void anEmptyHotSetIsNoError() throws Exception {
    try (ScriptedAdmin other = new ScriptedAdmin()) {
      other.answers(200, "{\"objects\":[],\"complete\":true}");
      assertEquals(
          0, run("warm", "--from-node", other.url(), "--admin-url", admin.url()), err.toString());
    }
    assertTrue(out.toString().startsWith("0 warm"), out.toString());
    assertEquals(0, admin.asked().size());
  }

  @Test
  void wrongOptionsAreRefused() throws Exception {
    for (String[] wrong :
        new String[][] {
          {"--access-log", directory.resolve("missing").toString()},
          {"--access-log", directory.toString()},
          {"--access-log", "x", "--log-base", "www.example.com"},
          {"--access-log", "x", "--top", "0"},
          {"--access-log", "x", "--since", "yesterday"},
          {"--from-node", "10.0.0.2"}
        }) {
      String[] all = new String[wrong.length + 3];
      all[0] = "warm";
      System.arraycopy(wrong, 0, all, 1, wrong.length);
      all[wrong.length + 1] = "--admin-url";
      all[wrong.length + 2] = admin.url();
      assertEquals(2, run(all), String.join(" ", wrong) + err);
    }
  }

  @Test
  void showsTheHotSet() {
    admin.answers(200, HOT);
    assertEquals(
        0, run("store", "hot", "--limit", "2", "--admin-url", admin.url()), err.toString());
    assertEquals("/v1/store/hot?limit=2", admin.asked().getFirst().target());
    assertEquals(
        "3  protected    2.0 KiB  http://a/hot", out.toString().lines().findFirst().orElse(""));
  }
}
