package io.forebay.server.rule;

import io.forebay.core.http.Latin1Text;
import java.util.Arrays;
import java.util.BitSet;

/**
 * Tells most requests that have no entry in a redirect map without a look into its table, which is
 * too large for the nearer caches of a CPU. It never misses an entry.
 *
 * <pre>
 *   starts    of paths: hash of 4 characters ──► a bit of 512 bytes, which the nearest cache holds;
 *             of no use where an entry's path is shorter
 *   lengths   of whole texts, and of prefixes: exact, a bit each
 *   words     hash of 16 characters and the length ──► one word, in which two bits must be set
 *             8 to 16 bits an entry: 128 KiB for 100,000
 * </pre>
 *
 * <p>Lengths count the host and the path, not the query; the characters are the last sixteen of the
 * path.
 */
final class RedirectFilter {
  private static final int START = 4;
  private static final int START_BITS = 12;
  private static final int HALF = Long.BYTES;
  private static final int BITS_PER_ENTRY = 16;
  private static final int MIN_BITS = 1 << 10;
  private static final long MIX = 0x9E3779B97F4A7C15L;
  private static final long OTHER_MIX = 0xC2B2AE3D27D4EB4FL;

  private final long[] starts = new long[(1 << START_BITS) / Long.SIZE];
  private boolean hasShort;
  private final long[] words;
  private long[] wholeLengths = new long[1];
  private long[] prefixLengths = new long[1];

  /** An empty one for that many entries. */
  RedirectFilter(int entries) {
    long bits = Math.max(MIN_BITS, (long) entries * BITS_PER_ENTRY);
    words = new long[(int) (Long.highestOneBit(bits) / Long.SIZE)];
  }

  /**
   * Adds an entry.
   *
   * @param pathEnd how much of the path counts
   * @param length of the host, and of the path as far as it counts
   */
  void add(boolean isPrefix, CharSequence path, int pathEnd, int length) {
    if (isPrefix) {
      prefixLengths = with(prefixLengths, length);
    } else {
      wholeLengths = with(wholeLengths, length);
    }
    if (pathEnd < START) {
      hasShort = true;
    } else {
      int start = start(path);
      starts[start >>> 6] |= 1L << start;
    }
    long hash = hash(isPrefix, path, pathEnd, length);
    words[word(hash)] |= bits(hash);
  }

  /** Whether any entry's path may begin as that one does; asked before all else. */
  boolean mayBegin(CharSequence path, int pathEnd) {
    if (hasShort || pathEnd < START) {
      return hasShort;
    }
    int start = start(path);
    return (starts[start >>> 6] & (1L << start)) != 0;
  }

  private static int start(CharSequence path) {
    return (int) ((packed(path, 0, START) * MIX) >>> (Long.SIZE - START_BITS));
  }

  /** Whether there may be an entry for the whole path. */
  boolean mayHaveWhole(CharSequence path, int pathEnd, int length) {
    return has(wholeLengths, length) && mayHave(hash(false, path, pathEnd, length));
  }

  /** Whether there may be an entry for the prefix of the path that ends there. */
  boolean mayHavePrefix(CharSequence path, int pathEnd, int length) {
    return has(prefixLengths, length) && mayHave(hash(true, path, pathEnd, length));
  }

  private boolean mayHave(long hash) {
    long bits = bits(hash);
    return (words[word(hash)] & bits) == bits;
  }

  /** The lengths of prefixes, the shortest first. */
  int[] prefixLengths() {
    return BitSet.valueOf(prefixLengths).stream().toArray();
  }

  long bytes() {
    return (long) Long.BYTES
        * (starts.length + words.length + wholeLengths.length + prefixLengths.length);
  }

  private int word(long hash) {
    return (int) hash & (words.length - 1);
  }

  private static long bits(long hash) {
    return (1L << (hash >>> 58)) | (1L << (hash >>> 52));
  }

  private static long hash(boolean isPrefix, CharSequence path, int pathEnd, int length) {
    int middle = Math.max(0, pathEnd - HALF);
    long before = packed(path, Math.max(0, middle - HALF), middle);
    long last = packed(path, middle, pathEnd);
    long hash = (last * MIX) ^ ((before + (isPrefix ? -length : length)) * OTHER_MIX);
    hash = (hash ^ (hash >>> 32)) * MIX;
    return hash ^ (hash >>> 29);
  }

  private static long packed(CharSequence path, int from, int to) {
    if (path instanceof Latin1Text octets) {
      return octets.packed(from, to);
    }
    long packed = 0;
    for (int i = from; i < to; i++) {
      packed = (packed << Byte.SIZE) | (path.charAt(i) & 0xff);
    }
    return packed;
  }

  private static boolean has(long[] lengths, int length) {
    int word = length >>> 6;
    return word < lengths.length && (lengths[word] & (1L << length)) != 0;
  }

  private static long[] with(long[] lengths, int length) {
    int word = length >>> 6;
    long[] longer = word < lengths.length ? lengths : Arrays.copyOf(lengths, word + 1);
    longer[word] |= 1L << length;
    return longer;
  }
}
