package io.forebay.storage.memory;

import io.forebay.storage.file.PrivateFiles;
import io.forebay.storage.layout.TierHeader;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The file of a tier between the first one and the disks. Its regions are mapped into the {@link
 * AddressRange} of all tiers, its header, a page of the file before them, on its own.
 *
 * <pre>
 *  0        4096, or a huge page
 *  +--------+----------+----------+-----+
 *  | header | region 0 | region 1 | ... |
 *  +--------+----------+----------+-----+
 * </pre>
 *
 * <p>The file keeps its size while it is used. On a file system with DAX it is mapped with MAP_SYNC
 * where that is offered, so that a store never waits for a block to be allocated, nor is lost with
 * the allocation of its block; the order in which stores reach the medium is not controlled.
 */
public final class MiddleTierMemory implements AutoCloseable {
  public static final String NAME = "middle.tier";

  /** The {@link #unit} of all file systems but those of huge pages. */
  public static final long SMALL_UNIT = AddressRange.PAGE;

  private final Path file;
  private final MountedFileSystem fileSystem;
  private final FileChannel channel;
  private final Arena arena;
  private final MemorySegment header;
  private final MemorySegment regions;
  private final long fileBytes;
  private final boolean isNew;
  private final AddressRange.Sync sync;
  private final String lockState;
  private final String pageState;

  private MiddleTierMemory(
      Path file,
      MountedFileSystem fileSystem,
      FileChannel channel,
      Arena arena,
      MemorySegment header,
      MemorySegment regions,
      long fileBytes,
      boolean isNew,
      AddressRange.Sync sync,
      boolean lock) {
    this.file = file;
    this.fileSystem = fileSystem;
    this.channel = channel;
    this.arena = arena;
    this.header = header;
    this.regions = regions;
    this.fileBytes = fileBytes;
    this.isNew = isNew;
    this.sync = sync;
    HugePages.ask(regions);
    // Pages of huge-page and DAX files are never swapped out.
    boolean isPinned = fileSystem.isHugeTlb() || sync == AddressRange.Sync.METADATA;
    this.lockState =
        isPinned
            ? "never swapped"
            : lock ? MemoryLock.lock(regions) : "not locked in memory, by configuration";
    this.pageState =
        fileSystem.isHugeTlb()
            ? "pages of " + ((fileBytes - regions.byteSize()) >> 20) + " MiB"
            : HugePages.state(regions);
  }

  /**
   * In what unit a directory's file system maps files: address, position in the file and length are
   * multiples of it.
   */
  public static long unit(Path directory) throws IOException {
    return MountedFileSystem.under(directory.toRealPath()).isHugeTlb()
        ? Files.getFileStore(directory).getBlockSize()
        : SMALL_UNIT;
  }

  /** Whether files of a directory, which need not exist yet, take memory of the machine. */
  public static boolean isMemoryOfMachine(Path directory) {
    Path known = directory.toAbsolutePath().normalize();
    while (known.getParent() != null && !Files.exists(known)) {
      known = known.getParent();
    }
    try {
      return MountedFileSystem.under(known.toRealPath()).isVolatile();
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Maps the file of a directory, making it first if it is not there or has another length.
   *
   * @param regionsBytes a multiple of the unit of its file system
   * @param at where its regions begin in the range
   */
  public static MiddleTierMemory map(
      Path directory,
      long regionsBytes,
      Headroom headroom,
      boolean lock,
      AddressRange range,
      long at)
      throws IOException {
    Path file = directory.resolve(NAME);
    MountedFileSystem fileSystem = MountedFileSystem.under(directory.toRealPath());
    long from = unit(directory);
    boolean isNew =
        TierFileMaker.prepare(
            file,
            from + regionsBytes,
            fileSystem.isKnown() && !fileSystem.isVolatile() ? -1 : TierMemory.GROUP_RESERVE_BYTES,
            headroom,
            "its size in store.tiers");
    Object key = FileBlocks.key(file);
    FileChannel channel = PrivateFiles.open(file);
    Arena arena = Arena.ofShared();
    boolean done = false;
    try (FileBlocks blocks = FileBlocks.open(file, key)) {
      if (blocks == null) {
        throw new IOException(file + " cannot be opened to be mapped");
      }
      MemorySegment header =
          channel.map(FileChannel.MapMode.READ_WRITE, 0, from, arena).asSlice(0, TierHeader.LENGTH);
      AddressRange.Sync sync = range.map(blocks, from, at, regionsBytes);
      MemorySegment regions = range.segment().asSlice(at, regionsBytes);
      MiddleTierMemory tier =
          new MiddleTierMemory(
              file,
              fileSystem,
              channel,
              arena,
              header,
              regions,
              from + regionsBytes,
              isNew,
              sync,
              lock);
      done = true;
      return tier;
    } finally {
      if (!done) {
        arena.close();
        channel.close();
        if (isNew) {
          Files.deleteIfExists(file);
        }
      }
    }
  }

  public Path file() {
    return file;
  }

  /** The first page, of the format {@link TierHeader}. */
  public MemorySegment header() {
    return header;
  }

  /** Whether its bytes were made at this start and hold nothing. */
  public boolean isNew() {
    return isNew;
  }

  /** Whether its records take memory of the machine, and end with it when it stops. */
  public boolean isVolatile() {
    return fileSystem.isVolatile();
  }

  /**
   * Whether the file is still as long as what is mapped of it: a page beyond its end is a fault.
   */
  public boolean isWhole() throws IOException {
    return channel.size() >= fileBytes;
  }

  /** Of which kind its memory is, as a part of a line for the log. */
  public String state() {
    return (fileSystem.isKnown() ? fileSystem.type() : "unknown file system")
        + (sync == AddressRange.Sync.METADATA ? " with MAP_SYNC, " : ", ")
        + pageState
        + ", "
        + lockState;
  }

  /** Has what was written reach the file, where that is not memory itself. */
  public void force() throws IOException {
    AddressRange.force(regions);
    forceHeader();
  }

  /** The same of the header alone. */
  public void forceHeader() throws IOException {
    AddressRange.force(header);
  }

  /** After the last access to its regions, which the range unmaps. */
  @Override
  public void close() throws IOException {
    arena.close();
    channel.close();
  }
}
