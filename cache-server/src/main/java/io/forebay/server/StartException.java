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
  private final boolean isOfReloadedKeys;
  private final transient List<String> lines;

  public StartException(int exitCode, List<String> lines) {
    this(exitCode, lines, false);
  }

  private StartException(int exitCode, List<String> lines, boolean isOfReloadedKeys) {
    super(String.join("\n", lines));
    this.exitCode = exitCode;
    this.isOfReloadedKeys = isOfReloadedKeys;
    this.lines = List.copyOf(lines);
  }

  /** Keys are wrong that a reload can change, and that a document of a fleet may have. */
  static StartException ofReloadedKeys(List<String> lines) {
    return new StartException(BAD_CONFIGURATION, lines, true);
  }

  boolean isOfReloadedKeys() {
    return isOfReloadedKeys;
  }

  public int exitCode() {
    return exitCode;
  }

  /** What is wrong and what to do about it, a line each. */
  public List<String> lines() {
    return lines;
  }
}
