package io.forebay.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.cli.console.Output;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The requests, the output and the exit codes of {@code cluster top}. */
final class ClusterTopCommandTest {
  private static final String NODES =
      """
      {"cluster":"eu","newest":7,"problem":null,"nodes":[
       {"node":"edge-1","group":"fra","alive":true,"draining":false,"revision":null,
        "problem":"does not answer"}]}
      """;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    return Forebay.commandLine()
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(arguments);
  }

  @Test
  void onceShowsOneTable() throws IOException {
    try (ScriptedAdmin admin = new ScriptedAdmin()) {
      admin.answers(200, NODES);
      assertEquals(0, run("cluster", "top", "--once", "--admin-url", admin.url()), err.toString());
      assertEquals("/v1/cluster", admin.asked().getFirst().target());
    }
    assertTrue(out.toString().contains("sums are without edge-1 (no answer)"), out.toString());
    assertTrue(out.toString().indexOf('\u001b') < 0, out.toString());
  }

  @Test
  void jsonIsOneObjectARefresh() throws IOException {
    try (ScriptedAdmin admin = new ScriptedAdmin()) {
      admin.answers(200, NODES);
      assertEquals(
          0,
          run("cluster", "top", "--once", "--json", "--sort", "hits", "--admin-url", admin.url()),
          err.toString());
    }
    assertEquals(1, out.toString().lines().count(), out.toString());
    JsonNode json = Output.mapper().readTree(out.toString());
    assertEquals("no answer", json.at("/nodes/0/state").asString());
    assertEquals("[\"edge-1\"]", json.at("/total/missing").toString());
  }

  @Test
  void aNodeThatIsNotInAClusterIsAFailure() throws IOException {
    try (ScriptedAdmin admin = new ScriptedAdmin()) {
      admin.answers(404, "{\"error\":\"the node is in no cluster\"}");
      assertEquals(1, run("cluster", "top", "--admin-url", admin.url()));
    }
    assertEquals("forebay: the node is in no cluster\n", err.toString());
  }

  @Test
  void unknownOrdersAndIntervalsAreUsageErrors() {
    assertEquals(2, run("cluster", "top", "--sort", "colour"));
    assertTrue(
        err.toString().toLowerCase(Locale.ROOT).contains("requests, hits, bytes"), err.toString());
    assertEquals(2, run("cluster", "top", "--interval", "0"));
    assertTrue(err.toString().contains("--interval must be between"), err.toString());
  }
}
