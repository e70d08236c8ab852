package io.forebay.core.key;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * SipHash-2-4 with 128 or 64 bits of output (Aumasson and Bernstein, 2012), keyed with a secret so
 * that attackers cannot produce collisions. Allocates nothing. The last result stays in the
 * instance, which therefore belongs to one thread.
 *
 * <p>The 16 bytes of the reference implementation's output are {@link #lo()} and then {@link
 * #hi()}, each least significant byte first. Output of 64 bits is a function of its own, not a half
 * of the 128.
 */
public final class SipHash128 {

  /** Length of the secret in bytes. */
  public static final int SECRET_LENGTH = 16;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final long key0;
  private final long key1;
  private long lo;
  private long hi;

  /**
   * @throws IllegalArgumentException when the secret is not of 16 bytes
   */
  public SipHash128(byte[] secret) {
    if (secret.length != SECRET_LENGTH) {
      throw new IllegalArgumentException("secret of " + secret.length + " bytes, not 16");
    }
    key0 = (long) LONG.get(secret, 0);
    key1 = (long) LONG.get(secret, 8);
  }

  /** Hashes a range to 128 bits, left in {@link #hi()} and {@link #lo()}. */
  public void hash(byte[] bytes, int offset, int length) {
    run(bytes, offset, length, true);
  }

  /** Hashes a range to 64 bits; {@link #hi()} and {@link #lo()} lose what they held. */
  public long hash64(byte[] bytes, int offset, int length) {
    run(bytes, offset, length, false);
    return lo;
  }

  public long hi() {
    return hi;
  }

  public long lo() {
    return lo;
  }

  private void run(byte[] bytes, int offset, int length, boolean isWide) {
    long v0 = key0 ^ 0x736f6d6570736575L;
    long v1 = key1 ^ 0x646f72616e646f6dL;
    long v2 = key0 ^ 0x6c7967656e657261L;
    long v3 = key1 ^ 0x7465646279746573L;
    if (isWide) {
      v1 ^= 0xee;
    }
    int whole = offset + (length & ~7);
    for (int i = offset; ; i += 8) {
      boolean isLast = i == whole;
      long word = isLast ? tail(bytes, whole, length) : (long) LONG.get(bytes, i);
      v3 ^= word;
      for (int round = 0; round < 2; round++) {
        v0 += v1;
        v1 = Long.rotateLeft(v1, 13) ^ v0;
        v0 = Long.rotateLeft(v0, 32);
        v2 += v3;
        v3 = Long.rotateLeft(v3, 16) ^ v2;
        v0 += v3;
        v3 = Long.rotateLeft(v3, 21) ^ v0;
        v2 += v1;
        v1 = Long.rotateLeft(v1, 17) ^ v2;
        v2 = Long.rotateLeft(v2, 32);
      }
      v0 ^= word;
      if (isLast) {
        break;
      }
    }
    v2 ^= isWide ? 0xee : 0xff;
    long first = 0;
    for (int round = 0; round < (isWide ? 8 : 4); round++) {
      if (round == 4) {
        first = v0 ^ v1 ^ v2 ^ v3;
        v1 ^= 0xdd;
      }
      v0 += v1;
      v1 = Long.rotateLeft(v1, 13) ^ v0;
      v0 = Long.rotateLeft(v0, 32);
      v2 += v3;
      v3 = Long.rotateLeft(v3, 16) ^ v2;
      v0 += v3;
      v3 = Long.rotateLeft(v3, 21) ^ v0;
      v2 += v1;
      v1 = Long.rotateLeft(v1, 17) ^ v2;
      v2 = Long.rotateLeft(v2, 32);
    }
    long second = v0 ^ v1 ^ v2 ^ v3;
    lo = isWide ? first : second;
    hi = isWide ? second : 0;
  }

  /** The last zero to seven bytes, with the length in the top byte. */
  private static long tail(byte[] bytes, int from, int length) {
    long word = (long) length << 56;
    for (int i = 0; i < (length & 7); i++) {
      word |= (bytes[from + i] & 0xffL) << (8 * i);
    }
    return word;
  }
}
