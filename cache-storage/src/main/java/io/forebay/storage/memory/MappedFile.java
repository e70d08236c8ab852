package io.forebay.storage.memory;

import io.forebay.storage.file.PrivateFiles;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Objects;

/**
 * A small file that is mapped whole and shared with other processes. Only this user can read it. A
 * file that is made has blocks for all of its bytes, since a store into a page for which a full
 * file system has no block ends the process with a signal.
 */
public final class MappedFile implements AutoCloseable {
  private static final int ZEROS = 1 << 16;

  private final Arena arena;
  private final MemorySegment memory;

  private MappedFile(Arena arena, MemorySegment memory) {
    this.arena = arena;
    this.memory = memory;
  }

  /**
   * Makes a file of zeros in place of whatever has the name.
   *
   * @throws NoSpaceException when the file system or the control group has no room; nothing is left
   */
  public static MappedFile create(Path file, long lengthBytes) throws IOException {
    Path directory = Objects.requireNonNull(file.toAbsolutePath().getParent());
    new Headroom().require(directory, lengthBytes, "the file " + file.getFileName());
    Path made = file.resolveSibling(file.getFileName() + ".new");
    long free = Files.getFileStore(directory).getUsableSpace();
    if (free < lengthBytes) {
      throw new NoSpaceException(
          file + " takes " + lengthBytes + " bytes, its file system has " + free + " free");
    }
    try (FileChannel channel = PrivateFiles.createNew(made)) {
      fill(channel, file, lengthBytes);
      MappedFile mapped = map(channel, MapMode.READ_WRITE, lengthBytes);
      try {
        Files.move(made, file, StandardCopyOption.ATOMIC_MOVE);
        return mapped;
      } catch (IOException e) {
        mapped.close();
        throw e;
      }
    } finally {
      Files.deleteIfExists(made);
    }
  }

  /** Maps a file that exists, with the length it has now, to read it. */
  public static MappedFile openToRead(Path file) throws IOException {
    try (FileChannel channel = PrivateFiles.openToRead(file)) {
      return map(channel, MapMode.READ_ONLY, channel.size());
    }
  }

  private static MappedFile map(FileChannel channel, MapMode mode, long lengthBytes)
      throws IOException {
    Arena arena = Arena.ofShared();
    try {
      return new MappedFile(arena, channel.map(mode, 0, lengthBytes, arena));
    } catch (IOException | RuntimeException e) {
      arena.close();
      throw e;
    }
  }

  private static void fill(FileChannel channel, Path file, long lengthBytes) throws IOException {
    ByteBuffer zeros = ByteBuffer.allocateDirect(ZEROS);
    long at = 0;
    try {
      while (at < lengthBytes) {
        zeros.clear().limit((int) Math.min(ZEROS, lengthBytes - at));
        at += channel.write(zeros, at);
      }
    } catch (IOException e) {
      throw new NoSpaceException(
          file
              + " cannot be written at "
              + at
              + " of "
              + lengthBytes
              + " bytes: "
              + e.getMessage());
    }
  }

  public MemorySegment memory() {
    return memory;
  }

  /** Unmaps it; no thread may use the memory any more. */
  @Override
  public void close() {
    arena.close();
  }
}
