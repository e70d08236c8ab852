package io.forebay.server.tls.acme;

import io.forebay.server.config.AcmeConfig.KeyType;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Makes key pairs and writes them as PEM. */
final class KeyPairs {
  private static final Pattern PAIR =
      Pattern.compile(
          "-----BEGIN PRIVATE KEY-----([^-]*)-----END PRIVATE KEY-----\\s*"
              + "-----BEGIN PUBLIC KEY-----([^-]*)-----END PUBLIC KEY-----\\s*");

  private KeyPairs() {}

  static KeyPair generate(KeyType type, SecureRandom random) {
    try {
      KeyPairGenerator generator =
          KeyPairGenerator.getInstance(type == KeyType.RSA_2048 ? "RSA" : "EC");
      switch (type) {
        case ECDSA_P256 -> generator.initialize(new ECGenParameterSpec("secp256r1"), random);
        case ECDSA_P384 -> generator.initialize(new ECGenParameterSpec("secp384r1"), random);
        case RSA_2048 -> generator.initialize(2048, random);
      }
      return generator.generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has RSA and the NIST curves", e);
    }
  }

  /** Both keys, the private one first. */
  static String pem(KeyPair pair) {
    return pem("PRIVATE KEY", pair.getPrivate().getEncoded())
        + pem("PUBLIC KEY", pair.getPublic().getEncoded());
  }

  static String pem(String label, byte[] der) {
    return "-----BEGIN "
        + label
        + "-----\n"
        + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der)
        + "\n-----END "
        + label
        + "-----\n";
  }

  /** What {@link #pem(KeyPair)} wrote. */
  static KeyPair parse(String pem) throws IOException {
    Matcher matcher = PAIR.matcher(pem);
    if (!matcher.matches()) {
      throw new IOException("no key pair in PEM format");
    }
    GeneralSecurityException problem = null;
    for (String algorithm : List.of("EC", "RSA")) {
      try {
        KeyFactory factory = KeyFactory.getInstance(algorithm);
        return new KeyPair(
            factory.generatePublic(new X509EncodedKeySpec(der(matcher.group(2)))),
            factory.generatePrivate(new PKCS8EncodedKeySpec(der(matcher.group(1)))));
      } catch (GeneralSecurityException e) {
        problem = e;
      } catch (IllegalArgumentException e) {
        throw new IOException("a key that is not base64", e);
      }
    }
    throw new IOException("a key that is neither RSA nor on a NIST curve", problem);
  }

  private static byte[] der(String base64) {
    return Base64.getMimeDecoder().decode(base64.getBytes(StandardCharsets.US_ASCII));
  }
}
