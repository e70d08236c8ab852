package io.forebay.server.protect.url;

import io.forebay.server.config.Secret;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Signs texts with HMAC-SHA256. Immutable; any thread. */
final class HmacKey {
  private static final String ALGORITHM = "HmacSHA256";

  private final Mac initialized;

  HmacKey(Secret secret) {
    try {
      initialized = Mac.getInstance(ALGORITHM);
      initialized.init(
          new SecretKeySpec(secret.value().getBytes(StandardCharsets.UTF_8), ALGORITHM));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The signature in base64url, without padding. */
  String sign(String text) {
    try {
      Mac own = (Mac) initialized.clone();
      return Base64.getUrlEncoder()
          .withoutPadding()
          .encodeToString(own.doFinal(text.getBytes(StandardCharsets.UTF_8)));
    } catch (CloneNotSupportedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Whether that is the signature; takes the same time wherever they differ. */
  boolean hasSigned(String text, String signature) {
    return MessageDigest.isEqual(
        sign(text).getBytes(StandardCharsets.UTF_8), signature.getBytes(StandardCharsets.UTF_8));
  }
}
