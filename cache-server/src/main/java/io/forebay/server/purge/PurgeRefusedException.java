package io.forebay.server.purge;

/** A purge was refused, with the reason; nothing was purged. */
public final class PurgeRefusedException extends Exception {
  private static final long serialVersionUID = 1L;

  private final Refusal refusal;

  public PurgeRefusedException(String message, Refusal refusal) {
    super(message);
    this.refusal = refusal;
  }

  public Refusal refusal() {
    return refusal;
  }

  /** Whose doing it is that a purge was refused. */
  public enum Refusal {
    /** The order itself is wrong. */
    ORDER,
    /** The journal can't be written. */
    JOURNAL,
    /** There is nothing that could be undone under this id. */
    UNKNOWN,
    /** It cannot be undone, or not any more. */
    FINAL,
    /** There is too much of it at the moment. */
    FOR_NOW
  }
}
