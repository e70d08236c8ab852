package io.forebay.cli;

import io.forebay.testing.Commands;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;

/** A command in the JVM of the test; {@code Jar} is the one that starts a JVM of its own. */
final class InProcess {
  private InProcess() {}

  /** Runs a command to its end. */
  static Commands.Finished run(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int exit =
        Forebay.commandLine()
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err))
            .execute(arguments);
    return new Commands.Finished(List.of(arguments), exit, out.toString(), err.toString());
  }
}
