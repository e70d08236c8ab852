package io.forebay.server.loop;

/** Something needed to listen is not to be had; the message is one line for the operator. */
public final class ListenException extends Exception {
  private static final long serialVersionUID = 1L;

  public ListenException(String message) {
    super(message);
  }

  public ListenException(String message, Throwable cause) {
    super(message, cause);
  }
}
