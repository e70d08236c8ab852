package io.forebay.server.jwt;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Claims of tokens as texts. */
public final class JwtClaims {

  /** Characters that a claim may have to be a field. */
  public static final int MAX_FIELD = 256;

  private JwtClaims() {}

  /** A string, number or boolean; null for all else. */
  static @Nullable String text(JsonNode value) {
    if (value.isString()) {
      return value.stringValue();
    }
    return value.isNumber() || value.isBoolean() ? value.asString() : null;
  }

  /**
   * A claim as the value of a field: strings, numbers and booleans, and arrays of these joined by
   * commas. Null for what is absent, empty, too long or not visible ASCII, and for an array with an
   * item that has a comma.
   */
  public static @Nullable String field(ObjectNode claims, String name) {
    JsonNode claim = claims.get(name);
    if (claim == null) {
      return null;
    }
    StringBuilder joined = new StringBuilder();
    if (claim.isArray()) {
      for (JsonNode item : claim) {
        String text = text(item);
        if (text == null || text.indexOf(',') >= 0 || joined.length() > MAX_FIELD) {
          return null;
        }
        joined.append(joined.isEmpty() ? "" : ",").append(text);
      }
    } else {
      joined.append(text(claim));
      if (text(claim) == null) {
        return null;
      }
    }
    String value = joined.toString().strip();
    boolean isVisible = value.chars().allMatch(c -> c >= ' ' && c <= '~');
    return value.isEmpty() || value.length() > MAX_FIELD || !isVisible ? null : value;
  }
}
