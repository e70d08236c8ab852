package io.forebay.server.logsink;

import io.forebay.server.config.LogConfig;
import io.forebay.server.config.SyslogAddress;
import io.forebay.server.text.Printable;
import io.forebay.storage.file.PrivateFiles;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Opens the outputs of logs. */
public final class LogOutputs {
  private LogOutputs() {}

  /** How files of a log are opened. */
  interface Opener {
    FileChannel open(Path file) throws IOException;
  }

  /**
   * The output of a configuration; null for {@code off}. Called by a thread that is not pinned.
   *
   * @param key of the configuration, for messages
   * @param isPrivate whether nobody else on the machine may read the files
   * @throws IOException when it cannot be opened; the message says what to do
   */
  public static @Nullable LogOutput open(
      String key,
      String output,
      LogConfig.Rotation rotation,
      LogConfig.Syslog syslog,
      boolean isPrivate,
      LongSupplier clockMillis)
      throws IOException {
    if (output.equals("off")) {
      return null;
    }
    if (output.equals("stdout")) {
      return new StandardOutput();
    }
    SyslogAddress receiver = SyslogAddress.parse(output);
    if (receiver == null) {
      return file(key, Path.of(output), rotation, isPrivate, clockMillis);
    }
    return new SyslogOutput(
        SyslogTransport.to(receiver, System::nanoTime),
        new SyslogHeader(syslog, SyslogHeader.hostName(), ProcessHandle.current().pid()),
        clockMillis);
  }

  private static LogOutput file(
      String key,
      Path path,
      LogConfig.Rotation rotation,
      boolean isPrivate,
      LongSupplier clockMillis)
      throws IOException {
    Opener opener = isPrivate ? LogOutputs::openPrivate : LogOutputs::openShared;
    try {
      return FileOutput.open(path, rotation, opener, clockMillis);
    } catch (IOException e) {
      Path parent = path.toAbsolutePath().getParent();
      String why;
      if (Files.isDirectory(path)) {
        why = "it is a directory; name a file in it";
      } else if (parent != null && !Files.isDirectory(parent)) {
        why = "there is no directory " + parent + "; make it";
      } else if (e instanceof AccessDeniedException) {
        why = "permission denied; let the user of this process write there";
      } else {
        why = Printable.line(e);
      }
      throw new IOException(
          key + ": cannot write " + path + ": " + why + ", or set " + key + ".output", e);
    }
  }

  private static FileChannel openShared(Path file) throws IOException {
    return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  private static FileChannel openPrivate(Path file) throws IOException {
    FileChannel channel = PrivateFiles.openOrCreate(file);
    try {
      channel.position(channel.size());
      return channel;
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }
}
