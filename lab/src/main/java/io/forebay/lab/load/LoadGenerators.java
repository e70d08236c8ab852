package io.forebay.lab.load;

import java.util.List;
import java.util.Optional;

/** The programs that make load, by name. */
public enum LoadGenerators {
  /** The lab's own, for open and closed loops, TLS, HTTP/1.1, HTTP/2 and HTTP/3. */
  OWN("own", ""),
  /** Closed loops of HTTP/1.1. */
  WRK("wrk", "wrk"),
  /** Closed loops of HTTP/2. */
  H2LOAD("h2load", "nghttp2-client");

  private final String program;
  private final String debianPackage;

  LoadGenerators(String program, String debianPackage) {
    this.program = program;
    this.debianPackage = debianPackage;
  }

  /**
   * The one with that name.
   *
   * @throws IllegalArgumentException which names those there are
   */
  public static LoadGenerators named(String name) {
    for (LoadGenerators generator : values()) {
      if (generator.program.equals(name)) {
        return generator;
      }
    }
    throw new IllegalArgumentException(
        "no load generator "
            + name
            + ": there are "
            + String.join(
                ", ", List.of(values()).stream().map(generator -> generator.program).toList()));
  }

  /** What to do so that the program is there; empty where it is. */
  public Optional<String> missing() {
    return this == OWN || Programs.isThere(program)
        ? Optional.empty()
        : Optional.of(
            program + " is not installed: apt-get install " + debianPackage + " (Debian)");
  }

  /**
   * The generator.
   *
   * @param threads event loops, or the program's threads
   */
  public LoadGenerator generator(int threads) {
    return switch (this) {
      case OWN -> new ClientProcess(1, threads);
      case WRK -> new Wrk(threads);
      case H2LOAD -> new H2load(threads);
    };
  }
}
