package io.forebay.server.config;

import io.forebay.server.geo.GeoLocator;
import io.forebay.server.geo.MmdbFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Files that tell where clients are.
 *
 * @param locator has what was read of them
 */
public record GeoConfig(@Nullable Path countryFile, @Nullable Path asnFile, GeoLocator locator) {

  /** Without files. */
  public static final GeoConfig NONE = new GeoConfig(null, null, GeoLocator.NONE);

  /** The keys that name a file with other content than before. */
  public static List<String> changedFiles(GeoConfig before, GeoConfig after) {
    List<String> changed = new ArrayList<>();
    if (isOther(before.locator.countries(), after.locator.countries())) {
      changed.add("geo.country-file");
    }
    if (isOther(before.locator.networks(), after.locator.networks())) {
      changed.add("geo.asn-file");
    }
    return changed;
  }

  private static boolean isOther(@Nullable MmdbFile before, @Nullable MmdbFile after) {
    return before != null && after != null && !after.isSame(before);
  }
}
