package io.forebay.server.config;

/**
 * One problem of a configuration.
 *
 * @param source the file, {@code environment FOREBAY_…} or {@code option …}
 * @param line from 1, or 0 where the source has no lines
 * @param column from 1, or 0 where the source has no lines
 * @param path the key, such as {@code origins.main.url}; empty for the whole source
 * @param message what is wrong
 * @param right what would be right; empty where the message says it
 */
public record ConfigProblem(
    String source, int line, int column, String path, String message, String right) {

  /** The problem as the one line an operator reads. */
  public String text() {
    StringBuilder text = new StringBuilder(source);
    if (line > 0) {
      text.append(':').append(line).append(':').append(column);
    }
    text.append(": ");
    if (!path.isEmpty()) {
      text.append(path).append(": ");
    }
    text.append(message);
    if (!right.isEmpty()) {
      text.append("; ").append(right);
    }
    return text.toString();
  }

  @Override
  public String toString() {
    return text();
  }
}
