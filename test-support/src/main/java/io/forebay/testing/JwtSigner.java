package io.forebay.testing;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PSSParameterSpec;
import java.util.Arrays;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Signs tokens (RFC 7515, compact form) with the JDK alone, and tells its public key as a JWK. */
public final class JwtSigner {
  private final String id;
  private final String algorithm;
  private final Key key;
  private final String jwk;

  private JwtSigner(String id, String algorithm, Key key, String jwk) {
    this.id = id;
    this.algorithm = algorithm;
    this.key = key;
    this.jwk = jwk;
  }

  /**
   * A signer with a new key.
   *
   * @param id of the key; empty for none
   * @param algorithm {@code RS256}, {@code PS256}, {@code ES256}, {@code ES384}, {@code ES512} or
   *     {@code EdDSA}
   */
  public static JwtSigner of(String id, String algorithm) {
    return of(id, algorithm, 2048);
  }

  /** The same with an RSA key of so many bits. */
  public static JwtSigner of(String id, String algorithm, int rsaBits) {
    try {
      KeyPair pair =
          switch (algorithm) {
            case "RS256", "PS256" -> {
              KeyPairGenerator rsa = KeyPairGenerator.getInstance("RSA");
              rsa.initialize(rsaBits);
              yield rsa.generateKeyPair();
            }
            case "EdDSA" -> KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
            default -> {
              KeyPairGenerator ec = KeyPairGenerator.getInstance("EC");
              ec.initialize(new ECGenParameterSpec("secp" + curveBits(algorithm) + "r1"));
              yield ec.generateKeyPair();
            }
          };
      String named = id.isEmpty() ? "" : "\"kid\":\"" + id + "\",";
      return new JwtSigner(
          id, algorithm, pair.getPrivate(), "{" + named + parameters(pair, algorithm) + "}");
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A signer with a secret. */
  public static JwtSigner ofSecret(String algorithm, byte[] secret) {
    return new JwtSigner("", algorithm, new SecretKeySpec(secret, "HMAC"), "");
  }

  private static int curveBits(String algorithm) {
    return switch (algorithm) {
      case "ES256" -> 256;
      case "ES384" -> 384;
      default -> 521;
    };
  }

  private static String parameters(KeyPair pair, String algorithm) {
    return switch (pair.getPublic()) {
      case RSAPublicKey rsa ->
          "\"kty\":\"RSA\",\"n\":\""
              + unsigned(rsa.getModulus(), 0)
              + "\",\"e\":\""
              + unsigned(rsa.getPublicExponent(), 0)
              + "\"";
      case ECPublicKey ec -> {
        int bytes = (curveBits(algorithm) + 7) / 8;
        yield "\"kty\":\"EC\",\"crv\":\"P-"
            + curveBits(algorithm)
            + "\",\"x\":\""
            + unsigned(ec.getW().getAffineX(), bytes)
            + "\",\"y\":\""
            + unsigned(ec.getW().getAffineY(), bytes)
            + "\"";
      }
      default -> {
        // The last 32 bytes of a SubjectPublicKeyInfo are the key (RFC 8410).
        byte[] encoded = pair.getPublic().getEncoded();
        yield "\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\""
            + base64(Arrays.copyOfRange(encoded, encoded.length - 32, encoded.length))
            + "\"";
      }
    };
  }

  private static String unsigned(BigInteger number, int minBytes) {
    byte[] bytes = number.toByteArray();
    byte[] plain = bytes[0] == 0 ? Arrays.copyOfRange(bytes, 1, bytes.length) : bytes;
    byte[] padded = new byte[Math.max(minBytes, plain.length)];
    System.arraycopy(plain, 0, padded, padded.length - plain.length, plain.length);
    return base64(padded);
  }

  /** The public key. */
  public String jwk() {
    return jwk;
  }

  /** A set of public keys. */
  public static String set(JwtSigner... signers) {
    return "{\"keys\":["
        + String.join(",", Arrays.stream(signers).map(JwtSigner::jwk).toList())
        + "]}";
  }

  /** A token with these claims, written as JSON. */
  public String token(String claims) {
    return token("{\"alg\":\"" + algorithm + "\"" + kid() + "}", claims);
  }

  private String kid() {
    return id.isEmpty() ? "" : ",\"kid\":\"" + id + "\"";
  }

  /** The same with a header, written as JSON. */
  public String token(String header, String claims) {
    String input = base64(header) + "." + base64(claims);
    return input + "." + base64(sign(input.getBytes(StandardCharsets.US_ASCII)));
  }

  private byte[] sign(byte[] input) {
    try {
      if (!(key instanceof PrivateKey own)) {
        Mac mac = Mac.getInstance("HmacSHA" + algorithm.substring(2));
        mac.init(key);
        return mac.doFinal(input);
      }
      Signature signature =
          Signature.getInstance(
              switch (algorithm) {
                case "RS256" -> "SHA256withRSA";
                case "PS256" -> "RSASSA-PSS";
                case "EdDSA" -> "Ed25519";
                default -> "SHA" + algorithm.substring(2) + "withECDSAinP1363Format";
              });
      if (algorithm.equals("PS256")) {
        signature.setParameter(
            new PSSParameterSpec("SHA-256", "MGF1", MGF1ParameterSpec.SHA256, 32, 1));
      }
      signature.initSign(own);
      signature.update(input);
      return signature.sign();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Base64url without padding. */
  public static String base64(String text) {
    return base64(text.getBytes(StandardCharsets.UTF_8));
  }

  /** The same of bytes. */
  public static String base64(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
