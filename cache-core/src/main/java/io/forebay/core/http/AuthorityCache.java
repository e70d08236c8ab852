package io.forebay.core.http;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Caches recently used authorities by the bytes of their Host field, so that repeated requests for
 * a host create no String. Direct-mapped: a new entry replaces the one in its slot.
 */
final class AuthorityCache {

  private static final int SIZE = 256;
  private static final int MAX_LENGTH = 260;

  private final String scheme;
  private final byte[] @Nullable [] spellings = new byte[SIZE][];
  private final @Nullable String[] authorities = new String[SIZE];

  AuthorityCache(String scheme) {
    this.scheme = scheme;
  }

  /** The authority in normal form, or null when it is none that is served. */
  @Nullable String authority(byte[] bytes, int from, int to) {
    int length = to - from;
    if (length > MAX_LENGTH) {
      return null;
    }
    int hash = 0;
    for (int i = from; i < to; i++) {
      hash = 31 * hash + bytes[i];
    }
    int slot = (hash ^ hash >>> 8 ^ hash >>> 16) & (SIZE - 1);
    byte[] known = spellings[slot];
    if (known == null || !isSame(known, bytes, from, length)) {
      String text = new Latin1Text().over(bytes, from, to).toString();
      authorities[slot] = AuthorityNormalizer.normalize(text, scheme);
      spellings[slot] = Arrays.copyOfRange(bytes, from, to);
    }
    return authorities[slot];
  }

  private static boolean isSame(byte[] known, byte[] bytes, int from, int length) {
    return known.length == length && Arrays.equals(known, 0, length, bytes, from, from + length);
  }
}
