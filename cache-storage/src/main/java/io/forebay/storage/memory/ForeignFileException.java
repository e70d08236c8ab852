package io.forebay.storage.memory;

import java.io.IOException;

/** A file with a name of the store that Forebay did not write. */
public final class ForeignFileException extends IOException {
  private static final long serialVersionUID = 1L;

  public ForeignFileException(String message) {
    super(message);
  }
}
