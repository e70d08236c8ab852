package io.forebay.storage.disk;

import io.forebay.storage.endurance.EnduranceLimits;
import java.nio.file.Path;

/**
 * One device of the disk tier.
 *
 * @param name for people, logs and commands
 * @param directory on the device; its file and its lock lie in it
 * @param bytes what it may take of the device, pre-allocated
 * @param regionBytes a multiple of 4096; 0: from its size
 * @param bufferBytes of each write, at most a quarter of a region
 * @param buffers how many writes may wait; with none free, records wait in memory or are dropped
 * @param readers threads that read
 * @param mostErrors after so many errors of the device it is left alone
 * @param slowMillis an operation that takes longer counts as an error; twice as long fences
 * @param scrubBytesPerSecond bound of what is read to see whether it is still what was written, 0:
 *     nothing is
 * @param waitingTombstones how many tombstones may wait to be written, at least 2; with more, the
 *     directories are read to find what is dead
 * @param transitBytes bound of the buffers in which records go to sockets past the memory tier; 0:
 *     all that is read is brought into memory
 * @param knownTombstones how many tombstones a start keeps in memory, at least 2; with more, it
 *     reads the directories several times
 * @param endurance how much may be written to it
 * @param isTrimming whether the device is told which regions are free
 * @param evacuateBytesPerSecond bound of what is read to move what it holds elsewhere, 0: none
 */
public record DeviceSettings(
    String name,
    Path directory,
    long bytes,
    int regionBytes,
    int bufferBytes,
    int buffers,
    int readers,
    int mostErrors,
    long slowMillis,
    long scrubBytesPerSecond,
    long transitBytes,
    int waitingTombstones,
    int knownTombstones,
    EnduranceLimits endurance,
    boolean isTrimming,
    long evacuateBytesPerSecond) {
  private static final int WAITING_TOMBSTONES = 1 << 18;
  private static final int KNOWN_TOMBSTONES = 1 << 22;
  static final int MAX_RECORD = 2 << 20;
  private static final int MAX_REGION = 64 << 20;
  private static final int MIN_REGION = 256 << 10;
  private static final int MIN_REGIONS = 8;
  private static final long TRANSIT_BYTES = 64 << 20;

  /** Four slices of 1 MiB and their headers. */
  private static final int BUFFER_BYTES = (4 << 20) + 4096;

  public DeviceSettings(
      String name,
      Path directory,
      long bytes,
      int regionBytes,
      int bufferBytes,
      int buffers,
      int readers,
      int mostErrors,
      long slowMillis,
      long scrubBytesPerSecond) {
    this(
        name,
        directory,
        bytes,
        regionBytes,
        bufferBytes,
        buffers,
        readers,
        mostErrors,
        slowMillis,
        scrubBytesPerSecond,
        TRANSIT_BYTES,
        WAITING_TOMBSTONES,
        KNOWN_TOMBSTONES,
        EnduranceLimits.NONE,
        false,
        0);
  }

  public static DeviceSettings of(String name, Path directory, long bytes) {
    return new DeviceSettings(name, directory, bytes, 0, BUFFER_BYTES, 8, 4, 5, 10_000, 0);
  }

  public DeviceSettings withReaders(int newReaders) {
    Change change = new Change(this);
    change.readers = newReaders;
    return change.done();
  }

  public DeviceSettings withFaults(int newMostErrors, long newSlowMillis) {
    Change change = new Change(this);
    change.mostErrors = newMostErrors;
    change.slowMillis = newSlowMillis;
    return change.done();
  }

  public DeviceSettings withScrub(long newBytesPerSecond) {
    Change change = new Change(this);
    change.scrubBytesPerSecond = newBytesPerSecond;
    return change.done();
  }

  public DeviceSettings withTransit(long newTransitBytes) {
    Change change = new Change(this);
    change.transitBytes = newTransitBytes;
    return change.done();
  }

  public DeviceSettings withTombstones(int newWaiting, int newKnown) {
    Change change = new Change(this);
    change.waitingTombstones = newWaiting;
    change.knownTombstones = newKnown;
    return change.done();
  }

  public DeviceSettings withEndurance(EnduranceLimits newEndurance) {
    Change change = new Change(this);
    change.endurance = newEndurance;
    return change.done();
  }

  public DeviceSettings withTrim(boolean trims) {
    Change change = new Change(this);
    change.isTrimming = trims;
    return change.done();
  }

  public DeviceSettings withEvacuation(long newBytesPerSecond) {
    Change change = new Change(this);
    change.evacuateBytesPerSecond = newBytesPerSecond;
    return change.done();
  }

  /** With every size filled in. */
  public DeviceSettings resolved() {
    long region = regionBytes;
    if (region == 0) {
      region = Math.clamp(Long.highestOneBit(bytes / 16), MIN_REGION, MAX_REGION);
    }
    if (region < MIN_REGION || region % 4096 != 0 || bytes / region < MIN_REGIONS) {
      throw new IllegalArgumentException(
          "disk "
              + name
              + ": "
              + bytes
              + " bytes in regions of "
              + region
              + ": the minimum is "
              + MIN_REGIONS * MIN_REGION
              + " bytes");
    }
    Change change = new Change(this);
    change.regionBytes = (int) region;
    // Of whole pages, since that is what is written.
    change.bufferBytes = (int) Math.min(bufferBytes, region / 4) & -4096;
    return change.done();
  }

  int regionCount() {
    return (int) Math.min(bytes / regionBytes, Integer.MAX_VALUE - 8);
  }

  /** A copy in the making. */
  private static final class Change {
    private final DeviceSettings from;
    private int regionBytes;
    private int bufferBytes;
    private int readers;
    private int mostErrors;
    private long slowMillis;
    private long scrubBytesPerSecond;
    private long transitBytes;
    private int waitingTombstones;
    private int knownTombstones;
    private EnduranceLimits endurance;
    private boolean isTrimming;
    private long evacuateBytesPerSecond;

    Change(DeviceSettings from) {
      this.from = from;
      regionBytes = from.regionBytes;
      bufferBytes = from.bufferBytes;
      readers = from.readers;
      mostErrors = from.mostErrors;
      slowMillis = from.slowMillis;
      scrubBytesPerSecond = from.scrubBytesPerSecond;
      transitBytes = from.transitBytes;
      waitingTombstones = from.waitingTombstones;
      knownTombstones = from.knownTombstones;
      endurance = from.endurance;
      isTrimming = from.isTrimming;
      evacuateBytesPerSecond = from.evacuateBytesPerSecond;
    }

    DeviceSettings done() {
      return new DeviceSettings(
          from.name,
          from.directory,
          from.bytes,
          regionBytes,
          bufferBytes,
          from.buffers,
          readers,
          mostErrors,
          slowMillis,
          scrubBytesPerSecond,
          transitBytes,
          waitingTombstones,
          knownTombstones,
          endurance,
          isTrimming,
          evacuateBytesPerSecond);
    }
  }
}
