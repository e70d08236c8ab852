package io.forebay.storage;

import io.forebay.storage.file.PrivateFiles;
import io.forebay.storage.index.ChronicleIndex;
import io.forebay.storage.region.TierGeometry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * Calculates for how many entries the index is created. An object takes one entry, and one more for
 * each MiB of its body. Immutable.
 *
 * @param entries at most so many
 * @param wanted as many as the sizes, or the objects seen by earlier runs, call for
 * @param diskBytes of all disks together
 * @param memoryEntries of {@code entries}, those for the memory tier
 * @param tier how the memory tier divides objects, which the disks keep
 */
public record IndexCapacity(
    long entries, long wanted, long diskBytes, long memoryEntries, TierGeometry tier) {
  /** In the data directory: the entries that an earlier run would have needed, as one number. */
  private static final String LEARNED_FILE = "index.entries";

  static final long MAX_ENTRIES = 2_000_000_000;

  /** Without a setting, the disks have one entry for so many bytes. */
  private static final long DISK_BYTES_PER_ENTRY = 64 << 10;

  private static final int MAX_NUMBER = 20;

  /**
   * The bound for a memory tier and disks of these sizes.
   *
   * @param configured entries as the operator sets them; 0: not set
   * @param learned entries that an earlier run would have needed; 0: nothing is known
   * @param maxBytes of memory for the index; 0: no limit is known. The memory tier's own entries do
   *     not fall below one for 4 KiB for its sake.
   */
  public static IndexCapacity of(
      long memoryBytes, long diskBytes, long configured, long learned, long maxBytes) {
    TierGeometry tier = TierGeometry.of(memoryBytes);
    long memoryEntries = tier.indexEntries();
    if (configured != 0) {
      return new IndexCapacity(
          configured, configured, diskBytes, Math.min(configured, memoryEntries), tier);
    }
    long wanted =
        Math.min(MAX_ENTRIES, Math.max(memoryEntries + diskBytes / DISK_BYTES_PER_ENTRY, learned));
    long affordable =
        maxBytes == 0
            ? MAX_ENTRIES
            : Math.max(memoryEntries, stepped(maxBytes / ChronicleIndex.BYTES_PER_ENTRY));
    return new IndexCapacity(Math.min(wanted, affordable), wanted, diskBytes, memoryEntries, tier);
  }

  /** In steps of a thirty-second, so that a few pages more or less make the same index. */
  private static long stepped(long entries) {
    long step = Math.max(1, Long.highestOneBit(Math.max(1, entries)) / 32);
    return entries / step * step;
  }

  /** Memory that the index takes, near enough to plan with, and rather too much. */
  public long bytes() {
    return ChronicleIndex.estimatedBytes(entries);
  }

  /** Whether memory for the index, not the sizes, decided. */
  public boolean isLimitedByMemory() {
    return entries < wanted;
  }

  /**
   * The mean size of an entry's record from which the disks can fill; 0 without disks. Below it the
   * index is full first.
   */
  public long diskBytesPerEntry() {
    return diskBytes == 0 ? 0 : diskBytes / Math.max(1, entries - memoryEntries);
  }

  /**
   * The part of the disks that the index can name if all objects have bodies of this size: 0 to 1;
   * 1 without disks.
   */
  public double diskShare(long bodyBytes) {
    long slices =
        bodyBytes <= tier.inlineBytes() ? 0 : Math.ceilDiv(bodyBytes, (long) tier.sliceBytes());
    double namedBytes = (double) (entries - memoryEntries) / (1 + slices) * bodyBytes;
    return diskBytes == 0 ? 1 : Math.min(1, namedBytes / diskBytes);
  }

  /**
   * What an earlier run of this data directory recorded.
   *
   * @return entries; 0 where nothing is recorded, or nothing that can be read
   */
  public static long learned(Path dataDirectory) {
    Path file = dataDirectory.resolve(LEARNED_FILE);
    if (!Files.exists(file)) {
      return 0;
    }
    try (FileChannel in = PrivateFiles.openToRead(file)) {
      ByteBuffer bytes = ByteBuffer.allocate(MAX_NUMBER);
      int read = in.read(bytes, 0);
      String text = read <= 0 ? "" : StandardCharsets.US_ASCII.decode(bytes.flip()).toString();
      return Math.clamp(Long.parseLong(text.strip()), 0, MAX_ENTRIES);
    } catch (IOException | NumberFormatException e) {
      return 0;
    }
  }

  /** Records for the next start how many entries would have done. */
  static void learn(Path dataDirectory, long entries) throws IOException {
    Path made = dataDirectory.resolve(LEARNED_FILE + ".new");
    Files.deleteIfExists(made);
    try (FileChannel out = PrivateFiles.createNew(made)) {
      ByteBuffer number = ByteBuffer.wrap((entries + "\n").getBytes(StandardCharsets.US_ASCII));
      while (number.hasRemaining()) {
        out.write(number);
      }
    }
    Files.move(made, dataDirectory.resolve(LEARNED_FILE), StandardCopyOption.ATOMIC_MOVE);
  }
}
