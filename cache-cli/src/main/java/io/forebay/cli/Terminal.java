package io.forebay.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What stands behind standard output and standard error. Java's console only answers for input and
 * output together, which {@code forebay warm < urls.txt} would fail; the kernel answers for each.
 */
public final class Terminal {
  private static final int DEFAULT_WIDTH = 80;

  private Terminal() {}

  public static boolean isOutput() {
    return isTerminal(1);
  }

  public static boolean isError() {
    return isTerminal(2);
  }

  public static boolean isInput() {
    return isTerminal(0);
  }

  /** Columns to fill: what the shell exported, else 80. */
  static int width() {
    String columns = System.getenv("COLUMNS");
    if (columns != null && columns.matches("[1-9][0-9]{1,3}")) {
      return Integer.parseInt(columns);
    }
    return DEFAULT_WIDTH;
  }

  private static boolean isTerminal(int descriptor) {
    try {
      String target =
          Files.readSymbolicLink(Path.of("/proc/self/fd", Integer.toString(descriptor))).toString();
      return target.startsWith("/dev/pts/")
          || target.startsWith("/dev/tty")
          || target.equals("/dev/console");
    } catch (IOException | UnsupportedOperationException noProc) {
      // Without /proc nobody knows, and plain text is right everywhere.
      return false;
    }
  }
}
