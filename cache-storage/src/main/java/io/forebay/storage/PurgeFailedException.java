package io.forebay.storage;

/** A purge could not be put on disk, and is therefore not acknowledged. */
public final class PurgeFailedException extends Exception {
  private static final long serialVersionUID = 1L;

  PurgeFailedException(String message, Throwable cause) {
    super(message, cause);
  }
}
