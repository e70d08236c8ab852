package io.forebay.storage.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Objects;

/** What a file takes of its file system, which Java does not tell. */
public final class Blocks {
  private Blocks() {}

  /** In bytes. */
  public static long of(Path file) throws Exception {
    Process stat =
        new ProcessBuilder("stat", "--format=%b", file.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String blocks = new String(stat.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    assertEquals(0, stat.waitFor());
    return Long.parseLong(blocks.strip()) * 512;
  }

  /** Gives a part of a file back that no process has mapped. */
  public static void punch(Path file, long from, long lengthBytes) throws IOException {
    try (FileBlocks blocks = FileBlocks.open(file, FileBlocks.key(file))) {
      Objects.requireNonNull(blocks).release(from, lengthBytes);
    }
  }

  /** Whether a part of a file lacks blocks. */
  public static boolean areMissing(Path file, long from, long lengthBytes) {
    try (FileBlocks blocks = FileBlocks.openToRead(file, FileBlocks.key(file))) {
      return Objects.requireNonNull(blocks).hasHole(from, lengthBytes);
    }
  }
}
