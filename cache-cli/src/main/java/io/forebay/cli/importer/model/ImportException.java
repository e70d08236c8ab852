package io.forebay.cli.importer.model;

/** A configuration that cannot be read; the message says where and why. */
public final class ImportException extends Exception {
  private static final long serialVersionUID = 1L;

  private final String problem;

  public ImportException(String problem) {
    super(problem);
    this.problem = problem;
  }

  public ImportException(String file, int line, String problem) {
    this(file + ":" + line + ": " + problem);
  }

  /** Where and why, for people. */
  public String problem() {
    return problem;
  }
}
