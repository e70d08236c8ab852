package io.forebay.cli.warm;

import io.forebay.cli.console.CommandException;
import io.forebay.cli.console.ExitCode;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The URLs that an earlier run has warmed: a file with one URL per line, appended as results
 * arrive. An incomplete last line was being written when that run was interrupted, and is ignored.
 */
final class WarmState implements AutoCloseable {
  private static final String HEADING = "# forebay warm: URLs already warmed; delete to start over";

  private final Set<String> warmed = new HashSet<>();
  private final @Nullable BufferedWriter file;

  private WarmState(@Nullable BufferedWriter file) {
    this.file = file;
  }

  /** No file: nothing is known and nothing is kept. */
  static WarmState none() {
    return new WarmState(null);
  }

  static WarmState open(Path path) {
    try {
      String before =
          Files.exists(path) ? Files.readString(path, StandardCharsets.UTF_8) : HEADING + "\n";
      if (!before.startsWith(HEADING)) {
        throw new CommandException(
            ExitCode.USAGE, path + " exists and is not a state file of 'forebay warm'");
      }
      String whole = before.substring(0, before.lastIndexOf('\n') + 1);
      Files.writeString(path, whole, StandardCharsets.UTF_8);
      WarmState state =
          new WarmState(
              Files.newBufferedWriter(path, StandardCharsets.UTF_8, StandardOpenOption.APPEND));
      whole.lines().filter(line -> !line.startsWith("#")).forEach(state.warmed::add);
      return state;
    } catch (IOException broken) {
      throw new CommandException(
          ExitCode.FAILURE, "state file " + path + " cannot be used: " + broken, broken);
    }
  }

  boolean isWarmed(String url) {
    return warmed.contains(url);
  }

  void add(String url) {
    if (file != null && warmed.add(url)) {
      try {
        file.write(url + "\n");
      } catch (IOException broken) {
        throw new UncheckedIOException(broken);
      }
    }
  }

  /** Called after each answer of the node, so that little is asked for twice. */
  void flush() {
    if (file != null) {
      try {
        file.flush();
      } catch (IOException broken) {
        throw new CommandException(
            ExitCode.FAILURE, "state file cannot be written: " + broken, broken);
      }
    }
  }

  @Override
  public void close() throws IOException {
    if (file != null) {
      file.close();
    }
  }
}
