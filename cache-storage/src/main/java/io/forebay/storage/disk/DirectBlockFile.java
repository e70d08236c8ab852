package io.forebay.storage.disk;

import io.forebay.storage.memory.FileTrim;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A file past the page cache ({@code O_DIRECT}). The kernel wants whole blocks at aligned
 * addresses, so everything goes through an aligned buffer: one for each thread that is at it at the
 * same time.
 */
final class DirectBlockFile implements BlockFile {
  private static final int BLOCK = 4096;

  /** A record of the greatest length, wherever it begins. */
  private static final int BUFFER_BYTES = DeviceSettings.MAX_RECORD + 2 * BLOCK;

  private final FileChannel channel;
  private final LazyTrim trims;
  private final ConcurrentLinkedQueue<ByteBuffer> spare = new ConcurrentLinkedQueue<>();

  private DirectBlockFile(FileChannel channel, LazyTrim trims) {
    this.channel = channel;
    this.trims = trims;
  }

  /** Opens a file that is there, with its length. */
  static DirectBlockFile open(Path file) throws IOException {
    long block = Files.getFileStore(file).getBlockSize();
    if (BLOCK % block != 0) {
      throw new IOException("blocks of " + block + " bytes");
    }
    return new DirectBlockFile(
        FileChannel.open(
            file,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE,
            LinkOption.NOFOLLOW_LINKS,
            directOption()),
        new LazyTrim(file));
  }

  /** By its name: the compiler warns of it, for it is the platform's own and no standard. */
  private static OpenOption directOption() throws IOException {
    try {
      Class<?> options = Class.forName("com.sun.nio.file.ExtendedOpenOption");
      for (Object option : Objects.requireNonNull(options.getEnumConstants())) {
        if (option instanceof OpenOption direct && option.toString().equals("DIRECT")) {
          return direct;
        }
      }
    } catch (ClassNotFoundException e) {
      throw new IOException("this Java has no direct I/O", e);
    }
    throw new IOException("this Java has no direct I/O");
  }

  private ByteBuffer take() {
    ByteBuffer buffer = spare.poll();
    return buffer == null
        ? ByteBuffer.allocateDirect(BUFFER_BYTES + BLOCK).alignedSlice(BLOCK)
        : buffer;
  }

  @Override
  public void read(ByteBuffer into, long at) throws IOException {
    ByteBuffer buffer = take();
    try {
      while (into.hasRemaining()) {
        int skip = (int) (at % BLOCK);
        int length = Math.min(into.remaining(), BUFFER_BYTES - BLOCK);
        int whole = (skip + length + BLOCK - 1) & -BLOCK;
        buffer.clear().limit(whole);
        readBlocks(buffer, skip + length, at - skip);
        into.put(buffer.clear().slice(skip, length));
        at += length;
      }
    } finally {
      spare.add(buffer);
    }
  }

  /** Without a copy: the whole blocks around the bytes go straight into the room. */
  @Override
  public int readWithin(ByteBuffer room, int length, long at) throws IOException {
    int skip = (int) (at % BLOCK);
    int whole = (skip + length + BLOCK - 1) & -BLOCK;
    readBlocks(room.clear().limit(whole), skip + length, at - skip);
    return skip;
  }

  /** Reads whole blocks, until at least so many bytes are there. */
  private void readBlocks(ByteBuffer blocks, int least, long at) throws IOException {
    while (blocks.position() < least) {
      int read = channel.read(blocks, at + blocks.position());
      if (read <= 0 || read % BLOCK != 0) {
        throw new EOFException("the file ends at " + (at + blocks.position()));
      }
    }
  }

  /** Whole blocks only: all that a device writes is. */
  @Override
  public void write(ByteBuffer from, long at) throws IOException {
    if (at % BLOCK != 0 || from.remaining() % BLOCK != 0) {
      throw new IllegalArgumentException(from.remaining() + " bytes at " + at);
    }
    ByteBuffer buffer = take();
    try {
      while (from.hasRemaining()) {
        int length = Math.min(from.remaining(), BUFFER_BYTES);
        buffer.clear().put(from.slice(from.position(), length)).flip();
        while (buffer.hasRemaining()) {
          at += channel.write(buffer, at);
        }
        from.position(from.position() + length);
      }
    } finally {
      spare.add(buffer);
    }
  }

  @Override
  public boolean trim(long at, long length) throws IOException {
    FileTrim trim = trims.get();
    if (trim == null) {
      return false;
    }
    trim.trim(at, length);
    return true;
  }

  @Override
  public void force() throws IOException {
    channel.force(false);
  }

  @Override
  public void close() throws IOException {
    trims.close();
    channel.close();
  }
}
