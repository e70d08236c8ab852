package io.forebay.cli.demo;

import io.forebay.cli.console.CommandException;
import io.forebay.cli.console.Output;
import java.io.IOException;
import java.util.Locale;
import java.util.function.LongSupplier;

/** Runs the steps of a demo, numbers them and reports for each whether it did what it promises. */
final class DemoSteps {
  private final Output output;
  private final LongSupplier originRequests;
  // Requests the origin had seen when they were last checked.
  private long originSeen;
  private int started;
  private int failures;

  /** What a program reads of a step. */
  record Step(String step, boolean ok, double millis, long originRequests, String detail) {}

  /** A step: what it has seen, or an exception if that is not what it promises. */
  interface Work {
    String run() throws Exception;
  }

  /** Set when a promise of the running step is broken: the rest of that step says no more. */
  static final class UnmetExpectation extends IOException {
    private static final long serialVersionUID = 1L;

    UnmetExpectation(String message) {
      super(message);
    }
  }

  /**
   * @param originRequests what the origin has received until now
   */
  DemoSteps(Output output, LongSupplier originRequests) {
    this.output = output;
    this.originRequests = originRequests;
  }

  void run(String name, String promise, Work work) throws InterruptedException {
    started++;
    output.line("");
    output.line("  " + output.strong("%d  %-6s".formatted(started, name)) + " " + promise);
    long requestsBefore = originRequests.getAsLong();
    originSeen = requestsBefore;
    long from = System.nanoTime();
    String detail;
    boolean isKept = false;
    try {
      detail = work.run();
      isKept = true;
    } catch (InterruptedException interrupted) {
      throw interrupted;
    } catch (CommandException | IOException broken) {
      detail = CommandException.reason(broken);
    } catch (Exception unexpected) {
      detail = unexpected.toString();
    }
    long took = System.nanoTime() - from;
    if (!isKept) {
      failures++;
    }
    output.line(
        "     "
            + (isKept ? output.good("ok    ") : output.bad("FAILED"))
            + "  "
            + detail
            + output.faint("  (" + millis(took) + ")"));
    long requests = originRequests.getAsLong() - requestsBefore;
    output.json(new Step(name, isKept, took / 1e6, requests, detail));
  }

  boolean haveSucceeded() {
    return failures == 0;
  }

  static void expect(boolean isTrue, String otherwise) throws UnmetExpectation {
    if (!isTrue) {
      throw new UnmetExpectation(otherwise);
    }
  }

  /** Expects that the origin has received so many requests since this was last called. */
  void expectOrigin(long expected) throws UnmetExpectation {
    long now = originRequests.getAsLong();
    long seen = now - originSeen;
    originSeen = now;
    expect(seen == expected, "the origin received " + seen + " requests instead of " + expected);
  }

  static String millis(long nanos) {
    double millis = nanos / 1e6;
    String format = millis < 10 ? "%.2f ms" : millis < 1000 ? "%.0f ms" : "%.1f s";
    return String.format(Locale.ROOT, format, millis < 1000 ? millis : millis / 1000);
  }
}
