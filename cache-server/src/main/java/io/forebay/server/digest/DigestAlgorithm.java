package io.forebay.server.digest;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The algorithms of RFC 9530 that are fit for use (§5). */
public enum DigestAlgorithm {
  SHA_256("sha-256", "SHA-256", 32),
  SHA_512("sha-512", "SHA-512", 64);

  private final String key;
  private final String name;
  private final int length;

  DigestAlgorithm(String key, String name, int length) {
    this.key = key;
    this.name = name;
    this.length = length;
  }

  /** Its key in dictionaries. */
  public String key() {
    return key;
  }

  /** Length of a digest in bytes. */
  int length() {
    return length;
  }

  MessageDigest begin() {
    try {
      return MessageDigest.getInstance(name);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("the JDK lacks " + name, e);
    }
  }
}
