package io.forebay.storage.checkpoint;

import io.forebay.storage.file.PrivateFiles;
import io.forebay.storage.index.DiskIndex;
import io.forebay.storage.index.IndexValue;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Reads the checkpoint of one disk. One thread's. */
public final class CheckpointReader implements AutoCloseable {
  private final FileChannel channel;
  private final CheckpointHeader header;

  /** Told of one copy after the other; the value is reused, and says nothing of scopes. */
  @FunctionalInterface
  public interface Visitor {
    void visit(long high, long low, IndexValue value);
  }

  private CheckpointReader(FileChannel channel, CheckpointHeader header) {
    this.channel = channel;
    this.header = header;
  }

  /** Opens a checkpoint; null if there is none, or if it is not of that state. */
  public static @Nullable CheckpointReader open(Path file, CheckpointStamp stamp)
      throws IOException {
    if (!PrivateFiles.check(file)) {
      return null;
    }
    FileChannel channel = PrivateFiles.openToRead(file);
    CheckpointReader opened = null;
    try {
      CheckpointHeader header =
          channel.size() < CheckpointHeader.LENGTH
              ? null
              : CheckpointHeader.read(read(channel, 0, CheckpointHeader.LENGTH));
      if (header != null
          && header.stamp().equals(stamp)
          && header.length() == channel.size()
          && header.regionsAt() >= CheckpointHeader.LENGTH
          && header.stripesAt() - header.regionsAt() >= 0
          && header.stripesAt() - header.regionsAt() <= Integer.MAX_VALUE
          && header.directoryAt() >= header.stripesAt()
          && header.length() - header.directoryAt()
              == ((long) CheckpointHeader.STRIPE_ENTRY) << header.stripeBits()) {
        opened = new CheckpointReader(channel, header);
      }
      return opened;
    } finally {
      if (opened == null) {
        channel.close();
      }
    }
  }

  private static ByteBuffer read(FileChannel channel, long at, int length) throws IOException {
    ByteBuffer into = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    read(channel, at, into);
    return into.flip();
  }

  private static void read(FileChannel channel, long at, ByteBuffer into) throws IOException {
    long from = at;
    while (into.hasRemaining()) {
      int read = channel.read(into, from);
      if (read < 0) {
        throw new EOFException("the file ends at " + from);
      }
      from += read;
    }
  }

  public long bytes() {
    return header.length();
  }

  /** States of the regions; null if they are damaged. */
  public @Nullable ByteBuffer regions() throws IOException {
    ByteBuffer regions =
        read(channel, header.regionsAt(), (int) (header.stripesAt() - header.regionsAt()));
    return CheckpointHeader.crc(regions.duplicate()) == header.regionsCrc() ? regions : null;
  }

  /**
   * Fills an empty table, on all CPUs. What is damaged is left out.
   *
   * @param threads makes the threads
   * @return how many stripes are damaged; -1 if the table has another shape and got nothing
   */
  public int fill(DiskIndex table, ThreadFactory threads) throws IOException {
    ByteBuffer directory =
        read(channel, header.directoryAt(), (int) (header.length() - header.directoryAt()));
    if (header.stripeBits() != table.stripeBits()
        || CheckpointHeader.crc(directory.duplicate()) != header.directoryCrc()) {
      return -1;
    }
    int stripes = table.stripes();
    long[] begins = new long[stripes + 1];
    begins[0] = header.stripesAt();
    long slots = 0;
    for (int stripe = 0; stripe < stripes; stripe++) {
      int noted = directory.getInt(stripe * CheckpointHeader.STRIPE_ENTRY);
      begins[stripe + 1] = begins[stripe] + DiskIndex.bytesOf(noted);
      slots += DiskIndex.slotsOf(noted);
      if (!table.hasRoomFor(noted)) {
        return -1;
      }
    }
    if (begins[stripes] != header.directoryAt() || slots > table.capacity()) {
      return -1;
    }
    AtomicInteger next = new AtomicInteger();
    AtomicInteger damaged = new AtomicInteger();
    int cpus = Math.min(stripes, Runtime.getRuntime().availableProcessors());
    List<Future<?>> parts = new ArrayList<>();
    try (ExecutorService pool = Executors.newFixedThreadPool(cpus, threads)) {
      for (int n = 0; n < cpus; n++) {
        parts.add(
            pool.submit(() -> {
              fill(table, directory, begins, next, damaged);
              return null;
            }));
      }
      for (Future<?> part : parts) {
        Object ignored = part.get();
      }
    } catch (ExecutionException e) {
      throw new IOException("the checkpoint cannot be read: " + e.getCause(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
    return damaged.get();
  }

  private void fill(
      DiskIndex table,
      ByteBuffer directory,
      long[] begins,
      AtomicInteger next,
      AtomicInteger damaged)
      throws IOException {
    ByteBuffer bytes = ByteBuffer.allocateDirect(table.maxStripeBytes());
    int stripe;
    while ((stripe = next.getAndIncrement()) < table.stripes()) {
      int entry = stripe * CheckpointHeader.STRIPE_ENTRY;
      read(
          channel,
          begins[stripe],
          bytes.clear().limit((int) (begins[stripe + 1] - begins[stripe])));
      bytes.flip();
      if (CheckpointHeader.crc(bytes.duplicate()) == directory.getInt(entry + Integer.BYTES)) {
        table.fill(stripe, directory.getInt(entry), bytes);
      } else {
        damaged.incrementAndGet();
      }
    }
  }

  /**
   * Visits the records that memory had, too.
   *
   * @param device the disk's number
   * @return false if some are damaged and were left out
   */
  public boolean forEachCopy(int device, Visitor visitor) throws IOException {
    ByteBuffer block = ByteBuffer.allocate(CheckpointHeader.BLOCK).order(ByteOrder.LITTLE_ENDIAN);
    IndexValue value = new IndexValue();
    long at = CheckpointHeader.LENGTH;
    long visited = 0;
    for (int n = 0; n < header.blocks(); n++) {
      int length = (int) Math.min(CheckpointHeader.BLOCK, header.regionsAt() - at);
      if (length < CheckpointHeader.BLOCK_HEADER) {
        return false;
      }
      read(channel, at, block.clear().limit(length));
      int count = block.getInt(0);
      int end = CheckpointHeader.BLOCK_HEADER + count * CheckpointHeader.COPY;
      if (count <= 0
          || count > CheckpointHeader.BLOCK_COPIES
          || end > length
          || block.getInt(Integer.BYTES)
              != CheckpointHeader.crc(
                  block.slice(
                      CheckpointHeader.BLOCK_HEADER, end - CheckpointHeader.BLOCK_HEADER))) {
        return false;
      }
      block.clear().position(CheckpointHeader.BLOCK_HEADER);
      for (int copy = 0; copy < count; copy++) {
        visit(device, block, value, visitor);
      }
      visited += count;
      at += end;
    }
    return visited == header.copies();
  }

  private static void visit(int device, ByteBuffer block, IndexValue value, Visitor visitor) {
    long high = block.getLong();
    long low = block.getLong();
    long birth = block.getLong();
    long object = block.getLong();
    int region = block.getInt();
    int generation = block.getInt();
    int offset = block.getInt();
    int length = block.getInt();
    int expires = block.getInt();
    byte kind = block.get();
    boolean isTouched = block.get() != 0;
    int ignored = block.getShort();
    value.leaveMemory();
    value.identity(kind, birth, object);
    value.fate(expires, 0, 0);
    value.disk(device, region, generation, offset, length);
    if (isTouched) {
      value.touchDisk();
    }
    visitor.visit(high, low, value);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
