package io.forebay.storage.region;

import java.util.ArrayList;
import java.util.List;

/**
 * Regions that have spares and a reclaim of their own: a cell of the first tier, or a middle tier.
 *
 * @param tier the first one's number is 0
 * @param from the first region
 * @param end the region behind the last one
 */
public record RegionPart(int tier, int from, int end) {

  /**
   * Divides the first tier into cells of equal size, as far as that is possible: the first ones
   * have a region more. Each has at least {@link TierGeometry#MIN_REGIONS}; where there are not
   * enough regions for that, there are fewer cells.
   *
   * @param wanted number of cells, at least 1
   */
  public static List<RegionPart> cells(int regionCount, int wanted) {
    int count = Math.clamp(regionCount / TierGeometry.MIN_REGIONS, 1, wanted);
    List<RegionPart> cells = new ArrayList<>();
    int from = 0;
    for (int cell = 0; cell < count; cell++) {
      int end = from + regionCount / count + (cell < regionCount % count ? 1 : 0);
      cells.add(new RegionPart(0, from, end));
      from = end;
    }
    return List.copyOf(cells);
  }

  /** A whole tier. */
  public static RegionPart ofTier(Regions regions, int tier) {
    return new RegionPart(tier, regions.from(tier), regions.end(tier));
  }

  public int count() {
    return end - from;
  }

  public boolean isOfFirstTier() {
    return tier == 0;
  }

  public boolean has(int region) {
    return region >= from && region < end;
  }
}
