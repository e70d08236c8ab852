package io.forebay.storage.memory;

import io.forebay.storage.file.PrivateFiles;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Memory of a table that grows: a mapped file whose blocks are allocated as they are first written,
 * or memory of this process. Any thread; one closes it.
 */
public final class TableMemory implements AutoCloseable {
  /** A cache line. */
  private static final long ALIGNMENT = 64;

  private final Arena arena = Arena.ofShared();
  private final @Nullable FileChannel channel;
  private final MemorySegment mapped;

  private TableMemory(@Nullable FileChannel channel, long bytes) throws IOException {
    this.channel = channel;
    this.mapped =
        channel == null
            ? MemorySegment.NULL
            : channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes, arena);
  }

  /** Makes a file of zeros that takes no blocks yet. */
  public static TableMemory create(Path file, long bytes) throws IOException {
    FileChannel channel = PrivateFiles.createNew(file);
    boolean done = false;
    try {
      int ignored = channel.write(ByteBuffer.allocate(1), bytes - 1);
      TableMemory made = new TableMemory(channel, bytes);
      done = true;
      return made;
    } finally {
      if (!done) {
        channel.close();
      }
    }
  }

  /** Maps a file as it is. */
  public static TableMemory open(Path file) throws IOException {
    FileChannel channel = PrivateFiles.open(file);
    boolean done = false;
    try {
      TableMemory opened = new TableMemory(channel, channel.size());
      done = true;
      return opened;
    } finally {
      if (!done) {
        channel.close();
      }
    }
  }

  /** Memory of this process, allocated by parts. */
  public static TableMemory anonymous() throws IOException {
    return new TableMemory(null, 0);
  }

  /** A part: of the file where there is one, else newly allocated zeros. */
  public MemorySegment part(long from, long bytes) {
    return channel == null ? arena.allocate(bytes, ALIGNMENT) : mapped.asSlice(from, bytes);
  }

  /** Length of the file; 0 without one. */
  public long bytes() {
    return mapped.byteSize();
  }

  /**
   * Whether the file is still as long as what is mapped of it: a page beyond its end is a fault.
   */
  public boolean isWhole() throws IOException {
    return channel == null || channel.size() >= mapped.byteSize();
  }

  @Override
  public void close() throws IOException {
    arena.close();
    if (channel != null) {
      channel.close();
    }
  }
}
