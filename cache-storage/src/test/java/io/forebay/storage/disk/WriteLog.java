package io.forebay.storage.disk;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Opens files and keeps a log of what is written to the one of a device, and where it was forced:
 * from it the file is made again as a power cut may leave it between two forces.
 */
public final class WriteLog implements DiskTier.Opener {
  private static final int SECTOR = 512;

  private final Runnable onForce;
  private final List<Write> writes = new ArrayList<>();
  private final List<Integer> forces = new ArrayList<>();
  private long length;

  /** Bytes that were written at a place, which is a multiple of sectors. */
  @SuppressWarnings("ArrayRecordComponent")
  private record Write(long at, byte[] bytes) {}

  /**
   * @param onForce told after each force
   */
  public WriteLog(Runnable onForce) {
    this.onForce = onForce;
  }

  @Override
  public BlockFile open(DeviceSettings device, Path file, long lengthBytes) throws IOException {
    length = lengthBytes;
    return new Logged(DiskTier.Opener.files().open(device, file, lengthBytes));
  }

  public int forces() {
    return forces.size();
  }

  /**
   * Makes the file as a power cut after a force may leave it: all that was written before that
   * force, and of each sector that was written since, up to the next force, an older or a newer
   * state.
   */
  public void replay(int force, Path file, SplittableRandom random) throws IOException {
    int certain = forces.get(force);
    int end = force + 1 < forces.size() ? forces.get(force + 1) : writes.size();
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      ByteBuffer zeros = ByteBuffer.allocate(1 << 20);
      for (long at = 0; at < length; ) {
        at += channel.write(zeros.clear().limit((int) Math.min(1 << 20, length - at)), at);
      }
      for (int n = 0; n < end; n++) {
        Write write = writes.get(n);
        if (n < certain) {
          write(channel, write.bytes(), 0, write.bytes().length, write.at());
          continue;
        }
        for (int from = 0; from < write.bytes().length; from += SECTOR) {
          if (random.nextBoolean()) {
            write(channel, write.bytes(), from, SECTOR, write.at() + from);
          }
        }
      }
      channel.force(true);
    }
  }

  private static void write(FileChannel channel, byte[] bytes, int from, int count, long at)
      throws IOException {
    ByteBuffer buffer = ByteBuffer.wrap(bytes, from, count);
    long to = at;
    while (buffer.hasRemaining()) {
      to += channel.write(buffer, to);
    }
  }

  private final class Logged implements BlockFile {
    private final BlockFile file;

    Logged(BlockFile file) {
      this.file = file;
    }

    @Override
    public void read(ByteBuffer into, long at) throws IOException {
      file.read(into, at);
    }

    @Override
    public boolean mayReadCached() {
      return file.mayReadCached();
    }

    @Override
    public boolean readCached(MemorySegment into, long at) {
      return file.readCached(into, at);
    }

    @Override
    public void write(ByteBuffer from, long at) throws IOException {
      byte[] bytes = new byte[from.remaining()];
      from.duplicate().get(bytes);
      writes.add(new Write(at, bytes));
      file.write(from, at);
    }

    @Override
    public boolean trim(long at, long count) throws IOException {
      writes.add(new Write(at, new byte[(int) count]));
      return file.trim(at, count);
    }

    @Override
    public void force() throws IOException {
      file.force();
      forces.add(writes.size());
      onForce.run();
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
