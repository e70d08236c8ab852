package io.forebay.storage.index;

import io.forebay.storage.file.PrivateFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import java.util.zip.CRC32C;

/**
 * Computes the checksum of a closed index file. An index is opened only if its file is unchanged
 * since the last clean stop, because a damaged map may throw or loop.
 *
 * <p>Each segment of the file has a CRC32C, computed by as many threads as there are CPUs, and the
 * seal is made of these and their number. The file is read, not mapped: in a tmpfs a mapped page
 * that was never written becomes a real one when it is looked at.
 */
public final class IndexChecksum {
  /** Of a file that can't have been written by a map: nothing. */
  public static final long NONE = 0;

  static final int SEGMENT_BYTES = 64 << 20;

  private static final int READ_BYTES = 1 << 20;

  private IndexChecksum() {}

  /** Reads the whole file: not for event loops. */
  public static long of(Path file, ThreadFactory threads) throws IOException {
    try (FileChannel channel = PrivateFiles.openToRead(file)) {
      long size = channel.size();
      List<Future<Integer>> parts = new ArrayList<>();
      CRC32C whole = new CRC32C();
      int cpus = Runtime.getRuntime().availableProcessors();
      try (ExecutorService pool = Executors.newFixedThreadPool(cpus, threads)) {
        for (long at = 0; at < size; at += SEGMENT_BYTES) {
          long from = at;
          parts.add(
              pool.submit(() -> segment(channel, from, Math.min(size, from + SEGMENT_BYTES))));
        }
        ByteBuffer word = ByteBuffer.allocate(Long.BYTES);
        whole.update(word.putLong(0, size).rewind());
        for (Future<Integer> part : parts) {
          whole.update(word.clear().putInt(part.get()).flip());
        }
      } catch (ExecutionException e) {
        throw new IOException(file + " cannot be read: " + e.getCause(), e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted", e);
      }
      return (parts.size() & 0xFFFF_FFFFL) << 32 | whole.getValue();
    }
  }

  private static int segment(FileChannel channel, long from, long to) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocateDirect((int) Math.min(READ_BYTES, to - from));
    CRC32C crc = new CRC32C();
    for (long at = from; at < to; ) {
      int read = channel.read(buffer.clear().limit((int) Math.min(READ_BYTES, to - at)), at);
      if (read <= 0) {
        throw new IOException("truncated at " + at);
      }
      crc.update(buffer.flip());
      at += read;
    }
    return (int) crc.getValue();
  }
}
