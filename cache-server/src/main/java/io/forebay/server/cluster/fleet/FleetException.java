package io.forebay.server.cluster.fleet;

import java.util.List;

/** A document of the fleet, or an order for it, that is refused. */
public final class FleetException extends Exception {
  private static final long serialVersionUID = 1L;

  /** What a caller can do about it. */
  public enum Kind {
    /** The order or the document is wrong. */
    WRONG,
    /** A node would refuse the document. */
    REFUSED,
    /** There is no such version. */
    UNKNOWN,
    /** Not in the state that the roll-out is in. */
    CONFLICT,
    /** etcd cannot be asked. */
    UNAVAILABLE
  }

  private final Kind kind;
  private final transient List<String> problems;

  FleetException(Kind kind, String message) {
    this(kind, message, List.of());
  }

  FleetException(Kind kind, String message, List<String> problems) {
    super(message);
    this.kind = kind;
    this.problems = List.copyOf(problems);
  }

  static FleetException wrong(String message) {
    return new FleetException(Kind.WRONG, message);
  }

  public Kind kind() {
    return kind;
  }

  /** All that is wrong with a refused document. */
  public List<String> problems() {
    return problems;
  }
}
