package io.forebay.lab.command;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.forebay.lab.load.LoadOutcome;
import io.forebay.lab.result.ResultFixture;
import io.forebay.lab.result.StepResult;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a run says on standard error while it goes on. */
final class ProgressLinesTest {
  private final StringWriter out = new StringWriter();

  private void aStepWithItsSeconds(boolean isTerminal) {
    ProgressLines lines = new ProgressLines(new PrintWriter(out), isTerminal);
    StepResult step = ResultFixture.step("live-48", 2, Map.of(), 2);
    lines.begins("live", "nginx", "live-48", 2);
    lines.second(new LoadOutcome.Second(0, 10, 1_000_000_000, 0, 1));
    lines.ended("live", "nginx", step);
    lines.end();
  }

  @Test
  void isALineForEachStepInAFile() {
    aStepWithItsSeconds(false);

    String text = out.toString();
    assertEquals(1, text.lines().count(), text);
    assertEquals(-1, text.indexOf('\u001b'), text);
    assertEquals("live live-48 nginx #2: ", text.substring(0, text.indexOf(": ") + 2));
  }

  @Test
  void isWrittenOverOnATerminal() {
    aStepWithItsSeconds(true);

    assertEquals(
        "\r\u001b[Klive live-48 nginx #2: start\r\u001b[Klive live-48 nginx #2: 1 s: 10"
            + " requests/s, 8.00 Gbit/s\r\u001b[K",
        out.toString().substring(0, out.toString().lastIndexOf("live live-48")));
  }
}
