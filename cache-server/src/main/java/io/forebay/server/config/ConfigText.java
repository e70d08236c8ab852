package io.forebay.server.config;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The texts that a configuration was read from. They may contain secrets, so this shows nothing of
 * them.
 */
public final class ConfigText {

  /** Without a file. */
  public static final ConfigText NONE = new ConfigText("", List.of());

  private final String main;
  private final List<Included> included;
  private final @Nullable Fleet fleet;

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
   * The document of a fleet, which is joined as if the configuration file included it.
   *
   * @param file its main file; it is among the included ones
   * @param version of the document
   */
  public record Fleet(String file, long version) {}

  /** Texts without a document of a fleet. */
  public ConfigText(String main, List<Included> included) {
    this(main, included, null);
  }

  /**
   * Texts.
   *
   * @param main of the configuration file; empty where there was none
   * @param included in the order in which they were read
   * @param fleet the document that is joined, or null
   */
  public ConfigText(String main, List<Included> included, @Nullable Fleet fleet) {
    this.main = main;
    this.included = List.copyOf(included);
    this.fleet = fleet;
  }

  /** The text of the configuration file itself; empty where there was none. */
  public String main() {
    return main;
  }

  public List<Included> included() {
    return included;
  }

  /** The document of the fleet among them; null where there is none. */
  public @Nullable Fleet fleet() {
    return fleet;
  }

  @Override
  public String toString() {
    return "***";
  }
}
