package io.forebay.server.config;

import java.util.List;

/** A YAML document as text values with their positions; the key table determines their types. */
public sealed interface ConfigTree {

  SourceLocation place();

  /**
   * A single value as written.
   *
   * @param isNull whether nothing, or {@code null}, was written
   * @param content the place of the first character of the text, behind a quote or a bar
   */
  record Scalar(SourceLocation place, String text, boolean isNull, SourceLocation content)
      implements ConfigTree {}

  record Sequence(SourceLocation place, List<ConfigTree> items) implements ConfigTree {}

  record Mapping(SourceLocation place, List<Entry> entries) implements ConfigTree {}

  /** One key of a mapping; {@code place} is the key's. */
  record Entry(SourceLocation place, String key, ConfigTree value) {}
}
