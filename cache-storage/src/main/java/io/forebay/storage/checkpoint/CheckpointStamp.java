package io.forebay.storage.checkpoint;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Which state of which disk a checkpoint is of. A checkpoint counts only if the disk was left in
 * that state, and if the store has not been open since: then nothing can have replaced what it
 * names.
 *
 * @param storeHigh of the store's identity
 * @param device identity of the disk's file
 * @param number of the disk
 * @param turn of the disk's header, which counts the states that were written
 * @param sequence up to where the store has reserved numbers: each time it is opened it reserves
 *     more
 */
public record CheckpointStamp(
    long storeHigh,
    long storeLow,
    long device,
    int number,
    int regionBytes,
    int regionCount,
    long turn,
    long sequence) {

  static final int LENGTH = 5 * Long.BYTES + 4 * Integer.BYTES;

  /**
   * The stamp of a state of a disk.
   *
   * @param storeIdentity sixteen bytes
   */
  public static CheckpointStamp of(
      byte[] storeIdentity,
      long device,
      int number,
      int regionBytes,
      int regionCount,
      long turn,
      long sequence) {
    ByteBuffer identity = ByteBuffer.wrap(storeIdentity).order(ByteOrder.LITTLE_ENDIAN);
    return new CheckpointStamp(
        identity.getLong(0),
        identity.getLong(Long.BYTES),
        device,
        number,
        regionBytes,
        regionCount,
        turn,
        sequence);
  }

  void write(ByteBuffer into) {
    into.putLong(storeHigh)
        .putLong(storeLow)
        .putLong(device)
        .putLong(turn)
        .putLong(sequence)
        .putInt(number)
        .putInt(regionBytes)
        .putInt(regionCount)
        .putInt(0);
  }

  static CheckpointStamp read(ByteBuffer from) {
    long storeHigh = from.getLong();
    long storeLow = from.getLong();
    long device = from.getLong();
    long turn = from.getLong();
    long sequence = from.getLong();
    int number = from.getInt();
    int regionBytes = from.getInt();
    int regionCount = from.getInt();
    int ignored = from.getInt();
    return new CheckpointStamp(
        storeHigh, storeLow, device, number, regionBytes, regionCount, turn, sequence);
  }
}
