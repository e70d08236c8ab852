package io.forebay.cli.console;

import java.io.PrintWriter;
import me.tongfei.progressbar.ProgressBarConsumer;

/** One line of progress, redrawn in place within the width of the terminal. */
final class ProgressLine implements ProgressBarConsumer {
  private final PrintWriter err;
  private boolean isClosed;

  ProgressLine(PrintWriter err) {
    this.err = err;
  }

  @Override
  public int getMaxRenderedLength() {
    return Terminal.width() - 1;
  }

  @Override
  public void accept(String drawn) {
    err.print("\r" + drawn + "\u001b[K");
    err.flush();
  }

  @Override
  public void clear() {
    err.print("\r\u001b[K");
    err.flush();
  }

  /** Ends the line, once. The library does not close what ends before it was first drawn. */
  @Override
  public synchronized void close() {
    if (!isClosed) {
      isClosed = true;
      err.println();
      err.flush();
    }
  }
}
