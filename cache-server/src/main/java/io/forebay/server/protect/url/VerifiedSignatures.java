package io.forebay.server.protect.url;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Signatures that were verified lately, so that the same cookie, or the same URL, costs one
 * verification by public key. A table of fixed size (16 KiB) of hashes; any thread. Half an entry
 * of one thread with half of another's is the hash of nothing.
 */
final class VerifiedSignatures {
  private static final int ENTRIES = 1024;

  private final AtomicLongArray hashes = new AtomicLongArray(2 * ENTRIES);

  boolean contains(String keyId, String algorithm, byte[] signed, byte[] signature) {
    ByteBuffer hash = hash(keyId, algorithm, signed, signature);
    long first = hash.getLong();
    int at = at(first);
    return hashes.get(at) == first && hashes.get(at + 1) == hash.getLong();
  }

  void add(String keyId, String algorithm, byte[] signed, byte[] signature) {
    ByteBuffer hash = hash(keyId, algorithm, signed, signature);
    long first = hash.getLong();
    int at = at(first);
    hashes.set(at, first);
    hashes.set(at + 1, hash.getLong());
  }

  private static int at(long first) {
    return 2 * (int) (first & (ENTRIES - 1));
  }

  private static ByteBuffer hash(String keyId, String algorithm, byte[] signed, byte[] signature) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update((keyId + "\n" + algorithm + "\n").getBytes(StandardCharsets.UTF_8));
      digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(signed.length).flip());
      digest.update(signed);
      digest.update(signature);
      return ByteBuffer.wrap(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
