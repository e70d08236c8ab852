package io.forebay.cli.console;

/** Exit codes; scripts and unit files rely on them. */
public final class ExitCode {
  public static final int OK = 0;
  public static final int FAILURE = 1;
  public static final int USAGE = 2;

  /** Some of what was asked was done and some was not. */
  public static final int PARTIAL = 3;

  /** Cannot start because a resource is missing: a port, space, a lock, a newer Java. */
  public static final int NO_RESOURCE = 69;

  public static final int BAD_CONFIGURATION = 78;

  private ExitCode() {}
}
