package io.forebay.server.counters;

import java.util.Locale;

/** Why a response was aborted after its head; the value of the metric label {@code cause}. */
public enum AbortLabel {
  /** The origin's body ended early, or a range request for missing bytes failed. */
  ORIGIN_FAILED(true),
  /** Stored bytes were evicted or unreadable and could not be fetched. */
  STORAGE_LOST(true),
  /** Missing bytes were requested, and the origin has another body by now. */
  BODY_CHANGED(true),
  /** The client did not read for too long. */
  CLIENT_STALLED(false),
  /** The rest of the client's request was refused. */
  REQUEST_REFUSED(false),
  /** The node stops. */
  SHUTDOWN(false),
  /** A defect. */
  INTERNAL(true);

  private final boolean isOurs;

  AbortLabel(boolean isOurs) {
    this.isOurs = isOurs;
  }

  /** Whether neither the client nor the operator caused it, so that the log has to say why. */
  public boolean isOurs() {
    return isOurs;
  }

  /** The cause with that name; any other name is that of an origin's failure. */
  public static AbortLabel of(String name) {
    for (AbortLabel cause : values()) {
      if (cause.name().equals(name)) {
        return cause;
      }
    }
    return ORIGIN_FAILED;
  }

  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
