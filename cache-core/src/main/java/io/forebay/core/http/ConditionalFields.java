package io.forebay.core.http;

import java.util.Set;

/**
 * The request fields that depend on what the client has of a representation: preconditions (RFC
 * 9110 §13.1) and ranges (§14.2).
 */
public final class ConditionalFields {
  private static final Set<String> NAMES =
      Set.of(
          "range",
          "if-range",
          "if-match",
          "if-none-match",
          "if-modified-since",
          "if-unmodified-since");

  private ConditionalFields() {}

  /** Whether a name in lower case is that of such a field. */
  public static boolean has(String name) {
    return NAMES.contains(name);
  }
}
