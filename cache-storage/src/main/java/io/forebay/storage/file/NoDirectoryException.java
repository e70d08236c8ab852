package io.forebay.storage.file;

import java.io.IOException;

/** What a directory would be made in is missing. The message says what to do. */
public final class NoDirectoryException extends IOException {
  private static final long serialVersionUID = 1L;

  public NoDirectoryException(String message) {
    super(message);
  }
}
