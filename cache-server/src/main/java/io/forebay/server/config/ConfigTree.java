package io.forebay.server.config;

import java.util.List;

/** A YAML document as text with places; what type a value has is the key table's business. */
sealed interface ConfigTree {

  Place place();

  /**
   * A single value as written.
   *
   * @param isNull whether nothing, or {@code null}, was written
   */
  record Scalar(Place place, String text, boolean isNull) implements ConfigTree {}

  record Sequence(Place place, List<ConfigTree> items) implements ConfigTree {}

  record Mapping(Place place, List<Entry> entries) implements ConfigTree {}

  /** One key of a mapping; {@code place} is the key's. */
  record Entry(Place place, String key, ConfigTree value) {}
}
