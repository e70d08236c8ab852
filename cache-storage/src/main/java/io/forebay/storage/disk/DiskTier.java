package io.forebay.storage.disk;

import io.forebay.storage.index.IndexValue;
import io.forebay.storage.index.ObjectIndex;
import io.forebay.storage.layout.DeviceHeader;
import io.forebay.storage.layout.Words;
import io.forebay.storage.purge.Purges;
import io.forebay.storage.recover.OwnerLock;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The devices of a store, and which of them an object is for: rendezvous hashing over those that
 * are online, weighted by size, so that a device that comes or goes moves only its share.
 */
public final class DiskTier implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DiskTier.class);

  private static final String FILE = "disk.store";
  private static final long FLUSH_MILLIS = 5_000;
  private static final long WAIT_MILLIS = 100;
  private static final long JOIN_MILLIS = 30_000;

  private final List<Device> devices;
  private final List<Workers> workers;
  private final List<OwnerLock> locks;
  private final @Nullable ByteBuffer stepBuffer;
  private long flushedMillis;

  /** Reads and writes through something else than a file: for tests of faults. */
  @FunctionalInterface
  public interface Opener {
    BlockFile open(DeviceSettings device, Path file, long lengthBytes) throws IOException;

    /** A file with real blocks. */
    static Opener files() {
      return (device, file, lengthBytes) -> ChannelBlockFile.open(file, lengthBytes);
    }
  }

  /** What devices need of the store they belong to. */
  public record Host(
      ObjectIndex index, Purges purges, Promoter promoter, LongSupplier clockMillis) {}

  /** The threads of one device: one writes, the others read. */
  private static final class Workers {
    private final Device device;
    private final Semaphore readable = new Semaphore(0);
    private final Semaphore writable = new Semaphore(0);
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean isClosing;

    Workers(Device device) {
      this.device = device;
    }

    void start(ThreadFactory factory) {
      Thread writer = factory.newThread(this::write);
      writer.setName("disk-" + device.name() + "-0");
      threads.add(writer);
      for (int n = 1; n <= device.settings().readers(); n++) {
        Thread reader = factory.newThread(this::read);
        reader.setName("disk-" + device.name() + "-" + n);
        threads.add(reader);
      }
      threads.forEach(Thread::start);
    }

    void ring() {
      readable.release();
      if (writable.availablePermits() == 0) {
        writable.release();
      }
    }

    private void write() {
      while (!isClosing) {
        try {
          if (!device.work()) {
            await(writable);
            // One look finds all there is to do.
            writable.drainPermits();
          }
        } catch (RuntimeException e) {
          LOG.error("disk {}: its writer failed and goes on", device.name(), e);
          await(writable);
        }
      }
    }

    private void read() {
      ByteBuffer buffer = Device.readBuffer();
      while (!isClosing) {
        try {
          if (!device.loadNext(buffer)) {
            await(readable);
          }
        } catch (RuntimeException e) {
          LOG.error("disk {}: a load failed", device.name(), e);
        }
      }
    }

    private static void await(Semaphore semaphore) {
      try {
        boolean ignored = semaphore.tryAcquire(WAIT_MILLIS, TimeUnit.MILLISECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    void close() {
      isClosing = true;
      readable.release(threads.size());
      writable.release();
      long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(JOIN_MILLIS);
      for (Thread thread : threads) {
        try {
          // A device that does not answer must not keep the process.
          thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime())));
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
    }
  }

  private DiskTier(
      List<Device> devices, List<Workers> workers, List<OwnerLock> locks, boolean stepped) {
    this.devices = List.copyOf(devices);
    this.workers = List.copyOf(workers);
    this.locks = List.copyOf(locks);
    this.stepBuffer = stepped ? Device.readBuffer() : null;
  }

  /**
   * Opens the devices. One that can't be opened is an error at start: it was named by somebody.
   *
   * @param threads makes their threads; null if the owner steps the tier
   */
  public static DiskTier open(
      List<DeviceSettings> settings,
      Host host,
      boolean isIndexWarm,
      Opener opener,
      @Nullable ThreadFactory threads)
      throws IOException {
    List<Device> devices = new ArrayList<>();
    List<Workers> workers = new ArrayList<>();
    List<OwnerLock> locks = new ArrayList<>();
    boolean done = false;
    try {
      for (DeviceSettings given : settings) {
        DeviceSettings one = given.resolved();
        Files.createDirectories(one.directory());
        locks.add(OwnerLock.take(one.directory()));
        long length = DeviceHeader.LENGTH + (long) one.regionCount() * one.regionBytes();
        BlockFile file = opener.open(one, one.directory().resolve(FILE), length);
        Workers[] own = new Workers[1];
        Device device =
            new Device(
                one,
                file,
                numberOf(one.name(), devices),
                host,
                isIndexWarm,
                () -> {
                  Workers ringing = own[0];
                  if (ringing != null) {
                    ringing.ring();
                  }
                });
        own[0] = new Workers(device);
        devices.add(device);
        workers.add(own[0]);
      }
      done = true;
    } finally {
      if (!done) {
        devices.forEach(device -> device.close(false));
        for (OwnerLock lock : locks) {
          lock.close();
        }
      }
    }
    DiskTier tier = new DiskTier(devices, workers, locks, threads == null);
    if (threads != null) {
      workers.forEach(worker -> worker.start(threads));
    }
    return tier;
  }

  /** A device keeps its number as long as it keeps its name, whatever others come and go. */
  private static int numberOf(String name, List<Device> taken) {
    int number = (int) (Words.mix(name.hashCode()) & 0x7FFF);
    while (byNumber(taken, number) != null) {
      number = number + 1 & 0x7FFF;
    }
    return number;
  }

  private static @Nullable Device byNumber(List<Device> devices, int number) {
    for (Device device : devices) {
      if (device.number() == number) {
        return device;
      }
    }
    return null;
  }

  public boolean isEmpty() {
    return devices.isEmpty();
  }

  // --- any thread, without locks
  // ------------------------------------------------------------------

  /** Whether what a value says of a disk is true. */
  public boolean isReadable(IndexValue value) {
    Device device = value.isOnDisk() ? byNumber(devices, value.diskDevice()) : null;
    return device != null && device.isReadable(value.diskRegion(), value.diskGeneration());
  }

  /** Brings a record into memory; see {@link Device#load}. */
  public boolean load(long high, long low, IndexValue value, Runnable waiter) {
    Device device = byNumber(devices, value.diskDevice());
    return device != null && device.load(high, low, value, waiter);
  }

  /** A copy that a value names is dead. */
  public void bury(long high, long low, IndexValue value) {
    Device device = value.isOnDisk() ? byNumber(devices, value.diskDevice()) : null;
    if (device != null) {
      device.bury(high, low, value.birth());
    }
  }

  /** A copy that was made at a place is dead. */
  public void bury(long high, long low, Place place, long birth) {
    Device device = byNumber(devices, place.device());
    if (device != null) {
      device.bury(high, low, birth);
    }
  }

  // --- the reclaim thread
  // -------------------------------------------------------------------------

  /**
   * Takes a record of the object whose head has this key: all of an object goes to one device.
   *
   * @param known where the object's head lies on a disk, or null
   */
  public boolean offer(
      long headHigh,
      long headLow,
      @Nullable IndexValue known,
      MemorySegment memory,
      long record,
      int length,
      Place into) {
    Device device =
        known != null && known.isOnDisk() && isReadable(known)
            ? byNumber(devices, known.diskDevice())
            : null;
    if (device == null) {
      device = choose(headHigh, headLow);
    }
    return device != null && device.offer(memory, record, length, into);
  }

  private @Nullable Device choose(long high, long low) {
    Device best = null;
    double bestScore = 0;
    for (Device device : devices) {
      if (device.state() != Device.State.ONLINE) {
        continue;
      }
      long hash = Words.mix(high ^ Words.mix(low + device.number()));
      double unit = ((hash >>> 11) + 0.5) * 0x1.0p-53;
      double score = device.settings().bytes() / -Math.log(unit);
      if (best == null || score > bestScore) {
        best = device;
        bestScore = score;
      }
    }
    return best;
  }

  /** Whether any device takes records. */
  public boolean isInUse() {
    for (Device device : devices) {
      if (device.state() == Device.State.ONLINE) {
        return true;
      }
    }
    return false;
  }

  /** Whether every device that is online could take something now. */
  public boolean hasRoom() {
    for (Device device : devices) {
      if (device.state() == Device.State.ONLINE && !device.hasRoom()) {
        return false;
      }
    }
    return !devices.isEmpty();
  }

  /** Whether nothing waits to be written on any device that is online. */
  public boolean isIdle() {
    for (Device device : devices) {
      if (device.state() == Device.State.ONLINE && !device.isIdle()) {
        return false;
      }
    }
    return true;
  }

  /** What is due now and then: flushes what waits, and looks after devices that do not answer. */
  public void tick(long nowMillis) {
    for (Device device : devices) {
      device.checkPace();
    }
    if (Math.abs(nowMillis - flushedMillis) >= FLUSH_MILLIS) {
      flushedMillis = nowMillis;
      devices.forEach(Device::flush);
    }
  }

  /** Begins to remove what purges up to a sequence have killed. */
  public void sweep(long through) {
    devices.forEach(device -> device.sweep(through));
  }

  /** Whether that is done on every device that is in use; others open empty when they return. */
  public boolean isSwept(long through) {
    for (Device device : devices) {
      boolean isInUse =
          device.state() == Device.State.ONLINE || device.state() == Device.State.RECOVERING;
      if (isInUse && device.sweptThrough() < through) {
        return false;
      }
    }
    return true;
  }

  public boolean isRecovered() {
    for (Device device : devices) {
      if (!device.isRecovered()) {
        return false;
      }
    }
    return true;
  }

  /** Share of the recovery that is done. */
  public double recovered() {
    double sum = 0;
    for (Device device : devices) {
      sum += device.recovered();
    }
    return devices.isEmpty() ? 1 : sum / devices.size();
  }

  /** For tiers that are stepped by their owner: does a piece of work of each device. */
  public boolean step() {
    ByteBuffer buffer = stepBuffer;
    if (buffer == null) {
      return false;
    }
    boolean progress = false;
    for (Device device : devices) {
      progress |= device.loadNext(buffer);
      progress |= device.work();
    }
    return progress;
  }

  // --- administration
  // -----------------------------------------------------------------------------

  /** Stops using a device; false if it was not in use. */
  public boolean offline(String name) {
    return device(name).offline();
  }

  /** Uses a device again. Blocks for its disk. */
  public void online(String name) throws IOException {
    device(name).online();
  }

  /** Empties a device and uses it. Blocks for its disk. */
  public void reinit(String name) throws IOException {
    device(name).reinit();
  }

  private Device device(String name) {
    for (Device device : devices) {
      if (device.name().equals(name)) {
        return device;
      }
    }
    throw new IllegalArgumentException("no disk is named " + name);
  }

  public List<DiskStats> stats() {
    List<DiskStats> stats = new ArrayList<>();
    for (Device device : devices) {
      DeviceSettings settings = device.settings();
      stats.add(
          new DiskStats(
              device.name(),
              device.state().name().toLowerCase(Locale.ROOT),
              device.recovered(),
              settings.bytes(),
              settings.regionBytes(),
              settings.regionCount(),
              device.freeRegionCount(),
              device.reads.get(),
              device.readBytes.get(),
              device.writes.get(),
              device.writtenBytes.get(),
              device.dropped.get(),
              device.refused.get(),
              device.queuedLoads(),
              device.errors.get(),
              device.checksumFailures.get(),
              device.reclaimed.get()));
    }
    return stats;
  }

  /** Direct memory of all buffers. */
  public long bufferBytes() {
    return bufferBytes(devices.stream().map(Device::settings).toList());
  }

  /** Direct memory of all buffers of such devices. */
  public static long bufferBytes(List<DeviceSettings> devices) {
    long sum = 0;
    for (DeviceSettings settings : devices) {
      sum +=
          (long) settings.buffers() * settings.bufferBytes()
              + (settings.readers() + 1L) * DeviceSettings.LARGEST_RECORD;
    }
    return sum;
  }

  /** Ends the threads, so that nothing but the caller uses the devices. */
  public void stop() {
    workers.forEach(Workers::close);
  }

  /** Ends as a killed process does. */
  public void abandon() throws IOException {
    stop();
    close(false);
  }

  /** Ends cleanly: the next start takes what is here as it is. */
  @Override
  public void close() throws IOException {
    stop();
    close(true);
  }

  private void close(boolean isClean) throws IOException {
    devices.forEach(device -> device.close(isClean));
    for (OwnerLock lock : locks) {
      lock.close();
    }
  }
}
