package io.forebay.server.compress;

import io.forebay.core.http.FieldsView;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads Available-Dictionary (RFC 9842 §2.2): the hash of what a client can decode deltas with. */
public final class AvailableDictionary {

  /** Neither is sent to an origin where the node makes the deltas. */
  public static final List<String> FIELDS = List.of("available-dictionary", "dictionary-id");

  private static final int HASH_BYTES = 32;
  private static final int HASH_CHARS = 44;

  private AvailableDictionary() {}

  /** The SHA-256 that the field names; null where it is absent, repeated or malformed. */
  public static byte @Nullable [] of(FieldsView fields) {
    if (!fields.has(FIELDS.getFirst())) {
      return null;
    }
    List<String> lines = fields.all(FIELDS.getFirst());
    String line = lines.getFirst().strip();
    boolean isByteSequence =
        lines.size() == 1
            && line.length() == HASH_CHARS + 2
            && line.charAt(0) == ':'
            && line.charAt(HASH_CHARS + 1) == ':';
    if (!isByteSequence) {
      return null;
    }
    try {
      byte[] hash = Base64.getDecoder().decode(line.substring(1, HASH_CHARS + 1));
      return hash.length == HASH_BYTES ? hash : null;
    } catch (IllegalArgumentException e) {
      return null;
    }
  }
}
