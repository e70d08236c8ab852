package io.forebay.storage.memory;

import java.io.IOException;

/** A file of the store has unexpected contents. */
public final class DamagedFileException extends IOException {
  private static final long serialVersionUID = 1L;

  public DamagedFileException(String message) {
    super(message);
  }
}
