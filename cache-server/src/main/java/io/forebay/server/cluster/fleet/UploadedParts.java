package io.forebay.server.cluster.fleet;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Parts that clients have sent and no push has used yet. Beyond the length of the largest document
 * the oldest ones are dropped. Any thread.
 */
final class UploadedParts {
  /** Of incompressible files, in base64, and their manifest. */
  static final int MAX_LENGTH = 26 << 20;

  private final Map<String, String> texts = new LinkedHashMap<>();
  private long length;

  synchronized void add(String hash, String text) {
    remove(Set.of(hash));
    texts.put(hash, text);
    length += text.length();
    Iterator<String> oldest = texts.values().iterator();
    while (length > MAX_LENGTH) {
      length -= oldest.next().length();
      oldest.remove();
    }
  }

  /** All of them, by their hashes. */
  synchronized Map<String, String> all() {
    return Map.copyOf(texts);
  }

  synchronized void remove(Set<String> hashes) {
    for (String hash : hashes) {
      String text = texts.remove(hash);
      length -= text == null ? 0 : text.length();
    }
  }
}
