package io.forebay.server.cluster.fleet;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import javax.crypto.Cipher;
import javax.crypto.KDF;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.HKDFParameterSpec;
import org.jspecify.annotations.Nullable;

/**
 * Encrypts certificates and their keys for etcd with the secret of a cluster: AES-256-GCM, by a key
 * that HKDF derives for this purpose alone. The context is authenticated: a value opens only where
 * it was put. Any thread.
 */
final class CertificateCipher {
  private static final byte[] PURPOSE = "forebay acme 1".getBytes(StandardCharsets.US_ASCII);
  private static final int KEY_BYTES = 32;
  private static final int NONCE_BYTES = 12;
  private static final int TAG_BITS = 128;

  private final List<SecretKey> keys;
  private final SecureRandom random;

  /**
   * A cipher.
   *
   * @param secrets the first encrypts, all decrypt
   */
  CertificateCipher(List<byte[]> secrets, SecureRandom random) {
    this.keys = secrets.stream().map(CertificateCipher::key).toList();
    this.random = random;
  }

  private static SecretKey key(byte[] secret) {
    try {
      return KDF.getInstance("HKDF-SHA256")
          .deriveKey(
              "AES", HKDFParameterSpec.ofExtract().addIKM(secret).thenExpand(PURPOSE, KEY_BYTES));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has HKDF", e);
    }
  }

  /** Nonce, encrypted text and tag, in base64. */
  String seal(String context, String text) {
    byte[] nonce = new byte[NONCE_BYTES];
    random.nextBytes(nonce);
    try {
      byte[] sealed =
          cipher(Cipher.ENCRYPT_MODE, keys.getFirst(), nonce, context)
              .doFinal(text.getBytes(StandardCharsets.UTF_8));
      byte[] all = Arrays.copyOf(nonce, nonce.length + sealed.length);
      System.arraycopy(sealed, 0, all, nonce.length, sealed.length);
      return Base64.getEncoder().encodeToString(all);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has AES-GCM", e);
    }
  }

  /** What was sealed; null if it was changed, put elsewhere, or encrypted with another secret. */
  @Nullable String open(String context, String sealed) {
    byte[] all;
    try {
      all = Base64.getDecoder().decode(sealed);
    } catch (IllegalArgumentException e) {
      return null;
    }
    if (all.length < NONCE_BYTES + TAG_BITS / 8) {
      return null;
    }
    byte[] nonce = Arrays.copyOf(all, NONCE_BYTES);
    for (SecretKey key : keys) {
      try {
        byte[] text =
            cipher(Cipher.DECRYPT_MODE, key, nonce, context)
                .doFinal(all, NONCE_BYTES, all.length - NONCE_BYTES);
        return new String(text, StandardCharsets.UTF_8);
      } catch (GeneralSecurityException e) {
        // Another key may fit.
      }
    }
    return null;
  }

  private static Cipher cipher(int mode, SecretKey key, byte[] nonce, String context)
      throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
    cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
    cipher.updateAAD(context.getBytes(StandardCharsets.UTF_8));
    return cipher;
  }
}
