package io.forebay.storage.memory;

import java.io.IOException;

/** A file that bears our name and is not ours. */
public final class ForeignFileException extends IOException {
  private static final long serialVersionUID = 1L;

  public ForeignFileException(String message) {
    super(message);
  }
}
