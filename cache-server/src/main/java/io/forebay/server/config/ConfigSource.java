package io.forebay.server.config;

import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Where a node gets its configuration from, at its start and at each reload. Any thread. */
public interface ConfigSource {

  /** Reads it. */
  ConfigOutcome load();

  /**
   * The configuration as if its files had these texts; whatever else it consists of, such as
   * options, is as {@link #load} has it.
   *
   * @param text {@link ConfigText#NONE} for a configuration without a file
   */
  ConfigOutcome load(ConfigText text);

  /**
   * Reads it with a document of the fleet.
   *
   * @param fleet null for none
   */
  default ConfigOutcome load(ConfigText.@Nullable Fleet fleet) {
    return load();
  }

  /** What a node needs to get the document of its fleet; null where it is in no cluster. */
  default @Nullable FleetBootstrap bootstrap() {
    return null;
  }

  /**
   * A file and options.
   *
   * @param file named by the operator, or null to look in the usual places
   * @param options as {@link ConfigLoader#load(Path, Map)} takes them
   */
  static ConfigSource of(ConfigLoader loader, @Nullable Path file, Map<String, String> options) {
    return new ConfigSource() {
      @Override
      public ConfigOutcome load() {
        return loader.load(file, options);
      }

      @Override
      public ConfigOutcome load(ConfigText.@Nullable Fleet fleet) {
        return loader.load(file, options, fleet);
      }

      @Override
      public @Nullable FleetBootstrap bootstrap() {
        return loader.bootstrap(file, options);
      }

      @Override
      public ConfigOutcome load(ConfigText text) {
        return loader.load(file, options, text);
      }
    };
  }

  /** A configuration that has been read already, and stays as it is. */
  static ConfigSource of(ConfigOutcome outcome) {
    return new ConfigSource() {
      @Override
      public ConfigOutcome load() {
        return outcome;
      }

      @Override
      public ConfigOutcome load(ConfigText text) {
        return outcome;
      }
    };
  }
}
