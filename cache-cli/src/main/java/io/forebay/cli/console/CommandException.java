package io.forebay.cli.console;

/** A command failed: one line that tells the user what to do, and the exit code. */
public final class CommandException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int exitCode;

  public CommandException(int exitCode, String message) {
    super(message);
    this.exitCode = exitCode;
  }

  public CommandException(int exitCode, String message, Throwable cause) {
    super(message, cause);
    this.exitCode = exitCode;
  }

  public int exitCode() {
    return exitCode;
  }

  /** The last line of an exception's story that means something to an operator. */
  public static String reason(Throwable thrown) {
    String message = thrown.getMessage();
    return message == null || message.isBlank() ? thrown.getClass().getSimpleName() : message;
  }
}
