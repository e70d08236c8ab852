package io.forebay.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.cli.console.Output;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

/** The request and the output of {@code origins}. */
final class OriginsCommandTest {
  private static final String REPORT =
      """
      {"origins":[{"name":"api","balance":"round-robin","connections":3,"maxConnections":256,
       "adaptiveLimit":{"limit":40,"inProgress":12,"measuring":true},
       "servers":[
        {"url":"http://a:80","weight":2,"backup":false,"connections":3,"maxConnections":4,"problem":null,"endpoints":[
          {"address":"10.0.0.1:80","state":"usable","why":null,"since":null,"connections":2,
           "requests":1,"latencyMillis":12.34,"failuresInARow":0,"ejections":0},
          {"address":"10.0.0.2:80","state":"ejected","why":"5 failures in a row",
           "since":"2026-01-02T03:04:05Z","connections":1,"requests":0,"latencyMillis":null,
           "failuresInARow":5,"ejections":1},
          {"address":"10.0.0.3:80","state":"failing","why":"status 503",
           "since":"2026-01-02T03:04:05Z","connections":0,"requests":0,"latencyMillis":null,
           "failuresInARow":0,"ejections":0,"probe":{"verdict":"failing",
            "since":"2026-01-02T03:04:05Z","lastFailure":"status 503",
            "lastFailureAt":"2026-01-02T03:05:05Z"}},
          {"address":"10.0.0.4:80","state":"usable","why":null,"since":null,"connections":0,
           "requests":0,"latencyMillis":null,"failuresInARow":0,"ejections":0,"weightShare":0.4,
           "probe":{
            "verdict":"passing","since":"2026-01-02T03:04:05Z","lastFailure":"status 500",
            "lastFailureAt":"2026-01-02T01:00:00Z"}}]},
        {"url":"http://gone:80","weight":1,"backup":true,
         "problem":"name gone does not resolve: NXDOMAIN","endpoints":[]}]}]}
      """;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void showsALineForEachAddressAndSaysWhyOneIsEjected() throws IOException {
    try (ScriptedAdmin admin = new ScriptedAdmin()) {
      admin.answers(200, REPORT);
      assertEquals(0, run("origins", "--admin-url", admin.url()), err.toString());
      assertEquals("/v1/origins", admin.asked().getFirst().target());
    }
    assertEquals(
        """
        api  round-robin, 3 of 256 connections, 12 of 40 requests (measuring)
          ADDRESS                      STATE     WEIGHT CONNECTIONS REQUESTS    LATENCY  SERVER
          10.0.0.1:80                  usable         2           2        1    12.3 ms  http://a:80 (3 of 4 connections)
          10.0.0.2:80                  ejected        2           1        0          -  http://a:80 (3 of 4 connections)
            ejected since 2026-01-02T03:04:05Z: 5 failures in a row
          10.0.0.3:80                  failing        2           0        0          -  http://a:80 (3 of 4 connections)
            failing since 2026-01-02T03:04:05Z: status 503
          10.0.0.4:80                  usable     2*40%           0        0          -  http://a:80 (3 of 4 connections)
            probes: passing since 2026-01-02T03:04:05Z; the latest that failed, at 2026-01-02T01:00:00Z: status 500
          -                            unusable       1           -        -          -  http://gone:80 (backup)
            name gone does not resolve: NXDOMAIN
        """,
        out.toString());
  }

  @Test
  void printsTheReportAsJson() throws IOException {
    try (ScriptedAdmin admin = new ScriptedAdmin()) {
      admin.answers(200, REPORT);
      assertEquals(0, run("origins", "--json", "--admin-url", admin.url()), err.toString());
    }
    assertEquals(1, out.toString().lines().count(), out.toString());
    assertTrue(out.toString().contains("\"state\":\"ejected\""), out.toString());
  }

  @Test
  void drainSendsWhatIsToBeDrainedAndSaysWhatIsInProgress() throws IOException {
    try (ScriptedAdmin admin = new ScriptedAdmin()) {
      admin.answers(200, outcome("draining", 3, true));
      assertEquals(
          0,
          run(
              "origins",
              "drain",
              "http://a",
              "--origin",
              "api",
              "--reason",
              "kernel update",
              "--force",
              "--admin-url",
              admin.url()),
          err.toString());
      ScriptedAdmin.Asked asked = admin.asked().getFirst();
      assertEquals("POST", asked.method());
      assertEquals("/v1/origins/drain", asked.target());
      assertEquals(
          Output.mapper()
              .readTree(
                  """
                  {"server":"http://a","origin":"api","reason":"kernel update","force":true}
                  """),
          asked.json());
    }
    assertEquals("http://a:80 of origin api is draining: 3 requests in progress\n", out.toString());
  }

  @Test
  void drainSaysThatNothingIsInProgress() throws IOException {
    try (ScriptedAdmin admin = new ScriptedAdmin()) {
      admin.answers(200, outcome("drained", 0, true));
      assertEquals(
          0, run("origins", "drain", "http://a", "--admin-url", admin.url()), err.toString());
      assertEquals(
          Output.mapper().readTree("{\"server\":\"http://a\"}"), admin.asked().getFirst().json());
    }
    assertEquals("http://a:80 of origin api is drained\n", out.toString());
  }

  @Test
  void aDrainThatTheNodeRefusesIsAFailure() throws IOException {
    try (ScriptedAdmin admin = new ScriptedAdmin()) {
      admin.answers(409, "{\"error\":\"origin api has no usable address left\"}");
      assertEquals(1, run("origins", "drain", "http://a", "--admin-url", admin.url()));
    }
    assertEquals("forebay: origin api has no usable address left\n", err.toString());
  }

  @Test
  void undrainSaysThatTheServerIsUsedAgain() throws IOException {
    try (ScriptedAdmin admin = new ScriptedAdmin()) {
      admin.answers(200, outcome("usable", 0, true)).answers(200, outcome("usable", 0, false));
      assertEquals(
          0, run("origins", "undrain", "http://a", "--admin-url", admin.url()), err.toString());
      assertEquals("/v1/origins/undrain", admin.asked().getFirst().target());
      assertEquals(0, run("origins", "undrain", "http://a", "--admin-url", admin.url()));
    }
    assertEquals(
        "http://a:80 of origin api is used again\nhttp://a:80 of origin api was not drained\n",
        out.toString());
  }

  @Test
  void undrainSaysWhatIsStillDrained() throws IOException {
    try (ScriptedAdmin admin = new ScriptedAdmin()) {
      admin.answers(200, outcome("drained", 0, true));
      assertEquals(
          0, run("origins", "undrain", "http://a", "--admin-url", admin.url()), err.toString());
    }
    assertEquals(
        "http://a:80 of origin api is used again\n  but 10.0.0.1:80 is drained: for some reason\n",
        out.toString());
  }

  @Test
  void drainPrintsTheAnswerAsJson() throws IOException {
    try (ScriptedAdmin admin = new ScriptedAdmin()) {
      admin.answers(200, outcome("drained", 0, true));
      assertEquals(0, run("origins", "drain", "--json", "http://a", "--admin-url", admin.url()));
    }
    assertEquals(
        Output.mapper().readTree(outcome("drained", 0, true)),
        Output.mapper().readTree(out.toString()));
  }

  private static String outcome(String state, int requests, boolean isChanged) {
    return """
    {"origin":"api","server":"http://a:80","changed":%b,"endpoints":[
     {"address":"10.0.0.1:80","state":"%s","why":"for some reason","requests":%d}]}
    """
        .formatted(isChanged, state, requests);
  }

  private int run(String... arguments) {
    return Forebay.commandLine()
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(arguments);
  }
}
