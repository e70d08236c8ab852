package io.forebay.server.jwt;

import java.security.Key;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.EdECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.util.Locale;
import javax.crypto.SecretKey;
import org.jose4j.keys.EllipticCurves;
import org.jspecify.annotations.Nullable;

/** The signature algorithms that can be allowed (RFC 7518 §3.1, RFC 8037); {@code none} is none. */
public enum JwtAlgorithm {
  RS256(256),
  RS384(384),
  RS512(512),
  PS256(256),
  PS384(384),
  PS512(512),
  ES256(256),
  ES384(384),
  ES512(521),
  EDDSA(255),
  HS256(256),
  HS384(384),
  HS512(512);

  private static final int MIN_RSA_BITS = 2048;
  private static final int MAX_RSA_BITS = 16_384;

  /** Of the hash, or of the curve. */
  private final int bits;

  JwtAlgorithm(int bits) {
    this.bits = bits;
  }

  /** As headers of tokens name it. */
  public String label() {
    return this == EDDSA ? "EdDSA" : name();
  }

  /** The algorithm of that label, or null. */
  public static @Nullable JwtAlgorithm of(String label) {
    for (JwtAlgorithm algorithm : values()) {
      if (algorithm.label().equals(label)) {
        return algorithm;
      }
    }
    return null;
  }

  /** Whether signer and verifier have the same key. */
  public boolean isSymmetric() {
    return name().startsWith("HS");
  }

  /** Bytes that a secret has to have at least: as many as the hash (RFC 7518 §3.2). */
  public int minSecretBytes() {
    return bits / Byte.SIZE;
  }

  /** Whether a key is one of this algorithm, and long enough. */
  boolean fits(Key key) {
    return switch (this) {
      case RS256, RS384, RS512, PS256, PS384, PS512 ->
          key instanceof RSAPublicKey rsa
              && rsa.getModulus().bitLength() >= MIN_RSA_BITS
              && rsa.getModulus().bitLength() <= MAX_RSA_BITS;
      case ES256, ES384, ES512 -> key instanceof ECPublicKey ec && isOnCurve(ec);
      case EDDSA ->
          key instanceof EdECPublicKey ed
              && ed.getParams().getName().toLowerCase(Locale.ROOT).equals("ed25519");
      case HS256, HS384, HS512 ->
          key instanceof SecretKey secret && secret.getEncoded().length >= minSecretBytes();
    };
  }

  private boolean isOnCurve(ECPublicKey key) {
    return key.getParams()
        .getCurve()
        .equals(
            switch (this) {
              case ES256 -> EllipticCurves.P256.getCurve();
              case ES384 -> EllipticCurves.P384.getCurve();
              default -> EllipticCurves.P521.getCurve();
            });
  }
}
