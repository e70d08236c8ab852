package io.forebay.server.protect.auth;

import io.forebay.core.http.FieldsView;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A user's name and password as a request has them (RFC 7617), in UTF-8.
 *
 * @param password never shown
 */
public record Credentials(String user, String password) {
  private static final String SCHEME = "basic ";
  private static final int MAX_LENGTH = 2048;

  /** Those of a request; null where it has none, or more than one Authorization field. */
  public static @Nullable Credentials of(FieldsView fields) {
    List<String> lines = fields.all("authorization");
    if (lines.size() != 1 || lines.getFirst().length() > MAX_LENGTH) {
      return null;
    }
    String value = lines.getFirst();
    if (!value.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
      return null;
    }
    byte[] decoded;
    try {
      decoded = Base64.getDecoder().decode(value.substring(SCHEME.length()).strip());
    } catch (IllegalArgumentException e) {
      return null;
    }
    String text = new String(decoded, StandardCharsets.UTF_8);
    int colon = text.indexOf(':');
    boolean hasControl = text.chars().anyMatch(Character::isISOControl);
    return colon < 1 || hasControl
        ? null
        : new Credentials(text.substring(0, colon), text.substring(colon + 1));
  }

  @Override
  public String toString() {
    return user + ":***";
  }
}
