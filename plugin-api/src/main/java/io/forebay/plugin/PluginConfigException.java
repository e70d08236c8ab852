package io.forebay.plugin;

import java.io.Serial;

/** The configuration of a plugin is wrong. */
public final class PluginConfigException extends Exception {
  @Serial private static final long serialVersionUID = 1;

  private final String key;

  /**
   * Something is wrong.
   *
   * @param key the key that is wrong or missing; empty if none is
   * @param message for the operator: what is wrong, and what is right
   */
  public PluginConfigException(String key, String message) {
    super(message);
    this.key = key;
  }

  public String key() {
    return key;
  }
}
