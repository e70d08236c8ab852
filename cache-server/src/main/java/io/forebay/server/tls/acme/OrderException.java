package io.forebay.server.tls.acme;

/** An attempt to get a certificate failed; the message is for the log. */
final class OrderException extends Exception {
  private static final long serialVersionUID = 1;

  private final AcmeFailure failure;
  private final long retryAfterMillis;
  private final boolean isOrderOver;

  /**
   * With what follows from it.
   *
   * @param retryAfterMillis what the authority asked for, or 0
   * @param isOrderOver whether the order cannot be continued, so that the next attempt begins one
   */
  OrderException(AcmeFailure failure, String message, long retryAfterMillis, boolean isOrderOver) {
    super(message);
    this.failure = failure;
    this.retryAfterMillis = retryAfterMillis;
    this.isOrderOver = isOrderOver;
  }

  AcmeFailure failure() {
    return failure;
  }

  long retryAfterMillis() {
    return retryAfterMillis;
  }

  boolean isOrderOver() {
    return isOrderOver;
  }
}
