package io.forebay.server;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.util.Base64;

/** Signs URLs and cookies as CloudFront's documentation says; {@code CloudFrontIT} checks it. */
record CloudFrontSigner(String id, KeyPair keys, String hash) {

  static CloudFrontSigner rsa(String id, String hash) {
    return of(id, "RSA", 2048, hash);
  }

  static CloudFrontSigner ecdsa(String id, String hash) {
    return of(id, "EC", 256, hash);
  }

  private static CloudFrontSigner of(String id, String algorithm, int size, String hash) {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
      generator.initialize(size);
      return new CloudFrontSigner(id, generator.generateKeyPair(), hash);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Writes the public key and gives an entry of {@code url-keys}. */
  String configured(Path directory) throws IOException {
    Path file = directory.resolve(id + ".pem");
    Files.writeString(
        file,
        "-----BEGIN PUBLIC KEY-----\n"
            + Base64.getMimeEncoder(64, new byte[] {'\n'})
                .encodeToString(keys.getPublic().getEncoded())
            + "\n-----END PUBLIC KEY-----\n");
    return "{id: " + id + ", public-key-file: \"" + file + "\"}";
  }

  static String policy(String resource, String conditions) {
    return "{\"Statement\":[{\"Resource\":\""
        + resource
        + "\",\"Condition\":{"
        + conditions
        + "}}]}";
  }

  static String until(long seconds) {
    return "\"DateLessThan\":{\"AWS:EpochTime\":" + seconds + "}";
  }

  /** The parameters of a canned policy. */
  String canned(String url, long until) {
    return "Expires=" + until + rest(policy(url, until(until)));
  }

  /** Those of a custom one. */
  String custom(String policy) {
    return "Policy=" + encoded(policy.getBytes(StandardCharsets.UTF_8)) + rest(policy);
  }

  /** The same as the line of a Cookie field. */
  static String cookies(String parameters) {
    return "Cookie: CloudFront-" + parameters.replace("&", "; CloudFront-");
  }

  private String rest(String policy) {
    return "&Signature="
        + encoded(signature(policy))
        + "&Key-Pair-Id="
        + id
        + (hash.equals("SHA256") ? "&Hash-Algorithm=SHA256" : "");
  }

  private byte[] signature(String policy) {
    try {
      boolean isRsa = keys.getPrivate().getAlgorithm().equals("RSA");
      Signature signature = Signature.getInstance(hash + "with" + (isRsa ? "RSA" : "ECDSA"));
      signature.initSign(keys.getPrivate());
      signature.update(policy.getBytes(StandardCharsets.UTF_8));
      return signature.sign();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String encoded(byte[] bytes) {
    return Base64.getEncoder()
        .encodeToString(bytes)
        .replace('+', '-')
        .replace('=', '_')
        .replace('/', '~');
  }
}
