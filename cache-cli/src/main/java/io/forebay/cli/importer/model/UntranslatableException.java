package io.forebay.cli.importer.model;

/** Something of another server that the configuration of a node does not have. */
public final class UntranslatableException extends Exception {
  private static final long serialVersionUID = 1L;

  private final String reason;

  public UntranslatableException(String reason) {
    super(reason);
    this.reason = reason;
  }

  /** What it does not have, for the report. */
  public String reason() {
    return reason;
  }
}
