package io.forebay.storage.lock;

import java.io.IOException;

/** Somebody else has the directory. */
public final class OwnedException extends IOException {
  private static final long serialVersionUID = 1L;

  OwnedException(String message) {
    super(message);
  }
}
