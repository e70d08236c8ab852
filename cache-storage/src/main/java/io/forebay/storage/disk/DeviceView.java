package io.forebay.storage.disk;

import io.forebay.storage.file.PrivateFiles;
import io.forebay.storage.layout.DeviceHeader;
import io.forebay.storage.layout.DirectoryPage;
import io.forebay.storage.memory.DamagedFileException;
import io.forebay.storage.memory.ForeignFileException;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A device's file, read and never written, whether a store is at work on it or not. Positioned
 * reads only. What a running store has not written yet is not in it. One thread at a time.
 */
public final class DeviceView implements AutoCloseable {
  public static final String NAME = "disk.store";

  /** After so many pages that are not whole the rest of a directory is taken for empty. */
  private static final int TORN_PAGES = 4;

  /** A page that a running store's sweep is writing is whole the next time. */
  private static final int ATTEMPTS = 3;

  private static final int MAX_REGION = 1 << 30;

  private final Path file;
  private final FileChannel channel;
  private final int number;
  private final long device;
  private final int regionBytes;
  private final int regionCount;
  private final boolean isClean;
  private final PageEntry entry = new PageEntry();
  private final ByteBuffer page = newPage();

  /**
   * What the pages of a region say together.
   *
   * @param generation of its first page; 0 with no pages if there is none
   * @param holes pages that are not whole and lie before one that is: what they named is lost
   */
  public record Extent(int generation, long age, int pages, int dataEnd, int holes) {
    static final Extent EMPTY = new Extent(0, 0, 0, 0, 0);
  }

  /**
   * One entry of a directory, copied out.
   *
   * @param isDead whether a sweep has marked it dead; its offset is then that of what it named
   */
  @SuppressWarnings("ArrayRecordComponent")
  public record Entry(
      byte kind,
      int storageClass,
      long keyHigh,
      long keyLow,
      int offset,
      int length,
      int slice,
      long birth,
      long bodyBirth,
      long objectId,
      int expiresSeconds,
      long[] scopes,
      boolean isDead) {
    public boolean isTombstone() {
      return kind == DirectoryPage.KIND_TOMBSTONE;
    }
  }

  /** Told of one entry after the other. */
  @FunctionalInterface
  public interface Visitor {
    void visit(Entry entry, int generation) throws IOException;
  }

  private DeviceView(Path file, FileChannel channel, ByteBuffer head) throws IOException {
    this.file = file;
    this.channel = channel;
    long magic = head.getLong(DeviceHeader.MAGIC_OFFSET);
    if (magic == 0) {
      throw new DamagedFileException(file + " was never completed: the next start recreates it");
    }
    if (magic != DeviceHeader.MAGIC) {
      throw new ForeignFileException(file + " is not a Forebay disk store");
    }
    int version = head.getInt(DeviceHeader.VERSION_OFFSET);
    if (version != DeviceHeader.VERSION) {
      throw new ForeignFileException(
          file + " has format " + version + ", this Forebay supports " + DeviceHeader.VERSION);
    }
    if (head.getInt(DeviceHeader.CRC_OFFSET) != checksum(head, DeviceHeader.CRC_OFFSET)) {
      throw new DamagedFileException(
          file + ": its first page is damaged (checksum): the next start opens it empty");
    }
    this.number = head.getInt(DeviceHeader.NUMBER_OFFSET);
    this.device = head.getLong(DeviceHeader.DEVICE_OFFSET);
    this.regionBytes = head.getInt(DeviceHeader.REGION_BYTES_OFFSET);
    this.regionCount = head.getInt(DeviceHeader.REGION_COUNT_OFFSET);
    if (regionBytes < DirectoryPage.LENGTH
        || regionBytes > MAX_REGION
        || regionBytes % DirectoryPage.LENGTH != 0
        || regionCount <= 0) {
      throw new DamagedFileException(
          file + " claims to have " + regionCount + " regions of " + regionBytes + " bytes");
    }
    long expected = DeviceHeader.LENGTH + (long) regionCount * regionBytes;
    if (channel.size() != expected) {
      throw new DamagedFileException(
          file
              + " is "
              + (channel.size() < expected ? "truncated: " : "too long: ")
              + channel.size()
              + " bytes instead of "
              + expected
              + ": the next start recreates it empty");
    }
    this.isClean = readClean();
  }

  /** Opens the device in a directory, or says in one line why there is none. */
  public static DeviceView open(Path directory) throws IOException {
    Path file = directory.resolve(NAME);
    FileChannel channel = PrivateFiles.openToRead(file);
    boolean done = false;
    try {
      ByteBuffer head = newPage();
      read(channel, file, head, 0);
      DeviceView opened = new DeviceView(file, channel, head);
      done = true;
      return opened;
    } finally {
      if (!done) {
        channel.close();
      }
    }
  }

  private static ByteBuffer newPage() {
    return ByteBuffer.allocate(DeviceHeader.PAGE).order(ByteOrder.LITTLE_ENDIAN);
  }

  private boolean readClean() throws IOException {
    long turn = -1;
    boolean isNewestClean = false;
    for (int n = 1; n <= DeviceHeader.STATE_PAGES; n++) {
      ByteBuffer state = newPage();
      read(channel, file, state, (long) n * DeviceHeader.PAGE);
      if (state.getInt(DeviceHeader.STATE_CRC_OFFSET)
              == checksum(state, DeviceHeader.STATE_CRC_OFFSET)
          && state.getLong(DeviceHeader.TURN_OFFSET) > turn) {
        turn = state.getLong(DeviceHeader.TURN_OFFSET);
        isNewestClean = state.getInt(DeviceHeader.CLEAN_OFFSET) == 1;
      }
    }
    return isNewestClean;
  }

  private static int checksum(ByteBuffer page, int length) {
    CRC32C crc = new CRC32C();
    crc.update(page.slice(0, length));
    return (int) crc.getValue();
  }

  /** By which the index names this device. */
  public int number() {
    return number;
  }

  public int regionBytes() {
    return regionBytes;
  }

  public int regionCount() {
    return regionCount;
  }

  /** Whether it was closed in order. */
  public boolean isClean() {
    return isClean;
  }

  /** When a region was opened, counted in regions; 0 if it holds nothing. One page is read. */
  public long age(int region) throws IOException {
    ByteBuffer first = page(region, 0);
    return first == null ? 0 : first.getLong(DirectoryPage.AGE_OFFSET);
  }

  /**
   * Reads a region's directory from its start: the pages of the first one's generation. It ends
   * where several in a row are not.
   */
  public Extent walk(int region, Visitor visitor) throws IOException {
    ByteBuffer first = page(region, 0);
    if (first == null) {
      Extent found = headless(region);
      // Pages behind the first may have come after it was looked for.
      first = found.holes() > 0 ? page(region, 0) : null;
      if (first == null) {
        return found;
      }
    }
    int generation = first.getInt(DirectoryPage.GENERATION_OFFSET);
    long age = first.getLong(DirectoryPage.AGE_OFFSET);
    int torn = 0;
    int missing = 0;
    int holes = 0;
    int pages = 0;
    int dataEnd = 0;
    int most = regionBytes / DirectoryPage.LENGTH;
    for (int n = 0; n < most && torn < TORN_PAGES; n++) {
      ByteBuffer one = page(region, n);
      if (one == null || one.getInt(DirectoryPage.GENERATION_OFFSET) != generation) {
        torn += DirectoryPages.isHeaderOf(page, generation, n) ? 0 : 1;
        missing++;
        continue;
      }
      if (missing > 0) {
        int come = comeSince(region, n - missing, n, generation, visitor);
        one = page(region, n);
        if (one == null || one.getInt(DirectoryPage.GENERATION_OFFSET) != generation) {
          break; // the region has a new life
        }
        holes += missing - come;
        missing = 0;
      }
      torn = 0;
      pages = n + 1;
      dataEnd = Math.max(dataEnd, one.getInt(DirectoryPage.DATA_END_OFFSET));
      visit(one, generation, visitor);
    }
    return new Extent(generation, age, pages, Math.clamp(dataEnd, 0, regionBytes), holes);
  }

  /**
   * Visits the pages that were missing and are there now: a running store writes page after page,
   * so one that was looked for too early is whole once a later one is.
   *
   * @return how many
   */
  private int comeSince(int region, int from, int end, int generation, Visitor visitor)
      throws IOException {
    int come = 0;
    for (int n = from; n < end; n++) {
      ByteBuffer one = page(region, n);
      if (one != null && one.getInt(DirectoryPage.GENERATION_OFFSET) == generation) {
        come++;
        visit(one, generation, visitor);
      }
    }
    return come;
  }

  /** Nothing, unless pages stand behind a first one that is damaged. */
  private Extent headless(int region) throws IOException {
    for (int n = 1; n <= TORN_PAGES && (n + 1) * DirectoryPage.LENGTH <= regionBytes; n++) {
      if (page(region, n) != null) {
        return new Extent(0, 0, 0, 0, n);
      }
    }
    return Extent.EMPTY;
  }

  private void visit(ByteBuffer one, int generation, Visitor visitor) throws IOException {
    // The visitor may read, and this page's buffer is used again for the next one.
    IOException[] failure = new IOException[1];
    DirectoryPages.forEach(
        one.duplicate().order(ByteOrder.LITTLE_ENDIAN),
        entry,
        found -> {
          if (failure[0] == null) {
            try {
              visitor.visit(copy(found), generation);
            } catch (IOException e) {
              failure[0] = e;
            }
          }
        });
    if (failure[0] != null) {
      throw failure[0];
    }
  }

  private static Entry copy(PageEntry found) {
    return new Entry(
        found.kind(),
        found.storageClass(),
        found.keyHigh(),
        found.keyLow(),
        found.isDead() ? DirectoryPage.deadOffset(found.offset()) : found.offset(),
        found.recordLength(),
        found.slice(),
        found.birth(),
        found.bodyBirth(),
        found.objectId(),
        found.expiresSeconds(),
        found.words(),
        found.isDead());
  }

  private @Nullable ByteBuffer page(int region, int number) throws IOException {
    long at = at(region) + regionBytes - (number + 1L) * DirectoryPage.LENGTH;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      read(channel, file, page.clear(), at);
      page.clear();
      if (DirectoryPages.isWhole(page, device, number)) {
        return page;
      }
      if (page.getInt(DirectoryPage.MAGIC_OFFSET) != DirectoryPage.MAGIC) {
        return null;
      }
    }
    return null;
  }

  /** Fills a buffer from a place in a region. */
  public void read(ByteBuffer into, int region, int offset) throws IOException {
    read(channel, file, into, at(region) + offset);
  }

  private long at(int region) {
    return DeviceHeader.LENGTH + (long) region * regionBytes;
  }

  private static void read(FileChannel channel, Path file, ByteBuffer into, long at)
      throws IOException {
    long from = at;
    while (into.hasRemaining()) {
      int length = channel.read(into, from);
      if (length < 0) {
        throw new EOFException(file + " is truncated at " + from);
      }
      from += length;
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
