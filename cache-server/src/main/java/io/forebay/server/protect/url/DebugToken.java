package io.forebay.server.protect.url;

import io.forebay.server.config.Secret;

/**
 * Tokens that let a client see how its responses come about: {@code EXPIRES~SIGNATURE}.
 *
 * <pre>
 *   EXPIRES    seconds since 1970
 *   SIGNATURE  base64url of HMAC-SHA256 over the lines forebay-debug-1, EXPIRES
 * </pre>
 */
public final class DebugToken {
  private static final int MAX_LENGTH = 64;

  private final HmacKey key;

  public DebugToken(Secret secret) {
    key = new HmacKey(secret);
  }

  /** Makes a token. */
  public String sign(long expiresSeconds) {
    String expires = Long.toString(expiresSeconds);
    return expires + "~" + key.sign(text(expires));
  }

  private static String text(String expires) {
    return "forebay-debug-1\n" + expires;
  }

  /** Whether a token is one of these, and its time is not over. */
  public boolean admits(String token, long nowSeconds) {
    String[] parts = token.length() > MAX_LENGTH ? new String[0] : token.split("~", -1);
    return parts.length == 2
        && key.hasSigned(text(parts[0]), parts[1])
        && nowSeconds < UrlSignature.seconds(parts[0]);
  }
}
