package io.forebay.storage.disk;

import io.forebay.storage.index.IndexValue;
import io.forebay.storage.index.ObjectIndex;
import io.forebay.storage.index.TieredIndex;
import io.forebay.storage.layout.Layouts;
import io.forebay.storage.placement.StorageClasses;
import io.forebay.storage.purge.PurgeProbe;
import io.forebay.storage.purge.Purges;
import io.forebay.storage.transit.TransitBuffer;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadFactory;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The devices of a store, and which of them an object is for: rendezvous hashing over those that
 * are online, weighted by size, so that a device that comes or goes moves only its share.
 */
public final class DiskTier implements AutoCloseable {
  private static final long FLUSH_MILLIS = 5_000;

  private final List<Device> devices;
  private final List<DeviceThreads> threads;
  private final ObjectIndex index;
  private final @Nullable ByteBuffer stepBuffer;
  private long flushedMillis;

  /** Reads and writes through something else than a file: for tests of faults. */
  @FunctionalInterface
  public interface Opener {
    BlockFile open(DeviceSettings device, Path file, long lengthBytes) throws IOException;

    /** Whether there is a file to be opened, or one would be made. */
    default boolean isThere(Path file) {
      return true;
    }

    /** A file with real blocks. */
    static Opener files() {
      return new FileOpener(false);
    }

    /** The same past the page cache, where the file system can do that. */
    static Opener direct() {
      return new FileOpener(true);
    }
  }

  /** How fast, and how long, disks may be read for something that can wait. */
  @FunctionalInterface
  public interface Pace {
    /** Asked before each read; may wait a while. False: no more of it. */
    boolean mayRead();
  }

  /**
   * What was counted on a device.
   *
   * @param uncounted what was not, empty if all was
   */
  public record Counted(String name, long objects, long bytes, String uncounted) {}

  /**
   * What devices need of the store they belong to.
   *
   * @param indexEntries bound of the tables of all devices
   * @param diskBytes of all devices
   * @param memoryBytes of its memory tier
   * @param classes in force
   */
  public record Host(
      TieredIndex index,
      long indexEntries,
      long diskBytes,
      Purges purges,
      Promoter promoter,
      long memoryBytes,
      StorageClasses classes,
      LongSupplier clockMillis) {
    /** The share of a device of this size. */
    long indexEntries(long deviceBytes) {
      return (long) ((double) indexEntries * deviceBytes / Math.max(1, diskBytes));
    }
  }

  private DiskTier(
      List<Device> devices, List<DeviceThreads> threads, ObjectIndex index, boolean isStepped) {
    this.index = index;
    this.devices = List.copyOf(devices);
    this.threads = List.copyOf(threads);
    this.stepBuffer = isStepped ? DeviceRecords.buffer() : null;
  }

  /**
   * Opens the devices. One that can't be opened is an error at start: it was named by somebody.
   *
   * @param factory makes their threads; null if the owner steps the tier
   */
  public static DiskTier open(
      List<DeviceSettings> settings,
      Host host,
      boolean isIndexWarm,
      Opener opener,
      @Nullable ThreadFactory factory)
      throws IOException {
    List<DeviceFile> files = new ArrayList<>();
    List<Device> devices = new ArrayList<>();
    List<DeviceThreads> threads = new ArrayList<>();
    boolean done = false;
    try {
      for (DeviceSettings one : settings) {
        files.add(DeviceFile.open(one.resolved(), opener));
      }
      int[] numbers = numbers(settings, files, host.purges().identity());
      for (int n = 0; n < numbers.length; n++) {
        DeviceSettings one = settings.get(n).resolved();
        DeviceThreads.Wakeup bell = new DeviceThreads.Wakeup();
        Device device = new Device(one, files.get(n), numbers[n], host, isIndexWarm, bell::ring);
        devices.add(device);
        threads.add(new DeviceThreads(device, bell));
      }
      done = true;
    } finally {
      if (!done) {
        for (DeviceFile file : files) {
          file.close();
        }
      }
    }
    DiskTier tier = new DiskTier(devices, threads, host.index(), factory == null);
    if (factory != null) {
      threads.forEach(own -> own.start(factory));
    }
    return tier;
  }

  /**
   * A device keeps the number in its file, by which the index and the choice of a device know it,
   * whatever its name and directory are by now. A second file with a number that is taken (a copy)
   * gets another one, and so opens empty, like one that is not of this store.
   */
  private static int[] numbers(
      List<DeviceSettings> settings, List<DeviceFile> files, byte[] storeIdentity)
      throws IOException {
    int[] numbers = new int[files.size()];
    Set<Integer> taken = new HashSet<>();
    for (int n = 0; n < numbers.length; n++) {
      DeviceSettings one = settings.get(n).resolved();
      DeviceHeaderPages head = new DeviceHeaderPages(files.get(n));
      boolean isKnown = head.read(storeIdentity, one.regionBytes(), one.regionCount());
      numbers[n] = isKnown && taken.add(head.number()) ? head.number() : -1;
    }
    for (int n = 0; n < numbers.length; n++) {
      if (numbers[n] < 0) {
        numbers[n] = (int) (Layouts.mix(settings.get(n).name().hashCode()) & 0x7FFF);
        while (!taken.add(numbers[n])) {
          numbers[n] = numbers[n] + 1 & 0x7FFF;
        }
      }
    }
    return numbers;
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

  /** What the devices that are online hold at most. */
  public long bytes() {
    long sum = 0;
    for (Device device : devices) {
      sum += device.isOnline() ? device.settings().bytes() : 0;
    }
    return sum;
  }

  /** Whether what a value says of a disk is true. */
  public boolean isReadable(IndexValue value) {
    Device device = value.isOnDisk() ? byNumber(devices, value.diskDevice()) : null;
    return device != null && device.isReadable(value.diskRegion(), value.diskGeneration());
  }

  /** Reads a record into a transit buffer or into memory; see {@link Device#read}. */
  public boolean read(long high, long low, IndexValue value, DiskWaiter waiter) {
    Device device = byNumber(devices, value.diskDevice());
    return device != null && device.read(high, low, value, waiter);
  }

  /** Whether the device with a record has time and buffers for what nobody waits for yet. */
  public boolean mayReadAhead(IndexValue value) {
    Device device = byNumber(devices, value.diskDevice());
    return device != null && device.mayReadAhead();
  }

  /** Reads a record that page cache holds, for an event loop; see {@link Device#readCached}. */
  public @Nullable TransitBuffer readCached(long high, long low, IndexValue value) {
    Device device = byNumber(devices, value.diskDevice());
    return device == null ? null : device.readCached(high, low, value);
  }

  /** A record whose region is not reused for a while; null if that is not possible. */
  public @Nullable HeldRecord hold(long high, long low, IndexValue value) {
    Device device = byNumber(devices, value.diskDevice());
    return device == null ? null : device.hold(high, low, value);
  }

  /** A copy that a value names is dead. */
  public void addTombstone(long high, long low, IndexValue value) {
    Device device = value.isOnDisk() ? byNumber(devices, value.diskDevice()) : null;
    if (device != null) {
      device.addTombstone(high, low, value.birth());
    }
  }

  /** A copy that was made at a place is dead. */
  public void addTombstone(long high, long low, DiskLocation place, long birth) {
    Device device = byNumber(devices, place.device());
    if (device != null) {
      device.addTombstone(high, low, birth);
    }
  }

  // --- the reclaim thread
  // -------------------------------------------------------------------------

  /**
   * Takes a record of the object whose head has this key: all of an object goes to one device.
   *
   * @param known where the object's head lies on a disk, or null
   * @param storageClass of the record
   * @param isRequestedAgain whether somebody has requested it since it came
   */
  public boolean offer(
      long headHigh,
      long headLow,
      @Nullable IndexValue known,
      MemorySegment memory,
      long record,
      int length,
      int storageClass,
      boolean isRequestedAgain,
      DiskLocation into) {
    Device device =
        known != null && known.isOnDisk() && isReadable(known)
            ? byNumber(devices, known.diskDevice())
            : null;
    if (device == null) {
      device = choose(headHigh, headLow);
    }
    return device != null
        && device.offer(memory, record, length, storageClass, isRequestedAgain, into);
  }

  private @Nullable Device choose(long high, long low) {
    Device best = null;
    double bestScore = 0;
    for (Device device : devices) {
      if (!device.isOnline()) {
        continue;
      }
      long hash = Layouts.mix(high ^ Layouts.mix(low + device.number()));
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
      if (device.isOnline()) {
        return true;
      }
    }
    return false;
  }

  /** Whether every device that is online could take something now. */
  public boolean hasRoom() {
    for (Device device : devices) {
      if (device.isOnline() && !device.hasRoom()) {
        return false;
      }
    }
    return !devices.isEmpty();
  }

  /** Whether nothing waits to be written on any device that is online. */
  public boolean isIdle() {
    for (Device device : devices) {
      if (device.isOnline() && !device.isIdle()) {
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
      if (device.isInUse() && device.sweptThrough() < through) {
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

  /** Counts the objects on the devices, not in memory, that a purge would match. */
  public List<Counted> count(PurgeProbe probe, Pace pace) {
    List<Counted> counted = new ArrayList<>();
    for (Device device : devices) {
      counted.add(new DevicePurgeEstimator(device, probe, pace, index).count());
    }
    return counted;
  }

  private Device device(String name) {
    for (Device device : devices) {
      if (device.name().equals(name)) {
        return device;
      }
    }
    throw new IllegalArgumentException("there is no disk named " + name);
  }

  public List<DiskStats> stats() {
    return devices.stream().map(Device::stats).toList();
  }

  /** Regions of all devices freed because the index was full. */
  public long reclaimedForIndex() {
    return devices.stream().mapToLong(Device::reclaimedForIndex).sum();
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
          settings.transitBytes()
              + (long) settings.buffers() * settings.bufferBytes()
              + (settings.readers() + (settings.scrubBytesPerSecond() > 0 ? 2L : 1L))
                  * DeviceSettings.MAX_RECORD;
    }
    return sum;
  }

  /** Ends the threads, so that nothing but the caller uses the devices. */
  public void stop() {
    threads.forEach(DeviceThreads::close);
  }

  /** Ends as a killed process does. */
  public void abandon() {
    stop();
    close(false);
  }

  /** Ends cleanly: the next start takes what is here as it is. */
  @Override
  public void close() {
    stop();
    close(true);
  }

  private void close(boolean isClean) {
    for (int n = 0; n < devices.size(); n++) {
      // A file that a thread is stuck in can't be closed without waiting for that thread.
      if (threads.get(n).hasEnded()) {
        devices.get(n).close(isClean);
      }
    }
  }
}
