package io.forebay.lab.target;

import java.util.List;
import java.util.stream.Collectors;

/** All programs that the lab can test. */
public final class Targets {
  private static final List<Target> ALL =
      List.of(
          new ForebayTarget(),
          new NginxTarget(),
          new TrafficServerTarget(),
          new VarnishTarget(),
          new HaproxyTarget());

  private Targets() {}

  /** Forebay first. */
  public static List<Target> all() {
    return ALL;
  }

  /**
   * The program of a name.
   *
   * @throws IllegalArgumentException for another name; the message has those that there are
   */
  public static Target named(String name) {
    return ALL.stream()
        .filter(target -> target.name().equals(name))
        .findFirst()
        .orElseThrow(() ->
            new IllegalArgumentException(
                "unknown program '"
                    + name
                    + "'; known are "
                    + ALL.stream().map(Target::name).collect(Collectors.joining(", "))));
  }
}
