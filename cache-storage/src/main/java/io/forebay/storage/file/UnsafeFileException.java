package io.forebay.storage.file;

import java.io.IOException;

/**
 * A file or directory that another user may have created. The message tells the operator what to
 * do.
 */
public final class UnsafeFileException extends IOException {
  private static final long serialVersionUID = 1L;

  public UnsafeFileException(String message) {
    super(message);
  }
}
