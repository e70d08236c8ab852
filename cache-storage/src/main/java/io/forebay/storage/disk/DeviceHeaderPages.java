package io.forebay.storage.disk;

import io.forebay.storage.layout.DeviceHeader;
import io.forebay.storage.layout.DirectoryPage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.UUID;
import java.util.zip.CRC32C;

/** The header pages of one device: who it is, and what it says of its last use. */
final class DeviceHeaderPages {
  private final BlockFile file;
  private int number;
  private long device;
  private long turn;
  private long sweptThrough;
  private long newestMillis;
  private boolean isClean;

  /** What the device is for, in the values of the header. */
  private int use;

  private RecentRegions trail = RecentRegions.NONE;

  DeviceHeaderPages(BlockFile file) {
    this.file = file;
  }

  int number() {
    return number;
  }

  /** Tells this device, and this life of its file, from every other. */
  long device() {
    return device;
  }

  /** How many states have been written. */
  long turn() {
    return turn;
  }

  long sweptThrough() {
    return sweptThrough;
  }

  boolean isClean() {
    return isClean;
  }

  int use() {
    return use;
  }

  /** Is written with the next state. */
  void use(int newUse) {
    use = newUse;
  }

  long newestMillis() {
    return newestMillis;
  }

  /** How far regions had been written, and forced, when the state was written: two of them. */
  RecentRegions trail() {
    return trail;
  }

  /** Reads what is there; false if it is not a device of this store and shape. */
  boolean read(byte[] storeIdentity, int regionBytes, int regionCount) throws IOException {
    ByteBuffer page = page();
    file.read(page, 0);
    ByteBuffer identity = ByteBuffer.wrap(storeIdentity).order(ByteOrder.LITTLE_ENDIAN);
    boolean isOurs =
        page.getLong(DeviceHeader.MAGIC_OFFSET) == DeviceHeader.MAGIC
            && page.getInt(DeviceHeader.VERSION_OFFSET) == DeviceHeader.VERSION
            && page.getInt(DeviceHeader.LENGTH_OFFSET) == DeviceHeader.LENGTH
            && page.getLong(DeviceHeader.STORE_OFFSET) == identity.getLong(0)
            && page.getLong(DeviceHeader.STORE_OFFSET + Long.BYTES) == identity.getLong(Long.BYTES)
            && page.getInt(DeviceHeader.REGION_BYTES_OFFSET) == regionBytes
            && page.getInt(DeviceHeader.REGION_COUNT_OFFSET) == regionCount
            && page.getInt(DeviceHeader.CRC_OFFSET) == checksum(page, DeviceHeader.CRC_OFFSET);
    if (!isOurs) {
      return false;
    }
    number = page.getInt(DeviceHeader.NUMBER_OFFSET);
    device = page.getLong(DeviceHeader.DEVICE_OFFSET);
    turn = -1;
    for (int n = 1; n <= DeviceHeader.STATE_PAGES; n++) {
      ByteBuffer state = page();
      file.read(state, (long) n * DeviceHeader.PAGE);
      if (state.getInt(DeviceHeader.STATE_CRC_OFFSET)
              == checksum(state, DeviceHeader.STATE_CRC_OFFSET)
          && state.getLong(DeviceHeader.TURN_OFFSET) > turn) {
        turn = state.getLong(DeviceHeader.TURN_OFFSET);
        sweptThrough = state.getLong(DeviceHeader.SWEPT_OFFSET);
        newestMillis = state.getLong(DeviceHeader.NEWEST_OFFSET);
        isClean = state.getInt(DeviceHeader.CLEAN_OFFSET) == 1;
        use = state.getInt(DeviceHeader.USE_OFFSET);
        trail =
            new RecentRegions(
                WrittenExtent.read(state, DeviceHeader.LAST_OFFSET),
                WrittenExtent.read(state, DeviceHeader.LAST_OFFSET + DirectoryPage.REACH_LENGTH),
                WrittenExtent.NONE);
      }
    }
    return turn >= 0;
  }

  /** Whether the file is still that of this device, as it was left or as it has been since. */
  boolean isStillThere() throws IOException {
    ByteBuffer page = page();
    file.read(page, 0);
    return page.getLong(DeviceHeader.MAGIC_OFFSET) == DeviceHeader.MAGIC
        && page.getLong(DeviceHeader.DEVICE_OFFSET) == device
        && page.getInt(DeviceHeader.CRC_OFFSET) == checksum(page, DeviceHeader.CRC_OFFSET);
  }

  /** Makes an empty device of this store. What its regions hold must be of no generation. */
  synchronized void format(
      byte[] storeIdentity, int newNumber, int regionBytes, int regionCount, long swept, long now)
      throws IOException {
    ByteBuffer none = page();
    file.write(none, 0);
    file.force();
    number = newNumber;
    turn = 0;
    state(swept, now, false, RecentRegions.NONE);
    UUID newDevice = UUID.randomUUID();
    device = newDevice.getMostSignificantBits();
    ByteBuffer identity = ByteBuffer.wrap(storeIdentity).order(ByteOrder.LITTLE_ENDIAN);
    ByteBuffer page = page();
    page.putLong(DeviceHeader.MAGIC_OFFSET, DeviceHeader.MAGIC);
    page.putInt(DeviceHeader.VERSION_OFFSET, DeviceHeader.VERSION);
    page.putInt(DeviceHeader.LENGTH_OFFSET, DeviceHeader.LENGTH);
    page.putLong(DeviceHeader.STORE_OFFSET, identity.getLong(0));
    page.putLong(DeviceHeader.STORE_OFFSET + Long.BYTES, identity.getLong(Long.BYTES));
    page.putLong(DeviceHeader.DEVICE_OFFSET, device);
    page.putLong(DeviceHeader.DEVICE_OFFSET + Long.BYTES, newDevice.getLeastSignificantBits());
    page.putInt(DeviceHeader.NUMBER_OFFSET, number);
    page.putInt(DeviceHeader.REGION_BYTES_OFFSET, regionBytes);
    page.putInt(DeviceHeader.REGION_COUNT_OFFSET, regionCount);
    page.putInt(DeviceHeader.CRC_OFFSET, checksum(page, DeviceHeader.CRC_OFFSET));
    file.write(page, 0);
    file.force();
  }

  /**
   * Writes the state and has it reach the device, with everything written before. Both copies: the
   * second one is not touched before the first one is safe, so if one can't be read the other is
   * what counts.
   */
  synchronized void state(long swept, long now, boolean clean, RecentRegions written)
      throws IOException {
    ByteBuffer page = page();
    page.putLong(DeviceHeader.TURN_OFFSET, turn + 1);
    page.putLong(DeviceHeader.SWEPT_OFFSET, swept);
    page.putLong(DeviceHeader.NEWEST_OFFSET, now);
    page.putInt(DeviceHeader.CLEAN_OFFSET, clean ? 1 : 0);
    page.putInt(DeviceHeader.USE_OFFSET, use);
    written.last().write(page, DeviceHeader.LAST_OFFSET);
    written.before().write(page, DeviceHeader.LAST_OFFSET + DirectoryPage.REACH_LENGTH);
    page.putInt(DeviceHeader.STATE_CRC_OFFSET, checksum(page, DeviceHeader.STATE_CRC_OFFSET));
    file.force();
    for (int n = 1; n <= DeviceHeader.STATE_PAGES; n++) {
      file.write(page.clear(), (long) n * DeviceHeader.PAGE);
      file.force();
    }
    turn++;
    trail = written;
    sweptThrough = swept;
    newestMillis = now;
    isClean = clean;
  }

  /** Whether a page is the first one of a device, but for a magic number that was damaged. */
  static boolean isOtherwiseWhole(ByteBuffer page) {
    page.clear();
    page.putLong(DeviceHeader.MAGIC_OFFSET, DeviceHeader.MAGIC);
    return page.getInt(DeviceHeader.CRC_OFFSET) == checksum(page, DeviceHeader.CRC_OFFSET);
  }

  private static ByteBuffer page() {
    return ByteBuffer.allocate(DeviceHeader.PAGE).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static int checksum(ByteBuffer page, int length) {
    CRC32C crc = new CRC32C();
    crc.update(page.slice(0, length));
    return (int) crc.getValue();
  }
}
