package io.forebay.storage.file;

import java.io.IOException;

/**
 * The parent of a directory to be created is missing. The message tells the operator what to do.
 */
public final class NoDirectoryException extends IOException {
  private static final long serialVersionUID = 1L;

  public NoDirectoryException(String message) {
    super(message);
  }
}
