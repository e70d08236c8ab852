package io.forebay.storage.memory;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Tells the device under a file that parts of the file hold nothing: they are punched out of it,
 * and their blocks are reserved again, so that the file never lacks room. What was there reads as
 * zeros. One thread at a time.
 */
public final class FileTrim implements AutoCloseable {
  private final FileBlocks blocks;

  private FileTrim(FileBlocks blocks) {
    this.blocks = blocks;
  }

  /** Of a file that is there; null where the system has no such function. */
  public static @Nullable FileTrim open(Path file) {
    FileBlocks blocks = FileBlocks.open(file, FileBlocks.key(file));
    return blocks == null ? null : new FileTrim(blocks);
  }

  public void trim(long from, long lengthBytes) throws IOException {
    blocks.release(from, lengthBytes);
    blocks.allocate(from, lengthBytes);
  }

  @Override
  public void close() {
    blocks.close();
  }
}
