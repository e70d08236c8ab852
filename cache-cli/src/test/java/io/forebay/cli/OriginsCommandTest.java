package io.forebay.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

/** The request and the output of {@code origins}. */
final class OriginsCommandTest {
  private static final String REPORT =
      """
      {"origins":[{"name":"api","balance":"round-robin","connections":3,"maxConnections":256,
       "servers":[
        {"url":"http://a:80","weight":2,"backup":false,"problem":null,"endpoints":[
          {"address":"10.0.0.1:80","state":"usable","why":null,"since":null,"connections":2,
           "requests":1,"latencyMillis":12.34,"failuresInARow":0,"ejections":0},
          {"address":"10.0.0.2:80","state":"ejected","why":"5 failures in a row",
           "since":"2026-01-02T03:04:05Z","connections":1,"requests":0,"latencyMillis":null,
           "failuresInARow":5,"ejections":1}]},
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
        api  round-robin, 3 of 256 connections
          ADDRESS                      STATE     WEIGHT CONNECTIONS REQUESTS    LATENCY  SERVER
          10.0.0.1:80                  usable         2           2        1    12.3 ms  http://a:80
          10.0.0.2:80                  ejected        2           1        0          -  http://a:80
            ejected since 2026-01-02T03:04:05Z: 5 failures in a row
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

  private int run(String... arguments) {
    return Forebay.commandLine()
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(arguments);
  }
}
