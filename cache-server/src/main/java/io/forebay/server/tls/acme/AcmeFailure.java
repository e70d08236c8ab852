package io.forebay.server.tls.acme;

import java.util.Locale;

/** Why an attempt to get a certificate failed, as metrics count it. */
public enum AcmeFailure {
  /** No answer within the bounds of time and size. Concerns all names. */
  UNREACHABLE,
  /** The authority asks to come back later. */
  RATE_LIMITED,
  /** The authority refuses with a problem document or a status. */
  REFUSED,
  /** An answer that is not ACME. */
  MALFORMED,
  /** The authority could not validate the name. */
  VALIDATION,
  /** A certificate that does not fit the order. */
  CERTIFICATE,
  /** The data directory could not be read or written. */
  STORAGE;

  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
