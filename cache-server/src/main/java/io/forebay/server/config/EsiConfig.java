package io.forebay.server.config;

import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * Which responses of a route are assembled from ESI, and within which bounds.
 *
 * @param types media types in lower case, without parameters
 * @param hosts authorities that fragments may have beside that of their page, in lower case
 */
public record EsiConfig(Mode mode, Set<String> types, List<String> hosts, Limits limits) {

  /** Media types that are assembled unless the configuration says otherwise. */
  public static final List<String> DEFAULT_TYPES = List.of("text/html", "application/xhtml+xml");

  /** Nothing is assembled. */
  public static final EsiConfig OFF =
      new EsiConfig(Mode.OFF, Set.copyOf(DEFAULT_TYPES), List.of(), Limits.DEFAULT);

  public EsiConfig {
    types = Set.copyOf(types);
    hosts = List.copyOf(hosts);
  }

  /** Which of the route's responses are assembled. */
  public enum Mode {
    OFF,
    /** Those of a listed media type. */
    ON,
    /** Of these, those whose Surrogate-Control asks for it. */
    SURROGATE_CONTROL
  }

  /**
   * Bounds of one page (I5).
   *
   * @param depth levels of fragments within fragments
   * @param includes fragments of a page, those of its fragments included
   * @param parallel fragments that are requested at a time
   * @param fragmentBytes of the body of one fragment, and of what a page holds for its attempts
   * @param pageBytes of the assembled page
   * @param timeout how long nothing may come of a fragment
   */
  public record Limits(
      int depth, int includes, int parallel, long fragmentBytes, long pageBytes, Duration timeout) {

    public static final Limits DEFAULT =
        new Limits(3, 256, 16, 1 << 20, 128L << 20, Duration.ofSeconds(30));
  }

  public boolean isOn() {
    return mode != Mode.OFF;
  }
}
