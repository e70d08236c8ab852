package io.forebay.server.origin.drain;

import io.forebay.storage.file.PrivateFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The drains of a node, in a file of the data directory: after a first line, one line each, such as
 * {@code 1700000000000 api http://10.0.0.1:80 kernel update}. Without drains there is no file. The
 * caller owns the lock of the directory; one thread at a time.
 */
public final class DrainFile {
  private static final Logger LOG = LoggerFactory.getLogger(DrainFile.class);

  static final String NAME = "drained.servers";
  private static final String BROKEN = NAME + ".broken";
  private static final String FIRST_LINE = "forebay drained servers 1";
  private static final int MAX_BYTES = 256 << 10;
  private static final Pattern LINE =
      Pattern.compile(
          "(\\d{1,15}) ([A-Za-z0-9_-]{1,64}) ([!-~]{1,300})(?: ([ -~]{1,"
              + Drain.MAX_REASON
              + "}))?");

  private final Path directory;

  /** The file of a data directory. */
  public DrainFile(Path directory) {
    this.directory = directory;
  }

  /**
   * What the file has. One that cannot be understood is set aside, with a line in the log: its
   * servers get requests again.
   *
   * @throws IOException when the file cannot be read
   */
  public Drains read() throws IOException {
    Path file = directory.resolve(NAME);
    if (!PrivateFiles.exists(file)) {
      return Drains.NONE;
    }
    byte[] bytes;
    try (FileChannel in = PrivateFiles.open(file)) {
      ByteBuffer buffer = ByteBuffer.allocate(MAX_BYTES + 1);
      while (buffer.hasRemaining() && in.read(buffer) >= 0) {
        Thread.onSpinWait();
      }
      bytes = new byte[buffer.flip().remaining()];
      buffer.get(bytes);
    }
    List<Drain> read = parse(bytes);
    if (read != null) {
      return Drains.of(read);
    }
    Path aside = directory.resolve(BROKEN);
    Files.move(file, aside, StandardCopyOption.ATOMIC_MOVE);
    LOG.error(
        "{} is damaged and was moved to {}: servers that were drained get requests; drain them"
            + " again",
        file,
        aside);
    return Drains.NONE;
  }

  private static @Nullable List<Drain> parse(byte[] bytes) {
    String text = new String(bytes, StandardCharsets.ISO_8859_1);
    if (bytes.length > MAX_BYTES || !text.startsWith(FIRST_LINE + "\n") || !text.endsWith("\n")) {
      return null;
    }
    List<Drain> read = new ArrayList<>();
    String[] lines = text.substring(0, text.length() - 1).split("\n", -1);
    for (int i = 1; i < lines.length; i++) {
      Matcher line = LINE.matcher(lines[i]);
      if (!line.matches() || read.size() == Drains.MAX) {
        return null;
      }
      String reason = line.group(4);
      Drain drain =
          new Drain(
              line.group(2),
              line.group(3),
              Long.parseLong(line.group(1)),
              reason == null ? "" : reason);
      if (Drains.of(read).find(drain.origin(), drain.target()) != null) {
        return null;
      }
      read.add(drain);
    }
    return read;
  }

  /** Replaces what the file has; when this returns, a loss of power does not undo it. */
  public void write(Drains drains) throws IOException {
    Path file = directory.resolve(NAME);
    if (drains.all().isEmpty()) {
      Files.deleteIfExists(file);
      PrivateFiles.forceNames(directory);
      return;
    }
    StringBuilder text = new StringBuilder(FIRST_LINE).append('\n');
    for (Drain drain : drains.all()) {
      text.append(drain.sinceMillis())
          .append(' ')
          .append(drain.origin())
          .append(' ')
          .append(drain.target());
      if (!drain.reason().isEmpty()) {
        text.append(' ').append(drain.reason());
      }
      text.append('\n');
    }
    Path made = directory.resolve(NAME + ".new");
    try (FileChannel out = PrivateFiles.createNew(made)) {
      ByteBuffer bytes = ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.US_ASCII));
      while (bytes.hasRemaining()) {
        out.write(bytes);
      }
      out.force(true);
    }
    Files.move(made, file, StandardCopyOption.ATOMIC_MOVE);
    PrivateFiles.forceNames(directory);
  }
}
