package io.forebay.cli.importer.vcl;

/** Something of VCL that the configuration of a node does not have. */
final class UntranslatableException extends Exception {
  private static final long serialVersionUID = 1L;

  private final String reason;

  UntranslatableException(String reason) {
    super(reason);
    this.reason = reason;
  }

  /** What it does not have, for the report. */
  String reason() {
    return reason;
  }
}
