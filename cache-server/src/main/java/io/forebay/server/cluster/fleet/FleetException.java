package io.forebay.server.cluster.fleet;

import java.util.List;

/** The node refuses a document, or an order about the fleet's configuration. */
public final class FleetException extends Exception {
  private static final long serialVersionUID = 1L;

  /** The reason, by what the caller can do. */
  public enum Kind {
    /** The order or the document is wrong. */
    WRONG,
    /** A node would refuse the document. */
    REFUSED,
    /** There is no such version. */
    UNKNOWN,
    /** The state of the roll-out does not allow the order. */
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

  /** All problems of a refused document. */
  public List<String> problems() {
    return problems;
  }
}
