package io.forebay.lab.command;

import io.forebay.lab.load.LoadOutcome;
import io.forebay.lab.result.StepResult;
import io.forebay.lab.run.Progress;
import java.io.PrintWriter;
import java.util.Locale;

/**
 * Progress: one line for each step that has ended and, on a terminal, one that is written over for
 * the step in progress.
 */
final class ProgressLines implements Progress {
  private static final String OVER = "\r\u001b[K";

  private final PrintWriter out;
  private final boolean isTerminal;
  private String what = "";
  private boolean isOpen;

  ProgressLines(PrintWriter out, boolean isTerminal) {
    this.out = out;
    this.isTerminal = isTerminal;
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
      out.print(OVER);
      out.flush();
      isOpen = false;
    }
  }

  private void show(String state) {
    if (isTerminal) {
      out.print(OVER + what + ": " + state);
      out.flush();
      isOpen = true;
    }
  }

  private void line(String text) {
    out.print((isOpen ? OVER : "") + text + System.lineSeparator());
    out.flush();
    isOpen = false;
  }
}
