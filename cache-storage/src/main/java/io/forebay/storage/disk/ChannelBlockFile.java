package io.forebay.storage.disk;

import io.forebay.storage.file.PrivateFiles;
import io.forebay.storage.layout.DeviceHeader;
import io.forebay.storage.layout.WriteHistoryPage;
import io.forebay.storage.memory.FileTrim;
import io.forebay.storage.memory.ForeignFileException;
import io.forebay.storage.memory.NoSpaceException;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** A file, with real blocks from end to end. */
final class ChannelBlockFile implements BlockFile {
  private static final int ZEROS = 1 << 20;
  private static final long HISTORY_AT = (long) WriteHistoryPage.FIRST * DeviceHeader.PAGE;

  private final FileChannel channel;

  private final CachedReads cached;
  private final LazyTrim trims;

  private ChannelBlockFile(FileChannel channel, CachedReads cached, LazyTrim trims) {
    this.channel = channel;
    this.cached = cached;
    this.trims = trims;
  }

  /**
   * Opens a file of that length; one of another length, or none, is made anew. How much was written
   * to it stays known.
   */
  static ChannelBlockFile open(Path file, long lengthBytes) throws IOException {
    boolean exists = PrivateFiles.exists(file);
    FileChannel channel = PrivateFiles.openOrCreate(file);
    boolean done = false;
    try {
      if (exists) {
        refuseForeign(channel, file);
      }
      if (channel.size() != lengthBytes) {
        ByteBuffer history = history(channel);
        channel.truncate(0);
        fill(channel, file, lengthBytes);
        long at = HISTORY_AT;
        while (history.hasRemaining()) {
          at += channel.write(history, at);
        }
      }
      done = true;
      return new ChannelBlockFile(channel, CachedReads.open(file), new LazyTrim(file));
    } finally {
      if (!done) {
        channel.close();
        if (!exists) {
          Files.deleteIfExists(file);
        }
      }
    }
  }

  /** The pages of the file's header with the history of its writes; empty if there are none. */
  private static ByteBuffer history(FileChannel channel) throws IOException {
    ByteBuffer pages = ByteBuffer.allocate(WriteHistoryPage.COPIES * DeviceHeader.PAGE);
    while (pages.hasRemaining() && channel.read(pages, HISTORY_AT + pages.position()) > 0) {
      Thread.onSpinWait();
    }
    return pages.hasRemaining() ? ByteBuffer.allocate(0) : pages.flip();
  }

  private static void refuseForeign(FileChannel channel, Path file) throws IOException {
    ByteBuffer start = ByteBuffer.allocate(DeviceHeader.PAGE).order(ByteOrder.LITTLE_ENDIAN);
    if (channel.read(start, 0) >= Long.BYTES) {
      long magic = start.getLong(DeviceHeader.MAGIC_OFFSET);
      if (magic != 0 && magic != DeviceHeader.MAGIC && !DeviceHeaderPages.isOtherwiseWhole(start)) {
        throw new ForeignFileException(
            file + " is not a Forebay disk store: move it away or name another directory");
      }
    }
  }

  private static void fill(FileChannel channel, Path file, long lengthBytes) throws IOException {
    long free = Files.getFileStore(file).getUsableSpace();
    if (free < lengthBytes) {
      throw new NoSpaceException(
          String.format(
              Locale.ROOT,
              "%s has %d MiB free and the disk store needs %d MiB: free some space or reduce its"
                  + " size",
              file.toAbsolutePath().getParent(),
              free >> 20,
              lengthBytes >> 20));
    }
    ByteBuffer zeros = ByteBuffer.allocateDirect(ZEROS);
    long at = 0;
    try {
      while (at < lengthBytes) {
        zeros.clear().limit((int) Math.min(ZEROS, lengthBytes - at));
        at += channel.write(zeros, at);
      }
    } catch (IOException e) {
      channel.truncate(0);
      throw new NoSpaceException(
          String.format(
              Locale.ROOT,
              "%s: writing %d MiB failed at %d MiB (%s): free some space or reduce its size",
              file,
              lengthBytes >> 20,
              at >> 20,
              e.getMessage()));
    }
  }

  @Override
  public void read(ByteBuffer into, long at) throws IOException {
    long from = at;
    while (into.hasRemaining()) {
      int length = channel.read(into, from);
      if (length < 0) {
        throw new EOFException("the file ends at " + from);
      }
      from += length;
    }
  }

  @Override
  public boolean mayReadCached() {
    return cached.isAvailable();
  }

  @Override
  public boolean readCached(MemorySegment into, long at) {
    return cached.read(into, at);
  }

  @Override
  public void write(ByteBuffer from, long at) throws IOException {
    long to = at;
    while (from.hasRemaining()) {
      to += channel.write(from, to);
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
    cached.close();
    channel.close();
  }
}
