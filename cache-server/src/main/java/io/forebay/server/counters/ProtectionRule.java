package io.forebay.server.counters;

import java.util.Locale;

/** The parts of a route's protection that refuse requests. */
public enum ProtectionRule {
  ACCESS,
  RATE_LIMIT,
  FETCH_LIMIT,
  SIGNED_URL,
  BASIC_AUTH,
  JWT,
  FORWARD_AUTH;

  private final String label = name().toLowerCase(Locale.ROOT).replace('_', '-');

  /** Its label in metrics. */
  public String label() {
    return label;
  }
}
