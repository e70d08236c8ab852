package io.forebay.server.logsink;

import io.forebay.server.config.LogConfig;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file that is appended to. Where it rotates, it is renamed before a write that would make it too
 * large, or that is the first one of another period; so every line is whole and in one file.
 *
 * <pre>
 *   access.json ──rename──▶ access.json.20260304T050607Z ──RotatedFiles──▶ access.json.20260304T050607Z.gz
 *   access.json (new) ◀── lines
 * </pre>
 */
final class FileOutput implements LogOutput {
  private static final Logger LOG = LoggerFactory.getLogger(FileOutput.class);

  /** After a rotation that failed. */
  private static final long RETRY_MILLIS = 60_000;

  private final Path path;
  private final LogConfig.Rotation rotation;
  private final LogOutputs.Opener opener;
  private final LongSupplier clockMillis;
  private final @Nullable RotatedFiles old;
  private FileChannel channel;
  private long length;

  /** The period that the file is of: its number since 1970. */
  private long period;

  private long retryMillis = Long.MIN_VALUE;

  private FileOutput(
      Path path,
      LogConfig.Rotation rotation,
      LogOutputs.Opener opener,
      LongSupplier clockMillis,
      FileChannel channel)
      throws IOException {
    this.path = path;
    this.rotation = rotation;
    this.opener = opener;
    this.clockMillis = clockMillis;
    this.channel = channel;
    length = channel.size();
    old =
        rotation.isOn()
            ? new RotatedFiles(path.toAbsolutePath(), rotation.keep(), rotation.compress())
            : null;
    // What an earlier process wrote belongs to the time of its last line.
    period = period(length == 0 ? now() : Files.getLastModifiedTime(path).toMillis());
    if (old != null) {
      old.tidy();
    }
  }

  static FileOutput open(
      Path path, LogConfig.Rotation rotation, LogOutputs.Opener opener, LongSupplier clockMillis)
      throws IOException {
    FileChannel channel = opener.open(path);
    try {
      return new FileOutput(path, rotation, opener, clockMillis, channel);
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  @Override
  public boolean write(ByteBuffer lines) throws IOException {
    if (old != null && isDue(lines.remaining())) {
      rotate(old);
    }
    while (lines.hasRemaining()) {
      length += channel.write(lines);
    }
    return true;
  }

  private boolean isDue(int more) {
    long now = now();
    if (length == 0) {
      period = period(now);
      return false;
    }
    boolean isDue =
        (rotation.size() > 0 && length + more > rotation.size()) || period(now) != period;
    return isDue && now >= retryMillis;
  }

  private long period(long millis) {
    return rotation.every().isPositive() ? Math.floorDiv(millis, rotation.every().toMillis()) : 0;
  }

  private long now() {
    return clockMillis.getAsLong();
  }

  private void rotate(RotatedFiles into) {
    try {
      try {
        into.take(now());
      } catch (NoSuchFileException e) {
        // Somebody else has moved it: a new one begins all the same.
        LOG.debug("{} was moved by somebody else", path);
      }
      reopen();
      into.tidy();
    } catch (IOException e) {
      retryMillis = now() + RETRY_MILLIS;
      LOG.warn("{} cannot be rotated, it goes on to be written: {}", path, e.toString());
    }
  }

  @Override
  public void reopen() throws IOException {
    FileChannel next = opener.open(path);
    try {
      length = next.size();
    } catch (IOException e) {
      next.close();
      throw e;
    }
    channel.close();
    channel = next;
    period = period(now());
  }

  @Override
  public void close() throws IOException {
    if (old != null) {
      old.close();
    }
    channel.close();
  }
}
