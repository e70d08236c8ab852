package io.forebay.storage.region;

/**
 * The division of a memory tier of some size into regions, unless configured otherwise.
 *
 * @param spareRegions kept free for what comes next
 * @param sliceBytes length of each slice but an object's last
 * @param inlineBytes bodies up to this length lie in the head record
 * @param indexEntries bound of the index
 */
public record TierGeometry(
    int regionBytes,
    int regionCount,
    int spareRegions,
    int sliceBytes,
    int inlineBytes,
    long indexEntries) {
  public static final int MIN_REGIONS = 8;
  public static final int TINY_REGION = 64 << 10;

  private static final int PREFERRED_REGIONS = 128;
  private static final int MIN_REGION = 1 << 20;
  private static final int MAX_REGION = 64 << 20;

  /** What may come in while the reclaim thread waits for its turn. */
  private static final long SPARE_BYTES = 64 << 20;

  private static final int MAX_SLICE = 1 << 20;
  private static final int MAX_INLINE = 32 << 10;

  public static TierGeometry of(long memoryBytes) {
    long wanted = Long.highestOneBit(Math.max(1, memoryBytes / PREFERRED_REGIONS));
    wanted = Math.clamp(wanted, MIN_REGION, MAX_REGION);
    if (memoryBytes / wanted < 2L * MIN_REGIONS) {
      wanted = Math.max(TINY_REGION, Long.highestOneBit(memoryBytes / (2L * MIN_REGIONS)));
    }
    return of(memoryBytes, (int) wanted, Math.max(16_384, memoryBytes >> 12));
  }

  public static TierGeometry of(long memoryBytes, int regionBytes, long indexEntries) {
    int regionCount = (int) Math.min(memoryBytes / regionBytes, Integer.MAX_VALUE);
    int sliceBytes = Math.min(MAX_SLICE, regionBytes / 16);
    return new TierGeometry(
        regionBytes,
        regionCount,
        Math.clamp(SPARE_BYTES / regionBytes, 2, Math.clamp(regionCount / 64, 2, 8)),
        sliceBytes,
        Math.min(MAX_INLINE, sliceBytes),
        indexEntries);
  }

  /** What the records of full and open regions may take. */
  public long usableBytes() {
    return (long) (regionCount - spareRegions) * regionBytes;
  }
}
