package io.forebay.cli.importer.caddy;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which requests a statement is for.
 *
 * @param condition of rules, or null for all
 * @param path the only pattern on the path, by whose length statements are sorted; else empty
 * @param regexName the name of its expression on the path, or null where it has none
 * @param arguments how many arguments of the statement name it
 */
record Matched(
    @Nullable Map<String, Object> condition,
    String path,
    @Nullable String regexName,
    int arguments) {

  static final Matched ALL = new Matched(null, "", null, 0);

  boolean isAll() {
    return condition == null;
  }

  Matched naming(int number) {
    return new Matched(condition, path, regexName, number);
  }
}
