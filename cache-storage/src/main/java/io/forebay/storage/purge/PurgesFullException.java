package io.forebay.storage.purge;

/** A purge was refused, because as many of its kind as are kept are in force already. */
public final class PurgesFullException extends Exception {
  private static final long serialVersionUID = 1L;

  PurgesFullException(String message) {
    super(message);
  }
}
