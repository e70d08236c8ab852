package io.forebay.storage.index;

import io.forebay.storage.file.PrivateFiles;
import io.forebay.storage.memory.Headroom;
import io.forebay.storage.memory.TableMemory;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The index of a store with disks: what has a copy in memory is in a Chronicle Map with all that is
 * known of it, and what lies on a disk only is in that disk's {@link DiskIndex}.
 *
 * <pre>
 *                    ┌───────────────┐  leaves memory   ┌──────────────┐
 *   install ───────► │ ChronicleIndex│ ───────────────► │ DiskIndex of │ ◄──── recovery
 *                    │ in memory,    │                  │ its disk     │
 *   replaced, gone ◄ │ or in both    │ ◄─────────────── │ on it only   │ ────► replaced, gone,
 *                    └───────────────┘  promotion       └──────────────┘       region reused
 * </pre>
 *
 * <p>Every step is one update under the key's lock in the Chronicle Map, whichever side has the
 * key:
 *
 * <ul>
 *   <li>a look-up asks the map and, if that has nothing, the tables, under the read lock;
 *   <li>a record that leaves memory is named by the table first, and leaves the map then; one that
 *       the table cannot name gets a tombstone and leaves, too;
 *   <li>a record that is installed or promoted is named by the map first, and whatever the tables
 *       have under the key's number leaves them then.
 * </ul>
 *
 * <p>So nobody finds an older record after a younger one. Keys that a table cannot tell apart may
 * cost each other their records: those are misses.
 */
public final class TieredIndex implements ObjectIndex {
  private static final String PREFIX = "disk-";
  private static final String SUFFIX = ".index";

  private final ChronicleIndex memory;
  private final @Nullable DiskTables tables;
  private final @Nullable Path directory;
  private final boolean isWarm;
  private final Consumer<Path> onMade;

  /** Also those of tables that were removed: who looks something up may still be at one. */
  private final List<TableMemory> mapped = new CopyOnWriteArrayList<>();

  private final Set<Path> files = new HashSet<>();

  /** Over a map alone: there are no disks. */
  public TieredIndex(ChronicleIndex memory) {
    this(memory, null, null, false, file -> {});
  }

  /** Over tables that end with the process. */
  public TieredIndex(ChronicleIndex memory, KeyHash hash) {
    this(memory, hash, null, false, file -> {});
  }

  /**
   * Over tables in files.
   *
   * @param hash by which tables know keys; null: there are no disks
   * @param directory where the files lie; null: tables end with the process
   * @param isWarm whether files that are there are whole, and what the last process left
   * @param onMade told of a file before it is made
   */
  public TieredIndex(
      ChronicleIndex memory,
      @Nullable KeyHash hash,
      @Nullable Path directory,
      boolean isWarm,
      Consumer<Path> onMade) {
    this.memory = memory;
    this.tables = hash == null ? null : new DiskTables(hash);
    this.directory = directory;
    this.isWarm = isWarm;
    this.onMade = onMade;
  }

  /** The files of tables in a directory, in an order that is always the same. */
  public static List<Path> files(Path directory) throws IOException {
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> entries =
        Files.newDirectoryStream(directory, PREFIX + "*" + SUFFIX)) {
      entries.forEach(found::add);
    }
    Collections.sort(found);
    return found;
  }

  /**
   * The table of a device, which has its old content if that is complete.
   *
   * @param capacity of the table, in records
   */
  public DiskIndex open(
      int device, int regionBytes, int regionCount, long capacity, IndexedDisk owner)
      throws IOException {
    if (tables == null) {
      throw new IllegalStateException("this index was made for no disks");
    }
    DiskIndex table = null;
    Path file = directory == null ? null : directory.resolve(PREFIX + device + SUFFIX);
    if (isWarm && file != null && PrivateFiles.check(file)) {
      TableMemory old = TableMemory.open(file);
      DiskIndex found = new DiskIndex(device, regionBytes, regionCount, capacity, old, owner);
      if (found.load()) {
        mapped.add(old);
        table = found;
      } else {
        old.close();
      }
    }
    if (table == null) {
      TableMemory made =
          file == null ? TableMemory.anonymous() : make(file, DiskIndex.bytes(capacity));
      mapped.add(made);
      table = new DiskIndex(device, regionBytes, regionCount, capacity, made, owner);
    }
    if (file != null) {
      files.add(file);
    }
    tables.add(table);
    return table;
  }

  /** Whether there can be tables: not in an index that was made for no disks. */
  public boolean hasTables() {
    return tables != null;
  }

  /** Looks nothing up any more in the table of a device. Its memory is kept until the end. */
  public void remove(int device) {
    if (tables != null) {
      tables.remove(device);
    }
  }

  private TableMemory make(Path file, long bytes) throws IOException {
    Files.deleteIfExists(file);
    onMade.accept(file);
    new Headroom().require(file.resolveSibling(""), bytes, "the index of a disk");
    return TableMemory.create(file, bytes);
  }

  /** Removes the tables of disks that the store does not have any more. */
  public void removeOthers() throws IOException {
    if (directory != null) {
      for (Path file : files(directory)) {
        if (!files.contains(file)) {
          Files.delete(file);
        }
      }
    }
  }

  private DiskIndex[] all() {
    return tables == null ? new DiskIndex[0] : tables.all();
  }

  @Override
  public Cursor nonBlockingCursor() {
    return memory.cursor(false, tables);
  }

  @Override
  public Cursor blockingCursor() {
    return memory.cursor(true, tables);
  }

  /** Keys of what has a copy in memory. */
  @Override
  public long count() {
    return memory.count();
  }

  /** For keys of what has a copy in memory. */
  @Override
  public long capacity() {
    return memory.capacity();
  }

  /** Entries of what lies on a disk only: a record, or a run of slices, has one. */
  public long diskCount() {
    long sum = 0;
    for (DiskIndex table : all()) {
      sum += table.count();
    }
    return sum;
  }

  public long diskCapacity() {
    long sum = 0;
    for (DiskIndex table : all()) {
      sum += table.capacity();
    }
    return sum;
  }

  /** By which the tables tell keys apart. */
  public KeyHash hash() {
    return tables == null ? KeyHash.STANDARD : tables.hash();
  }

  /** What map and tables take of memory at most. */
  public long offHeapBytes() {
    long sum = memory.offHeapBytes();
    for (DiskIndex table : all()) {
      sum += table.maxBytes();
    }
    return sum;
  }

  /** Whether no file of a table was cut while it is mapped. */
  public boolean isWhole() throws IOException {
    for (TableMemory one : mapped) {
      if (!one.isWhole()) {
        return false;
      }
    }
    return true;
  }

  /** Writes what the next process needs to use the tables as they are. */
  public void saveTables() {
    if (directory != null) {
      for (DiskIndex table : all()) {
        table.save();
      }
    }
  }

  /** Ends the tables, which {@link #close} leaves: they are sealed after the map is closed. */
  public void closeTables() throws IOException {
    for (TableMemory one : mapped) {
      one.close();
    }
    mapped.clear();
  }

  @Override
  public void close() {
    memory.close();
  }
}
