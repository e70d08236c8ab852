package io.forebay.lab.target;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;

/** A log with a line for each miss, which has the bytes of the origin's body; read as it grows. */
final class MissLog {
  private static final int BUFFER = 1 << 16;

  private final Path file;
  private long position;
  private long count;
  private long bytes;
  private long number;

  /** So far. */
  record Misses(long count, long bytes) {}

  MissLog(Path file) {
    this.file = file;
  }

  /** Reads what is new. A miss counts at the end of its line. */
  synchronized Misses read() throws IOException {
    if (Files.exists(file)) {
      try (RandomAccessFile input = new RandomAccessFile(file.toFile(), "r")) {
        input.seek(position);
        byte[] buffer = new byte[BUFFER];
        for (int length = input.read(buffer); length > 0; length = input.read(buffer)) {
          take(buffer, length);
          position += length;
        }
      }
    }
    return new Misses(count, bytes);
  }

  /** A line may have several numbers, one for each server that was asked, or {@code -}. */
  private void take(byte[] buffer, int length) {
    for (int i = 0; i < length; i++) {
      byte next = buffer[i];
      if (next >= '0' && next <= '9') {
        number = number * 10 + (next - '0');
      } else {
        bytes += number;
        number = 0;
        count += next == '\n' ? 1 : 0;
      }
    }
  }
}
