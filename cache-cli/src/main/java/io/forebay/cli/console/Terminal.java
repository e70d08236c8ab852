package io.forebay.cli.console;

import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Tells whether standard output and standard error are terminals. Java's console requires both
 * input and output to be one, which fails for {@code forebay warm < urls.txt}; the kernel reports
 * each separately.
 */
public final class Terminal {
  private static final int DEFAULT_WIDTH = 80;
  private static final int DEFAULT_HEIGHT = 24;
  private static final int ROWS = 0;
  private static final int COLUMNS = 1;
  private static final long TIOCGWINSZ = 0x5413;

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

  /** Columns to fill: what the shell exported, else what the kernel says, else 80. */
  public static int width() {
    String columns = System.getenv("COLUMNS");
    if (columns != null && columns.matches("[1-9][0-9]{1,3}")) {
      return Integer.parseInt(columns);
    }
    int told = size(isOutput() ? 1 : 2, COLUMNS);
    return told >= 10 ? told : DEFAULT_WIDTH;
  }

  /** Lines that fit on the terminal of standard output: what the kernel says, else 24. */
  public static int height() {
    int told = size(1, ROWS);
    return told > 0 ? told : DEFAULT_HEIGHT;
  }

  /** Whether block characters survive the way to standard output. */
  public static boolean canDrawBlocks() {
    String encoding = System.getProperty("stdout.encoding", "US-ASCII");
    return Charset.isSupported(encoding) && Charset.forName(encoding).newEncoder().canEncode('█');
  }

  /** What the kernel knows of a terminal's size (struct winsize); 0 if it is none. */
  @SuppressWarnings("restricted")
  private static int size(int descriptor, int which) {
    try {
      Linker linker = Linker.nativeLinker();
      MethodHandle ioctl =
          linker.downcallHandle(
              linker.defaultLookup().findOrThrow("ioctl"),
              FunctionDescriptor.of(
                  ValueLayout.JAVA_INT,
                  ValueLayout.JAVA_INT,
                  ValueLayout.JAVA_LONG,
                  ValueLayout.ADDRESS),
              Linker.Option.firstVariadicArg(2),
              Linker.Option.critical(true));
      short[] rowsAndColumns = new short[4];
      int result =
          (int) ioctl.invokeExact(descriptor, TIOCGWINSZ, MemorySegment.ofArray(rowsAndColumns));
      return result == 0 ? Short.toUnsignedInt(rowsAndColumns[which]) : 0;
    } catch (Throwable e) {
      if (e instanceof VirtualMachineError error) {
        throw error;
      }
      return 0;
    }
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
