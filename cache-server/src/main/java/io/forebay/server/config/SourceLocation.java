package io.forebay.server.config;

/**
 * The source of a configuration value, for problems and for the dump.
 *
 * @param line from 1, or 0 where the source has no lines
 */
public record SourceLocation(String source, int line, int column) {

  /** A problem of this place. */
  public ConfigProblem problem(String path, String message, String right) {
    return new ConfigProblem(source, line, column, path, message, right);
  }

  /** As the comment of the dump names it. */
  String text() {
    return line > 0 ? source + ":" + line : source;
  }
}
