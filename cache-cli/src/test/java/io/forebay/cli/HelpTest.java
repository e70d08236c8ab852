package io.forebay.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

final class HelpTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "serve",
        "demo",
        "demo origin",
        "purge",
        "warm",
        "stats",
        "log",
        "top",
        "hist",
        "reload",
        "upgrade",
        "sign-url",
        "origins",
        "origins drain",
        "origins undrain",
        "explain",
        "cluster",
        "cluster config",
        "cluster config diff",
        "cluster config history",
        "cluster config promote",
        "cluster config push",
        "cluster config rollback",
        "cluster forget",
        "cluster status",
        "cluster top",
        "config",
        "config check",
        "config dump",
        "config schema",
        "config test",
        "config history",
        "config diff",
        "config rollback",
        "doctor",
        "bundle",
        "import",
        "aot",
        "store",
        "store ls",
        "store show",
        "store hot",
        "store stat",
        "store map",
        "store verify",
        "store evacuate",
        "store orphans"
      })
  void fitsEightyColumns(String command) {
    String[] words = command.isEmpty() ? new String[0] : command.split(" ");
    String[] arguments = Arrays.copyOf(words, words.length + 1);
    arguments[words.length] = "--help";
    StringWriter out = new StringWriter();
    CommandLine line = Forebay.commandLine().setOut(new PrintWriter(out));

    int code = line.execute(arguments);

    assertEquals(0, code);
    assertTrue(out.toString().contains("Usage: forebay"), out.toString());
    assertTrue(out.toString().contains("--json"), out.toString());
    assertTrue(out.toString().contains("Print this help."), out.toString());
    out.toString().lines().forEach(text -> assertTrue(text.length() <= 80, text));
  }
}
