package io.forebay.storage;

import io.forebay.storage.disk.BlockFile;
import io.forebay.storage.disk.DeviceSettings;
import io.forebay.storage.disk.DiskTier;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Disks in memory that outlive the store, and fail as told. What was not forced is lost at a power
 * cut in any way a disk may lose it: sectors of one write apart from each other, later writes but
 * not earlier ones.
 */
final class SimulatedDisk implements DiskTier.Opener {
  private static final int SECTOR = 512;

  final AtomicInteger failReads = new AtomicInteger();
  final AtomicInteger failWrites = new AtomicInteger();
  final AtomicLong slowMillis = new AtomicLong();
  private final AtomicLong clock;
  private final SplittableRandom random;
  private final Map<String, Disk> disks = new HashMap<>();

  SimulatedDisk(AtomicLong clock, SplittableRandom random) {
    this.clock = clock;
    this.random = random;
  }

  @Override
  public BlockFile open(DeviceSettings device, Path file, long lengthBytes) {
    Disk disk = disks.computeIfAbsent(device.name(), name -> new Disk((int) lengthBytes));
    disk.isOpen = true;
    return disk;
  }

  /** The machine loses its power: of what was not forced, each sector is there or not. */
  void cutPower() {
    disks.values().forEach(Disk::cutPower);
  }

  /** Time passes, and the kernel brings to the disks what was written. */
  void writeBack() {
    disks.values().forEach(Disk::force);
  }

  /** Turns a byte of a disk over, at random. */
  void damage(String name) {
    Disk disk = disks.get(name);
    if (disk != null) {
      int at = 65_536 + random.nextInt(disk.bytes.length - 65_536);
      disk.bytes[at] ^= (byte) (1 + random.nextInt(255));
    }
  }

  private final class Disk implements BlockFile {
    private final byte[] bytes;
    private final List<Pending> pending = new ArrayList<>();
    private boolean isOpen;

    /** What a sector held before a write that was not forced. */
    @SuppressWarnings("ArrayRecordComponent")
    private record Pending(int at, byte[] before) {}

    Disk(int length) {
      bytes = new byte[length];
    }

    @Override
    public synchronized void read(ByteBuffer into, long at) throws IOException {
      check(failReads);
      if (at + into.remaining() > bytes.length) {
        throw new EOFException("the disk ends at " + bytes.length);
      }
      into.put(bytes, (int) at, into.remaining());
    }

    @Override
    public synchronized void write(ByteBuffer from, long at) throws IOException {
      check(failWrites);
      int to = (int) at;
      while (from.hasRemaining()) {
        int length = Math.min(from.remaining(), SECTOR - to % SECTOR);
        byte[] before = new byte[length];
        System.arraycopy(bytes, to, before, 0, length);
        pending.add(new Pending(to, before));
        from.get(bytes, to, length);
        to += length;
      }
    }

    private void check(AtomicInteger failures) throws IOException {
      if (!isOpen) {
        throw new IOException("closed");
      }
      clock.addAndGet(slowMillis.get());
      if (failures.get() > 0 && failures.getAndDecrement() > 0) {
        throw new IOException("Input/output error");
      }
    }

    @Override
    public synchronized void force() {
      pending.clear();
    }

    synchronized void cutPower() {
      for (Pending write : pending.reversed()) {
        if (random.nextInt(3) == 0) {
          System.arraycopy(write.before(), 0, bytes, write.at(), write.before().length);
        }
      }
      pending.clear();
    }

    @Override
    public long size() {
      return bytes.length;
    }

    @Override
    public void close() {
      isOpen = false;
    }
  }
}
