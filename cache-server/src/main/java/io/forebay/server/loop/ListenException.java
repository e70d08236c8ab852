package io.forebay.server.loop;

/** A resource for listening is not available. The message is one line for the operator. */
public final class ListenException extends Exception {
  private static final long serialVersionUID = 1L;

  public ListenException(String message) {
    super(message);
  }

  public ListenException(String message, Throwable cause) {
    super(message, cause);
  }
}
