package io.forebay.server.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A public key in PEM format, as {@code openssl pkey -pubout} writes it: RSA, or EC on the curve
 * P-256.
 */
public record PublicKeyFile(Path file, PublicKey key) {
  private static final int MAX_FILE_BYTES = 65_536;
  private static final int MIN_RSA_BITS = 2048;
  private static final int MAX_RSA_BITS = 4096;
  private static final int P256_BITS = 256;
  private static final Pattern BLOCK =
      Pattern.compile("-----BEGIN PUBLIC KEY-----([^-]*)-----END PUBLIC KEY-----");

  /**
   * Reads a file.
   *
   * @throws IOException with a message that says why a file cannot be used
   */
  static PublicKeyFile read(Path file) throws IOException {
    if (Files.size(file) > MAX_FILE_BYTES) {
      throw new IOException("is larger than 64KiB");
    }
    Matcher block = BLOCK.matcher(Files.readString(file));
    if (!block.find()) {
      throw new IOException("has no block BEGIN PUBLIC KEY");
    }
    PublicKey key = decoded(block.group(1));
    boolean isKnown =
        switch (key) {
          case RSAPublicKey rsa ->
              rsa.getModulus().bitLength() >= MIN_RSA_BITS
                  && rsa.getModulus().bitLength() <= MAX_RSA_BITS;
          case ECPublicKey curve -> curve.getParams().getOrder().bitLength() == P256_BITS;
          default -> false;
        };
    if (!isKnown) {
      throw new IOException("has neither an RSA key of 2048 to 4096 bits nor one on P-256");
    }
    return new PublicKeyFile(file, key);
  }

  private static PublicKey decoded(String base64) throws IOException {
    try {
      X509EncodedKeySpec spec = new X509EncodedKeySpec(Base64.getMimeDecoder().decode(base64));
      try {
        return KeyFactory.getInstance("RSA").generatePublic(spec);
      } catch (GeneralSecurityException e) {
        return KeyFactory.getInstance("EC").generatePublic(spec);
      }
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      throw new IOException("has no RSA or EC key", e);
    }
  }
}
