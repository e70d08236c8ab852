package io.forebay.cli.expect;

import io.forebay.server.config.ConfigProblem;
import java.util.List;

/** A script cannot be run. */
final class RefusedException extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient List<ConfigProblem> problems;
  private final int exitCode;

  RefusedException(int exitCode, List<ConfigProblem> problems) {
    super(problems.isEmpty() ? "" : problems.getFirst().text());
    this.exitCode = exitCode;
    this.problems = problems;
  }

  static RefusedException of(int exitCode, String source, List<String> lines) {
    return new RefusedException(
        exitCode,
        lines.stream().map(line -> new ConfigProblem(source, 0, 0, "", line, "")).toList());
  }

  List<ConfigProblem> problems() {
    return problems;
  }

  int exitCode() {
    return exitCode;
  }
}
