package io.forebay.core.route;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An immutable hash table that is searched with part of a text without allocating. Its keys come
 * from the configuration, so clients cannot cause collisions.
 */
final class SubstringTable<V> {

  private final @Nullable String[] keys;
  private final @Nullable Object[] values;
  private final int mask;
  private final int longestKey;

  SubstringTable(Map<String, V> entries) {
    int capacity = Integer.highestOneBit(Math.max(1, entries.size())) * 4;
    keys = new @Nullable String[capacity];
    values = new @Nullable Object[capacity];
    mask = capacity - 1;
    int longest = 0;
    for (Map.Entry<String, V> entry : entries.entrySet()) {
      String key = entry.getKey();
      int hash = 0;
      for (int i = 0; i < key.length(); i++) {
        hash = hash(hash, key.charAt(i));
      }
      int slot = spread(hash) & mask;
      while (keys[slot] != null) {
        slot = (slot + 1) & mask;
      }
      keys[slot] = key;
      values[slot] = entry.getValue();
      longest = Math.max(longest, key.length());
    }
    longestKey = longest;
  }

  /** Hash of a text one character longer than that of {@code hash}; the empty text's is 0. */
  static int hash(int hash, char next) {
    return 31 * hash + next;
  }

  int longestKey() {
    return longestKey;
  }

  boolean isEmpty() {
    return longestKey == 0;
  }

  /** The value of the key that equals the part of the text, or null. */
  @Nullable V find(CharSequence text, int from, int to) {
    if (to - from > longestKey) {
      return null;
    }
    int hash = 0;
    for (int i = from; i < to; i++) {
      hash = hash(hash, text.charAt(i));
    }
    return find(text, from, to, hash);
  }

  /** As above, for a caller that has the hash already. */
  @SuppressWarnings("unchecked")
  @Nullable V find(CharSequence text, int from, int to, int hash) {
    int slot = spread(hash) & mask;
    while (true) {
      String key = keys[slot];
      if (key == null) {
        return null;
      }
      if (key.length() == to - from && isAt(text, from, key)) {
        return (V) values[slot];
      }
      slot = (slot + 1) & mask;
    }
  }

  private static boolean isAt(CharSequence text, int from, String key) {
    for (int i = 0; i < key.length(); i++) {
      if (text.charAt(from + i) != key.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  private static int spread(int hash) {
    return hash ^ hash >>> 16;
  }
}
