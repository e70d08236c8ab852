package io.forebay.storage;

import io.forebay.storage.disk.BlockFile;
import io.forebay.storage.disk.DeviceSettings;
import io.forebay.storage.disk.DiskTier;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Disks in memory that outlive the store, and fail as told. What was not forced is lost at a power
 * cut in any way a disk may lose it: sectors of one write apart from each other, later writes but
 * not earlier ones. What was written before a force that failed can be read, but is never certain
 * to last, whatever later forces say, until it is written again: so do kernels treat it.
 */
final class SimulatedDisk implements DiskTier.Opener {
  private static final int SECTOR = 512;

  /** Before that a file says what it is. */
  static final int RECORDS_AT = 65_536;

  final AtomicInteger failReads = new AtomicInteger();
  final AtomicInteger failLongReads = new AtomicInteger();
  final AtomicInteger failWrites = new AtomicInteger();
  final AtomicInteger failForces = new AtomicInteger();
  final AtomicLong slowMillis = new AtomicLong();

  /** How often something behind the header pages was read. */
  final AtomicInteger reads = new AtomicInteger();

  /** Run once, by the next read that is at least so long, after it has its bytes. */
  private volatile @Nullable Runnable behindRead;

  private volatile int behindReadOf;
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

  /** Where the last read, or write, behind the header pages of a disk began. */
  long lastReadAt(String name) {
    return Objects.requireNonNull(disks.get(name)).lastReadAt;
  }

  long lastWriteAt(String name) {
    return Objects.requireNonNull(disks.get(name)).lastWriteAt;
  }

  /** Has something happen between a read and what is done with the bytes it brought. */
  void behindRead(int leastBytes, Runnable event) {
    behindReadOf = leastBytes;
    behindRead = event;
  }

  boolean hasHappened() {
    return behindRead == null;
  }

  /** The machine loses its power: of what was not forced, each sector is there or not. */
  void cutPower() {
    disks.values().forEach(Disk::cutPower);
  }

  /** Time passes, and the kernel brings to the disks what was written. */
  void writeBack() {
    disks.values().forEach(Disk::reachTheMedium);
  }

  /** What a disk holds, to be looked at and changed while no store is at work on it. */
  ByteBuffer bytes(String name) {
    return ByteBuffer.wrap(Objects.requireNonNull(disks.get(name)).bytes)
        .order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Turns a byte of a disk over, at random, where a region of that length has its records. */
  void damage(String name, int regionBytes) {
    Disk disk = disks.get(name);
    if (disk != null) {
      int region = random.nextInt((disk.bytes.length - RECORDS_AT) / regionBytes);
      int at = RECORDS_AT + region * regionBytes + random.nextInt(regionBytes / 2);
      disk.bytes[at] ^= (byte) (1 + random.nextInt(255));
    }
  }

  /** Turns every byte of a disk's records over. */
  void damageAll(String name) {
    byte[] bytes = Objects.requireNonNull(disks.get(name)).bytes;
    for (int at = RECORDS_AT; at < bytes.length; at++) {
      bytes[at] ^= (byte) 0xFF;
    }
  }

  /** How often something was trimmed. */
  final AtomicInteger trims = new AtomicInteger();

  private final class Disk implements BlockFile {
    private final byte[] bytes;
    private final List<Pending> pending = new ArrayList<>();
    private final List<Pending> orphans = new ArrayList<>();
    private boolean isOpen;
    private volatile long lastReadAt = RECORDS_AT;
    private volatile long lastWriteAt = RECORDS_AT;

    /** What a sector held before a write that was not forced. */
    @SuppressWarnings("ArrayRecordComponent")
    private record Pending(int at, byte[] before) {}

    Disk(int length) {
      bytes = new byte[length];
    }

    @Override
    public void read(ByteBuffer into, long at) throws IOException {
      int length = into.remaining();
      synchronized (this) {
        check(failReads);
        if (at >= RECORDS_AT) {
          lastReadAt = at;
          reads.incrementAndGet();
        }
        if (length > 4096) {
          check(failLongReads);
        }
        if (at + length > bytes.length) {
          throw new EOFException("the disk ends at " + bytes.length);
        }
        into.put(bytes, (int) at, length);
      }
      happen(length);
    }

    private void happen(int length) {
      Runnable event = behindRead;
      if (event != null && length >= behindReadOf) {
        behindRead = null;
        event.run();
      }
    }

    @Override
    public boolean mayReadCached() {
      return isOpen;
    }

    /** What fails has to be read by somebody who can say so. */
    @Override
    public boolean readCached(MemorySegment into, long at) {
      synchronized (this) {
        boolean isThere =
            isOpen
                && failReads.get() == 0
                && failLongReads.get() == 0
                && slowMillis.get() == 0
                && at + into.byteSize() <= bytes.length;
        if (!isThere) {
          return false;
        }
        MemorySegment.copy(bytes, (int) at, into, ValueLayout.JAVA_BYTE, 0, (int) into.byteSize());
      }
      happen((int) into.byteSize());
      return true;
    }

    @Override
    public synchronized void write(ByteBuffer from, long at) throws IOException {
      check(failWrites);
      lastWriteAt = at < RECORDS_AT ? lastWriteAt : at;
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

    /** Like a write of zeros: it lasts or not. */
    @Override
    public boolean trim(long at, long length) throws IOException {
      trims.incrementAndGet();
      write(ByteBuffer.allocate((int) length), at);
      return true;
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
    public synchronized void force() throws IOException {
      try {
        check(failForces);
      } catch (IOException e) {
        orphans.addAll(pending);
        pending.clear();
        throw e;
      }
      reachTheMedium();
    }

    synchronized void reachTheMedium() {
      Set<Integer> durable = new HashSet<>();
      pending.forEach(write -> durable.add(write.at() / SECTOR));
      orphans.removeIf(write -> durable.contains(write.at() / SECTOR));
      pending.clear();
    }

    synchronized void cutPower() {
      List<Pending> uncertain = new ArrayList<>(orphans);
      uncertain.addAll(pending);
      for (Pending write : uncertain.reversed()) {
        if (random.nextInt(3) == 0) {
          System.arraycopy(write.before(), 0, bytes, write.at(), write.before().length);
        }
      }
      pending.clear();
      orphans.clear();
    }

    @Override
    public void close() {
      isOpen = false;
    }
  }
}
