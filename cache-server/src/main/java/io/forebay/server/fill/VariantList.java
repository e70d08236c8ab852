package io.forebay.server.fill;

import io.forebay.server.fill.history.FillKey;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * The list of variants under a base key, stored in the vary marker's record after its metadata. All
 * numbers are little-endian and unaligned:
 *
 * <pre>
 *   offset  bytes
 *        0  1    1: a response that does not vary stands beside them
 *        1  1    zero
 *        2  2    how many variants are listed          n
 *        4  16n  their keys, high half and low half; those asked for lately come first
 * </pre>
 *
 * Nothing at all is an empty list. What is in it may be gone from the store; what is in the store
 * is in it, but for what two loops did at the same moment and for what a marker listed that was
 * dropped. Such a variant is listed again when it is asked for.
 *
 * @param hasUnvaried whether a response that does not vary stands beside them
 */
public record VariantList(boolean hasUnvaried, List<FillKey> keys) {

  public static final VariantList EMPTY = new VariantList(false, List.of());

  private static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private static final int COUNT_OFFSET = 2;
  private static final int KEYS_OFFSET = 4;
  private static final int KEY_LENGTH = 16;

  public static VariantList read(MemorySegment memory, long offset, int length) {
    List<FillKey> keys = new ArrayList<>();
    int count = count(memory, offset, length);
    for (int i = 0; i < count; i++) {
      long at = offset + KEYS_OFFSET + (long) i * KEY_LENGTH;
      keys.add(new FillKey(memory.get(LONG, at), memory.get(LONG, at + Long.BYTES)));
    }
    return new VariantList(hasUnvaried(memory, offset, length), keys);
  }

  byte[] bytes() {
    byte[] bytes = new byte[KEYS_OFFSET + keys.size() * KEY_LENGTH];
    MemorySegment to = MemorySegment.ofArray(bytes);
    bytes[0] = (byte) (hasUnvaried ? 1 : 0);
    to.set(SHORT, COUNT_OFFSET, (short) keys.size());
    for (int i = 0; i < keys.size(); i++) {
      long at = KEYS_OFFSET + (long) i * KEY_LENGTH;
      to.set(LONG, at, keys.get(i).hi());
      to.set(LONG, at + Long.BYTES, keys.get(i).lo());
    }
    return bytes;
  }

  /** The same with this variant in front, and as many others as the limit leaves room for. */
  VariantList with(FillKey variant, int limit) {
    List<FillKey> now = new ArrayList<>(Math.min(limit, keys.size() + 1));
    now.add(variant);
    for (FillKey key : keys) {
      if (now.size() < limit && !key.equals(variant)) {
        now.add(key);
      }
    }
    return new VariantList(hasUnvaried, now);
  }

  VariantList withUnvaried() {
    return new VariantList(true, keys);
  }

  // Asked on the way to a hit, where nothing is allocated.

  public static boolean hasUnvaried(MemorySegment memory, long offset, int length) {
    return length >= KEYS_OFFSET && memory.get(ValueLayout.JAVA_BYTE, offset) == 1;
  }

  /**
   * Whether a variant is to be put in front, because it is asked for: when the list is half full,
   * and it is among the last quarter or not in it. So a variant that is asked for is put in front
   * once while three quarters of the list are replaced, however often it is asked for.
   */
  public static boolean isDueToMove(
      MemorySegment memory, long offset, int length, long hi, long lo, int limit) {
    int count = count(memory, offset, length);
    if (2 * count < limit) {
      return false;
    }
    for (int i = 0; i < count; i++) {
      long at = offset + KEYS_OFFSET + (long) i * KEY_LENGTH;
      if (memory.get(LONG, at + Long.BYTES) == lo && memory.get(LONG, at) == hi) {
        return i >= count - count / 4;
      }
    }
    return true;
  }

  private static int count(MemorySegment memory, long offset, int length) {
    if (length < KEYS_OFFSET) {
      return 0;
    }
    int count = Short.toUnsignedInt(memory.get(SHORT, offset + COUNT_OFFSET));
    return Math.min(count, (length - KEYS_OFFSET) / KEY_LENGTH);
  }
}
