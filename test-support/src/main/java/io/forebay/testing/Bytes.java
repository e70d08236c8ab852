package io.forebay.testing;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Bodies of tests, of megabytes: making and comparing them byte by byte takes more time than
 * serving them does.
 */
public final class Bytes {
  private static final long GAMMA = 0x9e3779b97f4a7c15L;
  private static final int PIECE = 4096;
  private static final int SHOWN = 16;

  private Bytes() {}

  /**
   * Bytes that look random and are the same for the same seed: pieces of {@link Noise} from places
   * that the seed tells.
   */
  public static byte[] random(long seed, int length) {
    byte[] bytes = new byte[length];
    long state = seed;
    for (int at = 0; at < length; at += PIECE) {
      state += GAMMA;
      int from = (int) Long.remainderUnsigned(mixed(state), Noise.LENGTH - PIECE);
      System.arraycopy(Noise.BYTES, from, bytes, at, Math.min(PIECE, length - at));
    }
    return bytes;
  }

  private static long mixed(long state) {
    long mixed = (state ^ (state >>> 30)) * 0xbf58476d1ce4e5b9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
    return mixed ^ (mixed >>> 31);
  }

  /** Random bytes (SplitMix64), made once in a JVM. */
  private static final class Noise {
    static final int LENGTH = 1 << 20;
    static final byte[] BYTES = bytes();

    private static byte[] bytes() {
      ByteBuffer out = ByteBuffer.allocate(LENGTH);
      for (long state = GAMMA; out.hasRemaining(); state += GAMMA) {
        out.putLong(mixed(state));
      }
      return out.array();
    }
  }

  /** Fails unless both have the same bytes, and says where they begin to differ. */
  public static void assertEquals(byte[] expected, byte @Nullable [] actual) {
    assertEquals(expected, actual, "");
  }

  /**
   * The same.
   *
   * @param what begins the message of the failure
   */
  public static void assertEquals(byte[] expected, byte @Nullable [] actual, String what) {
    if (actual == null) {
      throw new AssertionError(what + ": no bytes where " + expected.length + " were expected");
    }
    int at = Arrays.mismatch(expected, actual);
    if (at >= 0) {
      throw new AssertionError(
          (what.isEmpty() ? "" : what + ": ")
              + "%d bytes where %d were expected, other ones from %d: %s, expected %s"
                  .formatted(
                      actual.length, expected.length, at, shown(actual, at), shown(expected, at)));
    }
  }

  private static String shown(byte[] bytes, int from) {
    int to = Math.min(bytes.length, from + SHOWN);
    return from == to ? "the end" : HexFormat.of().formatHex(bytes, from, to);
  }
}
