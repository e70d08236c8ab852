package io.forebay.storage.memory;

import io.forebay.storage.file.PrivateFiles;
import io.forebay.storage.layout.CheckedLong;
import io.forebay.storage.layout.Layouts;
import io.forebay.storage.layout.TierHeader;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/**
 * The file of a middle tier at rest, to be mapped read-only. Its header is trusted only if the
 * checksum and the file's length agree. The caller holds the directory's lock.
 */
public final class MiddleTierFile implements AutoCloseable {
  private final Path file;
  private final long unit;
  private final FileBlocks blocks;
  private final int regionBytes;
  private final int regionCount;
  private final long start;

  private MiddleTierFile(Path file, long unit, FileBlocks blocks, MemorySegment header) {
    this.file = file;
    this.unit = unit;
    this.blocks = blocks;
    this.regionBytes = header.get(Layouts.INT, TierHeader.REGION_BYTES_OFFSET);
    this.regionCount = header.get(Layouts.INT, TierHeader.REGION_COUNT_OFFSET);
    this.start = CheckedLong.read(header, TierHeader.START_OFFSET, 0);
  }

  /** Opens the file of a directory, or says in one line why there is none. */
  public static MiddleTierFile open(Path directory) throws IOException {
    Path file = directory.resolve(MiddleTierMemory.NAME);
    long unit = MiddleTierMemory.unit(directory);
    Object key = FileBlocks.key(file);
    try (FileChannel channel = PrivateFiles.openToRead(file);
        Arena arena = Arena.ofConfined()) {
      if (channel.size() < unit) {
        throw new DamagedFileException(file + " is truncated: it ends within its first page");
      }
      MemorySegment header =
          channel.map(FileChannel.MapMode.READ_ONLY, 0, unit, arena).asSlice(0, TierHeader.LENGTH);
      TierFile.check(file, header, channel.size() - unit);
      FileBlocks blocks = FileBlocks.openToRead(file, key);
      if (blocks == null) {
        throw new IOException(file + " cannot be opened to be mapped");
      }
      return new MiddleTierFile(file, unit, blocks, header);
    }
  }

  public Path file() {
    return file;
  }

  /** See {@link MiddleTierMemory#unit}. */
  public long unit() {
    return unit;
  }

  public int regionBytes() {
    return regionBytes;
  }

  public int regionCount() {
    return regionCount;
  }

  /** The number of the last start that it was there at. */
  public long start() {
    return start;
  }

  /** Maps its regions at a place. */
  public void mapInto(AddressRange range, long at) throws IOException {
    range.mapToRead(blocks, unit, at, (long) regionCount * regionBytes);
  }

  @Override
  public void close() {
    blocks.close();
  }
}
