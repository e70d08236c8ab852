package io.forebay.server.config;

import io.forebay.server.geo.GeoLocator;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Files that tell where clients are.
 *
 * @param locator has what was read of them
 */
public record GeoConfig(@Nullable Path countryFile, @Nullable Path asnFile, GeoLocator locator) {

  /** Without files. */
  public static final GeoConfig NONE = new GeoConfig(null, null, GeoLocator.NONE);
}
