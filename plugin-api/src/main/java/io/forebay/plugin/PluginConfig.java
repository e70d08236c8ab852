package io.forebay.plugin;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * What stands under {@code config} of a rule: keys with one text or a list of texts. Keys that a
 * plugin has never asked for are reported as unknown, so it asks for all that it knows.
 */
public final class PluginConfig {
  private final Map<String, List<String>> values;
  private final Set<String> asked = new TreeSet<>();

  /** A configuration with those values. */
  public PluginConfig(Map<String, List<String>> values) {
    this.values = Map.copyOf(values);
  }

  /** All values of a key; empty where it is not given. */
  public List<String> texts(String key) {
    asked.add(key);
    return List.copyOf(values.getOrDefault(key, List.of()));
  }

  /** The value of a key that may be missing. */
  public Optional<String> text(String key) throws PluginConfigException {
    List<String> all = texts(key);
    if (all.size() > 1) {
      throw new PluginConfigException(key, "a list, where one value is expected");
    }
    return all.stream().findFirst();
  }

  /** The value of a key that must be there. */
  public String requiredText(String key) throws PluginConfigException {
    String value = text(key).orElse("");
    if (value.isEmpty()) {
      throw new PluginConfigException(key, "is missing");
    }
    return value;
  }

  /** A whole number within bounds. */
  public long number(String key, long otherwise, long min, long max) throws PluginConfigException {
    Optional<String> value = text(key);
    if (value.isEmpty()) {
      return otherwise;
    }
    if (value.get().matches("-?\\d{1,18}")) {
      long number = Long.parseLong(value.get());
      if (number >= min && number <= max) {
        return number;
      }
    }
    throw new PluginConfigException(key, "not a number from " + min + " to " + max);
  }

  /** The keys that the plugin has asked for. */
  public Set<String> knownKeys() {
    return Set.copyOf(asked);
  }

  /** The keys that are given. */
  public Set<String> givenKeys() {
    return values.keySet();
  }
}
