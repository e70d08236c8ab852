package io.forebay.storage.purge;

/** A purge could not be made durable; it is not acknowledged and purges nothing. */
public final class PurgeFailedException extends Exception {
  private static final long serialVersionUID = 1L;

  private final boolean isForNow;

  public PurgeFailedException(String message, boolean isForNow, Throwable cause) {
    super(message, cause);
    this.isForNow = isForNow;
  }

  /** Whether nothing is wrong with the journal: there are as many of its kind as may be. */
  public boolean isForNow() {
    return isForNow;
  }
}
