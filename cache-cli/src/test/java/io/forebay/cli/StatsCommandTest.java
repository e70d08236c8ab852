package io.forebay.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

/** The requests and the output of {@code stats}. */
final class StatsCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    return Forebay.commandLine()
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(arguments);
  }

  @Test
  void sizesPrintsTheCurve() throws IOException {
    try (ScriptedAdmin admin = new ScriptedAdmin()) {
      admin.answers(
          200,
          "{\"store\":{\"capacityBytes\":1024,\"estimates\":{\"sampledRatio\":1,\"sizes\":["
              + "{\"scale\":0.5,\"hitRatio\":0.25,\"byteHitRatio\":0.125}]}}}");
      assertEquals(0, run("stats", "--sizes", "--admin-url", admin.url()), err.toString());
      assertTrue(out.toString().contains("25.0 %"), out.toString());
      assertTrue(out.toString().contains("12.5 %"), out.toString());
      assertEquals("/v1/stats", admin.asked().getFirst().target());
    }
  }

  @Test
  void sizesAndWatchExcludeEachOther() {
    assertEquals(2, run("stats", "--sizes", "--watch"));
    assertTrue(err.toString().contains("--sizes and --watch exclude each other"), err.toString());
  }

  @Test
  void aMissingFileOfUrlsIsOneLineThatSaysWhatToDo() throws IOException {
    try (ScriptedAdmin admin = new ScriptedAdmin()) {
      assertEquals(2, run("warm", "--file", "/nonexistent/urls", "--admin-url", admin.url()));
      assertEquals(
          "forebay: --file /nonexistent/urls: no such file; give a file with one URL a line, or -"
              + " for standard input\n",
          err.toString());
    }
  }
}
