package io.forebay.storage;

import io.forebay.storage.file.PrivateFiles;
import io.forebay.storage.index.ChronicleIndex;
import io.forebay.storage.index.DiskIndex;
import io.forebay.storage.region.TierGeometry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * Calculates for how many entries the index is created: one for each object or MiB of a body. What
 * has a copy in memory has an entry of 112 bytes in a map; what lies on a disk only has one of
 * about 22 bytes in the table of that disk. Immutable.
 *
 * @param memoryEntries of what has a copy in memory
 * @param diskEntries of the tables of all disks
 * @param wanted as many of both as the sizes, or the objects seen by earlier runs, call for
 * @param diskBytes of all disks together
 * @param tier how the memory tier divides objects, which the disks keep
 */
public record IndexCapacity(
    long memoryEntries, long diskEntries, long wanted, long diskBytes, TierGeometry tier) {
  /** In the data directory: the entries that an earlier run would have needed. */
  private static final String LEARNED_FILE = "index.entries";

  static final long MAX_ENTRIES = 2_000_000_000;

  /** All disks together; what they could want is more than any machine has memory for. */
  static final long MAX_DISK_ENTRIES = 1L << 40;

  /** Without a setting, memory has one entry for so many bytes. */
  private static final long MEMORY_BYTES_PER_ENTRY = 4 << 10;

  /** Without a setting, the disks have at least one entry for so many bytes. */
  private static final long DISK_BYTES_PER_ENTRY = 32 << 10;

  /** The same while a {@link #SMALL_OBJECTS_SHARE} of the memory for the index is enough. */
  private static final long SMALL_DISK_BYTES_PER_ENTRY = 8 << 10;

  private static final int SMALL_OBJECTS_SHARE = 4;

  /** Of an entry of a table, with the slots that stay free, and rather too much. */
  static final long BYTES_PER_DISK_ENTRY = 23;

  /**
   * Entries for the slices that one could name if they lay one behind the other; as measured with
   * 16 writers at a time.
   */
  private static final double RUNS_A_GROUP = 1.3;

  /** Of the memory tier's entries, those that the disks have whatever the bound. */
  private static final int LEAST_SHARE = 4;

  private static final int MAX_NUMBERS = 48;

  /**
   * Entries that an earlier run would have needed; 0: nothing is known.
   *
   * @param memory of what has a copy in memory
   * @param disk of what lies on a disk only
   */
  public record Learned(long memory, long disk) {
    public static final Learned NOTHING = new Learned(0, 0);
  }

  /**
   * The bound for a memory tier and disks of these sizes.
   *
   * @param configured entries as the operator sets them; 0: not set. With disks, at most half of
   *     them are those of memory
   * @param maxBytes of memory for the index; 0: no limit is known. The memory tier's own entries do
   *     not fall below one for 4 KiB for its sake.
   */
  public static IndexCapacity of(
      long memoryBytes, long diskBytes, long configured, Learned learned, long maxBytes) {
    return of(memoryBytes, 0, diskBytes, configured, learned, maxBytes);
  }

  /**
   * The same with middle tiers, whose entries are those of memory.
   *
   * @param middleBytes of all middle tiers
   */
  public static IndexCapacity of(
      long memoryBytes,
      long middleBytes,
      long diskBytes,
      long configured,
      Learned learned,
      long maxBytes) {
    TierGeometry tier = TierGeometry.of(memoryBytes);
    long least = Math.min(MAX_ENTRIES, tier.indexEntries() + middleBytes / MEMORY_BYTES_PER_ENTRY);
    long wantedMemory = Math.min(MAX_ENTRIES, Math.max(least, learned.memory()));
    if (configured != 0) {
      long memory = diskBytes == 0 ? configured : Math.min((configured + 1) / 2, wantedMemory);
      return new IndexCapacity(memory, configured - memory, configured, diskBytes, tier);
    }
    long wantedDisk =
        diskBytes == 0
            ? 0
            : Math.min(MAX_DISK_ENTRIES, Math.max(unknown(diskBytes, maxBytes), learned.disk()));
    long wanted = wantedMemory + wantedDisk;
    if (maxBytes == 0) {
      return new IndexCapacity(wantedMemory, wantedDisk, wanted, diskBytes, tier);
    }
    long memory =
        Math.min(wantedMemory, Math.max(least, stepped(maxBytes / ChronicleIndex.BYTES_PER_ENTRY)));
    long left = Math.max(0, maxBytes - ChronicleIndex.estimatedBytes(memory));
    long disk =
        Math.min(wantedDisk, Math.max(least / LEAST_SHARE, stepped(left / BYTES_PER_DISK_ENTRY)));
    return new IndexCapacity(memory, disk, wanted, diskBytes, tier);
  }

  /** Entries of the disks while nothing is known of the objects; memory is taken as they come. */
  private static long unknown(long diskBytes, long maxBytes) {
    long ofSmallObjects =
        Math.min(
            diskBytes / SMALL_DISK_BYTES_PER_ENTRY,
            stepped(maxBytes / SMALL_OBJECTS_SHARE / BYTES_PER_DISK_ENTRY));
    return Math.max(diskBytes / DISK_BYTES_PER_ENTRY, ofSmallObjects);
  }

  /** Of memory and disks. */
  public long entries() {
    return memoryEntries + diskEntries;
  }

  /** In steps of a thirty-second, so that a few pages more or less make the same index. */
  private static long stepped(long entries) {
    long step = Math.max(1, Long.highestOneBit(Math.max(1, entries)) / 32);
    return entries / step * step;
  }

  /** Memory that the index takes, near enough to plan with, and rather too much. */
  public long bytes() {
    return ChronicleIndex.estimatedBytes(memoryEntries) + diskEntries * BYTES_PER_DISK_ENTRY;
  }

  /** Whether memory for the index, not the sizes, decided. */
  public boolean isLimitedByMemory() {
    return entries() < wanted;
  }

  /**
   * The mean size of an entry's record from which the disks can fill; 0 without disks. Below it the
   * index is full first.
   */
  public long diskBytesPerEntry() {
    return diskBytes == 0 ? 0 : diskBytes / Math.max(1, diskEntries);
  }

  /**
   * The part of the disks that the index can name if all objects have bodies of this size: 0 to 1;
   * 1 without disks.
   */
  public double diskShare(long bodyBytes) {
    long slices =
        bodyBytes <= tier.inlineBytes() ? 0 : Math.ceilDiv(bodyBytes, (long) tier.sliceBytes());
    double runs =
        Math.min((double) slices, Math.ceilDiv(slices, DiskIndex.SLICE_GROUP) * RUNS_A_GROUP);
    double namedBytes = diskEntries / (1 + runs) * bodyBytes;
    return diskBytes == 0 ? 1 : Math.min(1, namedBytes / diskBytes);
  }

  /**
   * What an earlier run of this data directory recorded: of memory and of disks, or, by an earlier
   * version, one number for both.
   */
  public static Learned learned(Path dataDirectory) {
    Path file = dataDirectory.resolve(LEARNED_FILE);
    if (!Files.exists(file)) {
      return Learned.NOTHING;
    }
    try (FileChannel in = PrivateFiles.openToRead(file)) {
      ByteBuffer bytes = ByteBuffer.allocate(MAX_NUMBERS);
      int read = in.read(bytes, 0);
      String text = read <= 0 ? "" : StandardCharsets.US_ASCII.decode(bytes.flip()).toString();
      String[] numbers = text.strip().split(" ", 2);
      return numbers.length == 2
          ? new Learned(
              Math.clamp(Long.parseLong(numbers[0]), 0, MAX_ENTRIES),
              Math.clamp(Long.parseLong(numbers[1]), 0, MAX_DISK_ENTRIES))
          : new Learned(0, Math.clamp(Long.parseLong(numbers[0]), 0, MAX_ENTRIES));
    } catch (IOException | NumberFormatException e) {
      return Learned.NOTHING;
    }
  }

  /** Records for the next start how many entries would have done. */
  static void learn(Path dataDirectory, Learned entries) throws IOException {
    Path made = dataDirectory.resolve(LEARNED_FILE + ".new");
    Files.deleteIfExists(made);
    try (FileChannel out = PrivateFiles.createNew(made)) {
      String text = entries.memory() + " " + entries.disk() + "\n";
      ByteBuffer numbers = ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
      while (numbers.hasRemaining()) {
        out.write(numbers);
      }
    }
    Files.move(made, dataDirectory.resolve(LEARNED_FILE), StandardCopyOption.ATOMIC_MOVE);
  }
}
