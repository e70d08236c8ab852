package io.forebay.server.config;

import io.forebay.server.plugin.PluginSet;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Where plugins are, and what they may take.
 *
 * @param directory of the jars, or null for no plugins
 * @param budget of one call
 * @param set what was loaded from there
 */
public record PluginsConfig(@Nullable Path directory, Duration budget, PluginSet set) {

  /** Without plugins. */
  public static final PluginsConfig NONE =
      new PluginsConfig(null, Duration.ofMillis(50), PluginSet.NONE);
}
