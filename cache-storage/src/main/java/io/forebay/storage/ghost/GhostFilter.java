package io.forebay.storage.ghost;

import io.forebay.storage.layout.Layouts;
import java.util.Arrays;

/**
 * Remembers recently evicted objects as 16-bit fingerprints, in two tables. The older table is
 * cleared when the younger has received two thirds of a cache size of evicted bytes, or is full.
 *
 * <p>A fingerprint lies in one of the four places of its bucket. So of objects that were never
 * dropped, at most {@code 2 * 4 / 65535} are taken for one that was: one in eight thousand.
 *
 * <p>One thread adds; any thread asks. Nothing orders the two, and nothing needs to: an answer that
 * is late or lost costs a record its head start.
 */
public final class GhostFilter {
  private static final int WAYS = 4;
  private static final int MAX_FINGERPRINTS = 1 << 27;

  private final short[][] tables = new short[2][];
  private final int bucketMask;
  private final long bytesPerTable;
  private final int countPerTable;
  private volatile int young;
  private long bytes;
  private int count;
  private int victim;

  /**
   * @param cacheBytes of the cache whose losses it remembers
   * @param objects that are remembered at most
   */
  public GhostFilter(long cacheBytes, long objects) {
    long wanted = Math.clamp(objects / 2, 1 << 10, MAX_FINGERPRINTS);
    int places = (int) Long.highestOneBit(wanted * 2 - 1);
    tables[0] = new short[places];
    tables[1] = new short[places];
    bucketMask = places / WAYS - 1;
    countPerTable = places / 4 * 3;
    bytesPerTable = Math.max(1, cacheBytes / 3 * 2);
  }

  /** Memory of filters for so many objects. */
  public long heapBytes() {
    return 2L * tables[0].length * Short.BYTES;
  }

  /** An object was dropped. */
  public void add(long object) {
    if (count >= countPerTable) {
      turn();
    }
    long hash = Layouts.mix(object);
    short[] table = tables[young];
    int bucket = ((int) hash & bucketMask) * WAYS;
    short print = print(hash);
    for (int way = 0; way < WAYS; way++) {
      short there = table[bucket + way];
      if (there == print) {
        return;
      }
      if (there == 0) {
        table[bucket + way] = print;
        count++;
        return;
      }
    }
    table[bucket + (victim++ & (WAYS - 1))] = print;
  }

  /** So many bytes were dropped, of objects that were added or of parts of them. */
  public void age(long droppedBytes) {
    bytes += droppedBytes;
    if (bytes >= bytesPerTable) {
      turn();
    }
  }

  private void turn() {
    int old = 1 - young;
    Arrays.fill(tables[old], (short) 0);
    young = old;
    bytes = 0;
    count = 0;
  }

  /** Whether the object was dropped lately, or looks as if. */
  public boolean mayContain(long object) {
    long hash = Layouts.mix(object);
    int bucket = ((int) hash & bucketMask) * WAYS;
    short print = print(hash);
    return isIn(tables[0], bucket, print) || isIn(tables[1], bucket, print);
  }

  private static boolean isIn(short[] table, int bucket, short print) {
    return table[bucket] == print
        || table[bucket + 1] == print
        || table[bucket + 2] == print
        || table[bucket + 3] == print;
  }

  /** Never 0, which is an empty place. */
  private static short print(long hash) {
    int bits = (int) (hash >>> 48);
    return (short) (bits == 0 ? 1 : bits);
  }
}
