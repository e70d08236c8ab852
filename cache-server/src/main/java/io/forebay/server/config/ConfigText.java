package io.forebay.server.config;

import java.util.List;

/**
 * The texts that a configuration was read from. They may contain secrets, so this shows nothing of
 * them.
 */
public final class ConfigText {

  /** Without a file. */
  public static final ConfigText NONE = new ConfigText("", List.of());

  private final String main;
  private final List<Included> included;

  /**
   * A file that another one includes.
   *
   * @param file its absolute path
   */
  public record Included(String file, String text) {

    @Override
    public String toString() {
      return file;
    }
  }

  /**
   * Texts.
   *
   * @param main of the configuration file; empty where there was none
   * @param included in the order in which they were read
   */
  public ConfigText(String main, List<Included> included) {
    this.main = main;
    this.included = List.copyOf(included);
  }

  /** The text of the configuration file itself; empty where there was none. */
  public String main() {
    return main;
  }

  public List<Included> included() {
    return included;
  }

  @Override
  public String toString() {
    return "***";
  }
}
