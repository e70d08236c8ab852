package io.forebay.storage.disk;

import io.forebay.storage.endurance.WriteHistory;
import io.forebay.storage.layout.DeviceHeader;
import io.forebay.storage.layout.WriteHistoryPage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.LongSupplier;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the history of writes of one device in its header. It belongs to the device and not to what
 * is stored there: emptying the device leaves it. The writer's.
 */
final class WriteHistoryPages {
  /** What was written in so long before a kill is not counted. */
  private static final long NOTE_MILLIS = 60_000;

  /** No page says when the history began. */
  private static final long NOTHING = -1;

  private final BlockFile file;
  private final WriteHistory history;
  private final LongSupplier clockMillis;
  private long turn;
  private long notedTotal;
  private long notedMillis;

  WriteHistoryPages(BlockFile file, WriteHistory history, LongSupplier clockMillis) {
    this.file = file;
    this.history = history;
    this.clockMillis = clockMillis;
    this.notedMillis = clockMillis.getAsLong();
  }

  /** Goes on from the newest page that is whole; with none, the history begins now. */
  void read() throws IOException {
    ByteBuffer newest = newest();
    if (newest != null) {
      history.read(newest);
    }
    notedTotal = newest == null ? NOTHING : history.total();
  }

  private @Nullable ByteBuffer newest() throws IOException {
    turn = 0;
    @Nullable ByteBuffer newest = null;
    for (int n = 0; n < WriteHistoryPage.COPIES; n++) {
      ByteBuffer page = page();
      file.read(page, at(n));
      if (isWhole(page) && page.getLong(WriteHistoryPage.TURN_OFFSET) > turn) {
        turn = page.getLong(WriteHistoryPage.TURN_OFFSET);
        newest = page;
      }
    }
    return newest;
  }

  /**
   * The file was opened again: it may lie on another device by now, which has a history of its own
   * or none.
   */
  void reopened() throws IOException {
    ByteBuffer newest = newest();
    if (newest == null) {
      history.restart();
      notedTotal = NOTHING;
      write();
    } else if (newest.getLong(WriteHistoryPage.BEGAN_OFFSET) != history.beganMillis()) {
      history.read(newest);
    }
  }

  /** Writes the history if it has changed and was not written a while ago. */
  void note() throws IOException {
    if (Math.abs(clockMillis.getAsLong() - notedMillis) >= NOTE_MILLIS) {
      write();
    }
  }

  /** Writes the history if it has changed. */
  void write() throws IOException {
    notedMillis = clockMillis.getAsLong();
    if (history.total() == notedTotal) {
      return;
    }
    turn++;
    ByteBuffer page = page();
    page.putLong(WriteHistoryPage.MAGIC_OFFSET, WriteHistoryPage.MAGIC);
    page.putLong(WriteHistoryPage.TURN_OFFSET, turn);
    history.write(page);
    page.putInt(WriteHistoryPage.CRC_OFFSET, checksum(page));
    file.write(page, at((int) (turn % WriteHistoryPage.COPIES)));
    // The write of the page itself is the next one's.
    notedTotal = history.total();
  }

  private static long at(int copy) {
    return (long) (WriteHistoryPage.FIRST + copy) * DeviceHeader.PAGE;
  }

  private static ByteBuffer page() {
    return ByteBuffer.allocate(DeviceHeader.PAGE).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static boolean isWhole(ByteBuffer page) {
    return page.getLong(WriteHistoryPage.MAGIC_OFFSET) == WriteHistoryPage.MAGIC
        && page.getInt(WriteHistoryPage.CRC_OFFSET) == checksum(page);
  }

  private static int checksum(ByteBuffer page) {
    CRC32C crc = new CRC32C();
    crc.update(
        page.slice(
            WriteHistoryPage.TURN_OFFSET, WriteHistoryPage.END - WriteHistoryPage.TURN_OFFSET));
    return (int) crc.getValue();
  }
}
