package io.forebay.server;

import java.util.List;

/** A node could not start. Nothing of it is left running. */
public final class StartException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Exit code: a resource that the node needs is not available. */
  public static final int NO_RESOURCE = 69;

  /** Exit code: the configuration is wrong. */
  public static final int BAD_CONFIGURATION = 78;

  private final int exitCode;
  private final transient List<String> lines;

  public StartException(int exitCode, List<String> lines) {
    super(String.join("\n", lines));
    this.exitCode = exitCode;
    this.lines = List.copyOf(lines);
  }

  public int exitCode() {
    return exitCode;
  }

  /** What is wrong and what to do about it, a line each. */
  public List<String> lines() {
    return lines;
  }
}
