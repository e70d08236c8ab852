package io.forebay.lab.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class ReportCommandTest {

  @TempDir Path directory;

  @Test
  void aDirectoryWithoutResultsIsAnError() {
    StringWriter err = new StringWriter();

    int code =
        new CommandLine(LabCommand.class)
            .setErr(new PrintWriter(err, true))
            .execute("report", directory.toString());

    assertEquals(1, code);
    assertTrue(err.toString().contains("no such file"), err.toString());
  }
}
