package io.forebay.lab.command;

import io.forebay.lab.load.LoadOutcome;
import io.forebay.lab.result.StepResult;
import io.forebay.lab.run.Progress;
import java.io.PrintWriter;
import java.util.Locale;

/** Progress on a terminal: one line that is written over, and one for each step that has ended. */
final class ProgressLines implements Progress {
  private static final String OVER = "\r\u001b[K";

  private final PrintWriter terminal;
  private String what = "";
  private boolean isOpen;

  ProgressLines(PrintWriter terminal) {
    this.terminal = terminal;
  }

  @Override
  public synchronized void begins(String scenario, String target, String step, int repetition) {
    what = scenario + " " + step + " " + target + " #" + repetition;
    show("start");
  }

  @Override
  public synchronized void preparing(String target, String preparation) {
    show(preparation);
  }

  @Override
  public synchronized void second(LoadOutcome.Second second) {
    show(
        String.format(
            Locale.ROOT,
            "%d s: %d requests/s, %.2f Gbit/s%s",
            second.second() + 1,
            second.requests(),
            second.bodyBytes() * 8 / 1e9,
            second.errors() == 0 ? "" : ", " + second.errors() + " errors"));
  }

  @Override
  public synchronized void ended(String scenario, String target, StepResult result) {
    line(
        String.format(
            Locale.ROOT,
            "%s: %.0f requests/s, %.2f Gbit/s%s",
            what,
            result.load().requestsPerSecond(),
            result.load().gigabitsPerSecond(),
            result.counts() ? "" : ", VOID: " + String.join("; ", result.voids())));
  }

  @Override
  public synchronized void problem(String sentence) {
    line(sentence);
  }

  /** Removes what is written over. */
  synchronized void end() {
    if (isOpen) {
      terminal.print(OVER);
      terminal.flush();
      isOpen = false;
    }
  }

  private void show(String state) {
    terminal.print(OVER + what + ": " + state);
    terminal.flush();
    isOpen = true;
  }

  private void line(String text) {
    terminal.print(OVER + text + System.lineSeparator());
    terminal.flush();
    isOpen = false;
  }
}
