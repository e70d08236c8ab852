package io.forebay.storage.disk;

import io.forebay.storage.index.IndexValue;
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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The devices of a store as one tier: what is asked of it goes to the device that has the record,
 * or for which the object is (see {@link Devices}).
 */
public final class DiskTier implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DiskTier.class);

  private static final long FLUSH_MILLIS = 5_000;

  private final Devices devices = new Devices();
  private final Host host;
  private final Opener opener;
  private final @Nullable ThreadFactory factory;
  private final @Nullable ByteBuffer stepBuffer;

  /** Up to where purges have been swept, or are to be, on every device. */
  private final AtomicLong swept = new AtomicLong(-1);

  /**
   * Held while devices come and go, also while a file is made, which may take long. Taken before
   * the lock of this, which a stop takes.
   */
  private final ReentrantLock changes = new ReentrantLock();

  // Guarded by this.
  private final Map<Device, DeviceThreads> threads = new LinkedHashMap<>();

  /** Also those of devices that were removed: their tables are still mapped. */
  private final Set<Integer> usedNumbers = new HashSet<>();

  private boolean isStopped;
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
   * @param isMemoryEmpty whether the memory tier opened empty
   * @param classes in force
   * @param keepMillis how long after its expiry an object on a disk still counts
   * @param recoveryThreads by how many threads a device is taken up at a start; 0: as many as the
   *     CPUs allow
   */
  public record Host(
      TieredIndex index,
      long indexEntries,
      long diskBytes,
      Purges purges,
      Promoter promoter,
      long memoryBytes,
      boolean isMemoryEmpty,
      StorageClasses classes,
      long keepMillis,
      int recoveryThreads,
      LongSupplier clockMillis) {
    /**
     * Into how many shares the keys of a device are divided that is taken up: so many threads work
     * at it.
     *
     * @param devices that are taken up
     * @param readers of the device, which do it beside its writer
     */
    int recoveryShares(int devices, int readers) {
      return recoveryThreads > 0
          ? recoveryThreads
          : Math.clamp(
              Runtime.getRuntime().availableProcessors() / Math.max(1, devices), 1, readers + 1);
    }

    /** The share of a device of this size. */
    long indexEntries(long deviceBytes) {
      return (long) ((double) indexEntries * deviceBytes / Math.max(1, diskBytes));
    }
  }

  private DiskTier(Host host, Opener opener, @Nullable ThreadFactory factory) {
    this.host = host;
    this.opener = opener;
    this.factory = factory;
    this.stepBuffer = factory == null ? DeviceRecords.buffer() : null;
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
    DiskTier tier = new DiskTier(host, opener, factory);
    List<DeviceFile> files = new ArrayList<>();
    boolean done = false;
    try {
      for (DeviceSettings one : settings) {
        files.add(DeviceFile.open(one.resolved(), opener));
      }
      int[] numbers = numbers(settings, files, host.purges().identity());
      for (int n = 0; n < numbers.length; n++) {
        tier.include(
            settings.get(n).resolved(),
            files.get(n),
            numbers[n],
            isIndexWarm ? Device.Opening.WARM : Device.Opening.COLD);
      }
      done = true;
    } finally {
      if (!done) {
        for (DeviceFile file : files) {
          file.close();
        }
      }
    }
    if (factory != null) {
      tier.threads.values().forEach(own -> own.start(factory));
    }
    return tier;
  }

  /** Opens a device and makes it one of the tier's; its threads are yet to be started. */
  private void include(DeviceSettings one, DeviceFile file, int number, Device.Opening opening)
      throws IOException {
    DeviceThreads.Wakeup bell = new DeviceThreads.Wakeup();
    usedNumbers.add(number);
    Device device = new Device(one, file, number, host, devices, opening, bell);
    threads.put(device, new DeviceThreads(device, bell));
    List<Device> more = new ArrayList<>(devices.all());
    more.add(device);
    devices.set(more);
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
        numbers[n] = freeNumber(settings.get(n).name(), taken);
        taken.add(numbers[n]);
      }
    }
    return numbers;
  }

  private static int freeNumber(String name, Set<Integer> taken) {
    int number = (int) (Layouts.mix(name.hashCode()) & 0x7FFF);
    while (taken.contains(number)) {
      number = number + 1 & 0x7FFF;
    }
    return number;
  }

  public boolean isEmpty() {
    return devices.all().isEmpty();
  }

  // --- any thread, without locks
  // ------------------------------------------------------------------

  /** What the devices that are online hold at most. */
  public long bytes() {
    long sum = 0;
    for (Device device : devices.all()) {
      sum += device.isOnline() ? device.settings().bytes() : 0;
    }
    return sum;
  }

  /** Whether what a value says of a disk is true. */
  public boolean isReadable(IndexValue value) {
    return devices.isReadable(value);
  }

  /** Reads a record into a transit buffer or into memory; see {@link Device#read}. */
  public boolean read(long high, long low, IndexValue value, DiskWaiter waiter) {
    Device device = devices.byNumber(value.diskDevice());
    return device != null && device.read(high, low, value, waiter);
  }

  /** The same without waking a reader of its device; see {@link #startReads}. */
  public boolean queue(long high, long low, IndexValue value, DiskWaiter waiter) {
    Device device = devices.byNumber(value.diskDevice());
    return device != null && device.queue(high, low, value, waiter);
  }

  /** Has a device read what was queued: records that lie one behind the other in one go. */
  public void startReads(int number) {
    Device device = devices.byNumber(number);
    if (device != null) {
      device.startReads();
    }
  }

  /** Whether the device with a record has time and buffers for what nobody waits for yet. */
  public boolean mayReadAhead(IndexValue value) {
    Device device = devices.byNumber(value.diskDevice());
    return device != null && device.mayReadAhead();
  }

  /** Reads a record that page cache holds, for an event loop; see {@link Device#readCached}. */
  public @Nullable TransitBuffer readCached(long high, long low, IndexValue value) {
    Device device = devices.byNumber(value.diskDevice());
    return device == null ? null : device.readCached(high, low, value);
  }

  /** A record whose region is not reused for a while; null if that is not possible. */
  public @Nullable HeldRecord hold(long high, long low, IndexValue value) {
    Device device = devices.byNumber(value.diskDevice());
    return device == null ? null : device.hold(high, low, value);
  }

  /** A copy that a value names is dead. */
  public void addTombstone(long high, long low, IndexValue value) {
    Device device = value.isOnDisk() ? devices.byNumber(value.diskDevice()) : null;
    if (device != null) {
      device.addTombstone(high, low, value.birth());
    }
  }

  /** A copy that was made at a place is dead. */
  public void addTombstone(long high, long low, DiskLocation place, long birth) {
    Device device = devices.byNumber(place.device());
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
  public OfferResult offer(
      long headHigh,
      long headLow,
      @Nullable IndexValue known,
      MemorySegment memory,
      long record,
      int length,
      int storageClass,
      boolean isRequestedAgain,
      OfferFallback fallback,
      DiskLocation into) {
    Device device = devices.choose(headHigh, headLow, known);
    return device == null
        ? OfferResult.REFUSED
        : device.offer(memory, record, length, storageClass, isRequestedAgain, fallback, into);
  }

  /** Whether any device leaves objects out because it cannot write all that it is offered. */
  public boolean isShedding() {
    for (Device device : devices.all()) {
      if (device.isShedding()) {
        return true;
      }
    }
    return false;
  }

  /** Whether any device takes records. */
  public boolean isInUse() {
    for (Device device : devices.all()) {
      if (device.isOnline()) {
        return true;
      }
    }
    return false;
  }

  /** Whether every device that is online could take something now. */
  public boolean hasRoom() {
    for (Device device : devices.all()) {
      if (device.isOnline() && !device.hasRoom()) {
        return false;
      }
    }
    return !devices.all().isEmpty();
  }

  /** The same for more than a few records: at least half of the buffers of each are free. */
  public boolean hasAmpleRoom() {
    for (Device device : devices.all()) {
      if (device.isOnline() && !device.hasAmpleRoom()) {
        return false;
      }
    }
    return !devices.all().isEmpty();
  }

  /** Whether nothing waits to be written on any device that is online. */
  public boolean isIdle() {
    for (Device device : devices.all()) {
      if (device.isOnline() && !device.isIdle()) {
        return false;
      }
    }
    return true;
  }

  /** What is due now and then: flushes what waits, and looks after devices that do not answer. */
  public void tick(long nowMillis) {
    for (Device device : devices.all()) {
      device.checkPace();
    }
    if (Math.abs(nowMillis - flushedMillis) >= FLUSH_MILLIS) {
      flushedMillis = nowMillis;
      devices.all().forEach(Device::flush);
    }
  }

  /** Begins to remove what purges up to a sequence have killed. */
  public void sweep(long through) {
    // Said before the devices are looked at: one that is being added asks for it after that.
    swept.accumulateAndGet(through, Math::max);
    devices.all().forEach(device -> device.sweep(through));
  }

  /** Whether that is done on every device that is in use; others open empty when they return. */
  public boolean isSwept(long through) {
    for (Device device : devices.all()) {
      if (device.isInUse() && device.sweptThrough() < through) {
        return false;
      }
    }
    return true;
  }

  public boolean isRecovered() {
    for (Device device : devices.all()) {
      if (!device.isRecovered()) {
        return false;
      }
    }
    return true;
  }

  /** Share of the recovery that is done. */
  public double recovered() {
    double sum = 0;
    for (Device device : devices.all()) {
      sum += device.recovered();
    }
    return devices.all().isEmpty() ? 1 : sum / devices.all().size();
  }

  /** For tiers that are stepped by their owner: does a piece of work of each device. */
  public boolean step() {
    ByteBuffer buffer = stepBuffer;
    if (buffer == null) {
      return false;
    }
    boolean progress = false;
    for (Device device : devices.all()) {
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

  /** Has all that a device holds move elsewhere; see {@link Device#evacuate}. */
  public void evacuate(String name) {
    device(name).evacuate();
  }

  /** Has a device take records again; see {@link Device#cancelEvacuation}. */
  public void cancelEvacuation(String name) {
    device(name).cancelEvacuation();
  }

  /**
   * Uses one more device. It opens empty: what is on it may have been replaced elsewhere since.
   * Blocks for its disk.
   *
   * @throws IllegalStateException if there is one of this name, or if the store was opened without
   *     any
   */
  public void add(DeviceSettings settings) throws IOException {
    changes.lock();
    try {
      if (!host.index().hasTables()) {
        throw new IllegalStateException(
            "a node that was started without disks takes its first one at a restart");
      }
      if (devices.all().stream().anyMatch(device -> device.name().equals(settings.name()))) {
        throw new IllegalStateException("there is a disk named " + settings.name() + " already");
      }
      DeviceSettings one = settings.resolved();
      start(one, DeviceFile.open(one, opener));
      LOG.info("disk {} is added: {} regions", one.name(), one.regionCount());
    } finally {
      changes.unlock();
    }
  }

  /** Makes an open file a device of the tier, and closes it if that fails. */
  private synchronized void start(DeviceSettings one, DeviceFile file) throws IOException {
    int number = freeNumber(one.name(), usedNumbers);
    boolean done = false;
    try {
      if (isStopped) {
        throw new IllegalStateException("the node stops");
      }
      include(one, file, number, Device.Opening.EMPTY);
      done = true;
    } catch (OutOfMemoryError e) {
      throw new IOException("no memory is left for the buffers of disk " + one.name(), e);
    } finally {
      if (!done) {
        host.index().remove(number);
        file.close();
      }
    }
    Device device = device(one.name());
    long through = swept.get();
    if (through >= 0) {
      device.sweep(through);
    }
    DeviceThreads own = threads.get(device);
    if (factory != null && own != null) {
      own.start(factory);
    }
  }

  /**
   * Forgets a device that was evacuated. The memory of its table is given back at the end.
   *
   * @throws IllegalStateException if it was not
   */
  public void remove(String name) {
    changes.lock();
    try {
      Device device = device(name);
      if (!device.isEvacuated()) {
        throw new IllegalStateException(
            "disk " + name + " is " + device.stateName() + ": evacuate it first");
      }
      exclude(device);
      LOG.info("disk {} is removed", name);
    } finally {
      changes.unlock();
    }
  }

  private synchronized void exclude(Device device) {
    List<Device> less = new ArrayList<>(devices.all());
    less.remove(device);
    devices.set(less);
    host.index().remove(device.number());
    DeviceThreads own = threads.remove(device);
    if (own != null) {
      own.close();
      if (own.hasEnded()) {
        device.close(false);
      }
    }
  }

  /**
   * Replaces a device that is out of service by another one, and makes its file. If the settings
   * differ, the new device gets a number of its own. Blocks for its disk.
   *
   * @throws IllegalStateException if that one is in use, or is elsewhere and still holds something
   */
  public void replace(DeviceSettings settings) throws IOException {
    changes.lock();
    try {
      Device device = device(settings.name());
      requireReplaceable(device, settings);
      if (device.settings().equals(settings.resolved())) {
        device.reinit();
      } else {
        exclude(device);
        add(settings);
      }
    } finally {
      changes.unlock();
    }
  }

  private static void requireReplaceable(Device device, DeviceSettings settings) {
    if (device.isInUse()) {
      throw new IllegalStateException(
          "disk "
              + device.name()
              + " is "
              + device.stateName()
              + ": evacuate it first, or take it offline");
    }
    boolean isSamePlace = device.settings().directory().equals(settings.directory());
    if (!isSamePlace && !device.isEvacuated()) {
      throw new IllegalStateException(
          "disk "
              + device.name()
              + " is "
              + device.stateName()
              + " and has another path now: what it holds could come back with the old path, so use"
              + " the same path, or evacuate it first");
    }
  }

  /** Counts the objects on the devices, not in memory, that a purge would match. */
  public List<Counted> count(PurgeProbe probe, Pace pace) {
    List<Counted> counted = new ArrayList<>();
    for (Device device : devices.all()) {
      counted.add(new DevicePurgeEstimator(device, probe, pace, host.index()).count());
    }
    return counted;
  }

  private Device device(String name) {
    for (Device device : devices.all()) {
      if (device.name().equals(name)) {
        return device;
      }
    }
    throw new IllegalArgumentException("there is no disk named " + name);
  }

  public List<DiskStats> stats() {
    return devices.all().stream().map(Device::stats).toList();
  }

  /** Bytes that the records of a storage class take of the devices in use. */
  public long classBytes(int storageClass) {
    return sum(device -> device.classBytes(storageClass));
  }

  /** Records of a storage class that these did not take because of its quota. */
  public long classRefused(int storageClass) {
    return sum(device -> device.classRefused(storageClass));
  }

  /** The share of a storage class of all of them, in bytes. */
  public long share(int percent) {
    return sum(device -> device.share(percent));
  }

  private long sum(ToLongFunction<Device> of) {
    return devices.all().stream().filter(Device::isInUse).mapToLong(of).sum();
  }

  /** Regions of all devices freed because the index was full. */
  public long reclaimedForIndex() {
    return devices.all().stream().mapToLong(Device::reclaimedForIndex).sum();
  }

  /** Of every device. */
  public List<DeviceSettings> settings() {
    return devices.all().stream().map(Device::settings).toList();
  }

  /** Direct memory of all buffers. */
  public long bufferBytes() {
    return bufferBytes(settings());
  }

  /** Direct memory of all buffers of such devices. */
  public static long bufferBytes(List<DeviceSettings> devices) {
    long sum = 0;
    for (DeviceSettings settings : devices) {
      sum +=
          settings.transitBytes()
              + (long) settings.buffers() * settings.bufferBytes()
              + (settings.readers() + (settings.scrubBytesPerSecond() > 0 ? 2L : 1L))
                  * DeviceSettings.MAX_RECORD
              + DirectoryReader.BYTES;
    }
    return sum;
  }

  /** Ends the threads, so that nothing but the caller uses the devices. */
  public synchronized void stop() {
    if (!isStopped) {
      isStopped = true;
      threads.values().forEach(DeviceThreads::close);
    }
  }

  /**
   * Begins the checkpoints of the devices, which {@link #close} ends. The threads have ended.
   *
   * @param isOver asked now and then: whether they take too long
   */
  public synchronized void beginCheckpoints(BooleanSupplier isOver) {
    for (Map.Entry<Device, DeviceThreads> one : threads.entrySet()) {
      // A disk that a thread is stuck in would not answer here either.
      if (one.getValue().hasEnded()) {
        one.getKey().beginCheckpoint(isOver);
      }
    }
  }

  /** Notes in the checkpoint of its device a record that memory has, too. */
  public void addToCheckpoint(long high, long low, IndexValue value) {
    Device device = devices.byNumber(value.diskDevice());
    if (device != null) {
      device.addToCheckpoint(high, low, value);
    }
  }

  /** There are to be no checkpoints. */
  public void abandonCheckpoints() {
    devices.all().forEach(Device::abandonCheckpoint);
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

  private synchronized void close(boolean isClean) {
    threads.forEach((device, own) -> {
      // A file that a thread is stuck in can't be closed without waiting for that thread.
      if (own.hasEnded()) {
        device.close(isClean);
      }
    });
  }
}
