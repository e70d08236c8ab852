package io.forebay.server.ring;

import java.io.IOException;

/** A file is not a ring that this version can read. */
final class DamagedRingException extends IOException {
  private static final long serialVersionUID = 1L;

  DamagedRingException(String message) {
    super(message);
  }
}
