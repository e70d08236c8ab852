package io.forebay.lab.command;

/** Exit codes of the lab; scripts rely on them. */
final class LabExit {
  static final int OK = 0;
  static final int FAILURE = 1;

  /** Wrong options, a wrong scenario or a wrong file of hosts. */
  static final int USAGE = 2;

  /** The run ended and is written, and none of its figures counts: all are VOID or skipped. */
  static final int NO_FIGURE = 3;

  /** Of a comparison: something is worse. */
  static final int WORSE = 3;

  /** By ^C. After SIGTERM the JVM makes 143 of it. */
  static final int INTERRUPTED = 130;

  private LabExit() {}
}
