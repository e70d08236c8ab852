package io.forebay.storage.memory;

import java.io.IOException;

/** A place has not the room for what was asked of it. */
public final class NoSpaceException extends IOException {
  private static final long serialVersionUID = 1L;

  public NoSpaceException(String message) {
    super(message);
  }
}
