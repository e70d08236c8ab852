package io.forebay.storage.lock;

import java.io.IOException;

/** Another process has locked the directory. */
public final class DirectoryInUseException extends IOException {
  private static final long serialVersionUID = 1L;

  DirectoryInUseException(String message) {
    super(message);
  }
}
