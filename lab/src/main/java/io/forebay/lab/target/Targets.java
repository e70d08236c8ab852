package io.forebay.lab.target;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** All programs that the lab can test. */
public final class Targets {
  private static final List<Target> ALL =
      List.of(
          new ForebayTarget(System.getenv()),
          new NginxTarget(),
          new TrafficServerTarget(),
          new VarnishTarget(),
          new HaproxyTarget());

  private Targets() {}

  /** Forebay first. */
  public static List<Target> all() {
    return ALL;
  }

  /** Forebay from another jar than that of the environment or the checkout. */
  public static Target forebay(Path jar) {
    Map<String, String> environment = new HashMap<>(System.getenv());
    environment.put(EdgeJar.VARIABLE, jar.toString());
    return new ForebayTarget(environment);
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
