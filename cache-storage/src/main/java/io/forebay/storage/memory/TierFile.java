package io.forebay.storage.memory;

import io.forebay.storage.file.PrivateFiles;
import io.forebay.storage.layout.CheckedLong;
import io.forebay.storage.layout.DirectoryEntry;
import io.forebay.storage.layout.Layouts;
import io.forebay.storage.layout.RegionHeader;
import io.forebay.storage.layout.TierHeader;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The file of a tier at rest, mapped read-only. Its header is trusted only if the checksum and the
 * file's length agree, so no mapped page lies beyond the file. The caller holds the directory's
 * lock, so no start truncates the file meanwhile.
 */
public final class TierFile implements AutoCloseable {
  public static final String NAME = "memory.tier";

  private static final int MAX_REGION = 1 << 30;

  private final Arena arena;
  private final MemorySegment memory;
  private final @Nullable FileBlocks blocks;

  private TierFile(Arena arena, MemorySegment memory, @Nullable FileBlocks blocks) {
    this.arena = arena;
    this.memory = memory;
    this.blocks = blocks;
  }

  /** Maps a tier, or says in one line why this is none. */
  public static TierFile open(Path file) throws IOException {
    Object key = FileBlocks.key(file);
    try (FileChannel channel = PrivateFiles.openToRead(file)) {
      long size = channel.size();
      if (size < TierHeader.LENGTH) {
        throw new DamagedFileException(
            file
                + " is truncated: "
                + size
                + " bytes, and its first page has "
                + TierHeader.LENGTH);
      }
      Arena arena = Arena.ofShared();
      boolean done = false;
      try {
        MemorySegment memory = channel.map(FileChannel.MapMode.READ_ONLY, 0, size, arena);
        check(file, memory, size - TierHeader.LENGTH);
        done = true;
        return new TierFile(arena, memory, FileBlocks.openToRead(file, key));
      } finally {
        if (!done) {
          arena.close();
        }
      }
    }
  }

  /**
   * Checks the first page.
   *
   * @param lengthBytes of what follows the header in the file
   */
  static void check(Path file, MemorySegment memory, long lengthBytes) throws IOException {
    long magic = memory.get(Layouts.LONG, TierHeader.MAGIC_OFFSET);
    if (magic == 0) {
      throw new DamagedFileException(file + " was never completed: the next start recreates it");
    }
    if (!TierHeader.isOurs(magic)) {
      throw new ForeignFileException(file + " is not a Forebay memory tier");
    }
    if (magic != TierHeader.MAGIC) {
      throw new DamagedFileException(
          file + ": its first page is damaged (magic): the next start opens it empty");
    }
    int version = memory.get(Layouts.INT, TierHeader.VERSION_OFFSET);
    if (!TierHeader.isSupported(version)) {
      throw new ForeignFileException(
          file
              + " has format "
              + version
              + ", this Forebay supports "
              + TierHeader.VERSION
              + " to "
              + TierHeader.TIERS_CLASSES_VERSION);
    }
    if (memory.get(Layouts.INT, TierHeader.CRC_OFFSET) != TierHeader.checksum(memory)) {
      throw new DamagedFileException(
          file + ": its first page is damaged (checksum): the next start opens it empty");
    }
    int regionBytes = memory.get(Layouts.INT, TierHeader.REGION_BYTES_OFFSET);
    int regions = memory.get(Layouts.INT, TierHeader.REGION_COUNT_OFFSET);
    if (regionBytes < RegionHeader.LENGTH + DirectoryEntry.LENGTH
        || regionBytes > MAX_REGION
        || regionBytes % RegionHeader.LENGTH != 0
        || regions <= 0) {
      throw new DamagedFileException(
          file + " claims to have " + regions + " regions of " + regionBytes + " bytes");
    }
    long expected = (long) regions * regionBytes;
    if (lengthBytes != expected) {
      throw new DamagedFileException(
          file
              + " is "
              + (lengthBytes < expected ? "truncated: " : "too long: ")
              + (lengthBytes + TierHeader.LENGTH)
              + " bytes instead of "
              + (expected + TierHeader.LENGTH)
              + ": the next start recreates it empty");
    }
  }

  public MemorySegment memory() {
    return memory;
  }

  /** Maps it at the beginning of a range, too, before middle tiers. */
  public void mapInto(AddressRange range) throws IOException {
    if (blocks == null) {
      throw new IOException("the memory tier cannot be mapped before other tiers");
    }
    range.mapToRead(blocks, 0, 0, memory.byteSize());
  }

  public int regionBytes() {
    return memory.get(Layouts.INT, TierHeader.REGION_BYTES_OFFSET);
  }

  public int regionCount() {
    return memory.get(Layouts.INT, TierHeader.REGION_COUNT_OFFSET);
  }

  /** Whether a part of the file has no pages; false if not known. */
  public boolean hasHole(long from, long lengthBytes) {
    return blocks != null && blocks.hasHole(from, lengthBytes);
  }

  /** Whether it was closed in order. */
  public boolean isClean() {
    return TierHeader.isClean(memory);
  }

  /** When a store was last at work on it. */
  public long newestMillis() {
    return CheckedLong.read(memory, TierHeader.NEWEST_MILLIS_OFFSET, 0);
  }

  @Override
  public void close() {
    arena.close();
    if (blocks != null) {
      blocks.close();
    }
  }
}
