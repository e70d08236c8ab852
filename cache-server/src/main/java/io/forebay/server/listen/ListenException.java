package io.forebay.server.listen;

/** Something needed to listen is not to be had; the message is one line for the operator. */
public final class ListenException extends Exception {
  private static final long serialVersionUID = 1L;

  ListenException(String message) {
    super(message);
  }

  ListenException(String message, Throwable cause) {
    super(message, cause);
  }
}
