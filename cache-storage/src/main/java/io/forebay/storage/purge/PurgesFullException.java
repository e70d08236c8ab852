package io.forebay.storage.purge;

/** A purge was refused because the maximum number of its kind is in force. */
public final class PurgesFullException extends Exception {
  private static final long serialVersionUID = 1L;

  public PurgesFullException(String message) {
    super(message);
  }
}
