package io.forebay.core.peer;

import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The {@code Forebay-Peer} field of a response between nodes.
 *
 * @param node name of the node that answers
 */
public record PeerResponseField(String node, Source source) {
  /** The status of the interim responses of a node that fetches (RFC 2518 §10.1). */
  public static final int PROCESSING = 102;

  /** The time between two of them. */
  public static final long PROCESSING_MILLIS = 1_000;

  private static final int PARAMETERS = 2;

  /** Where the node has the response from. */
  public enum Source {
    /** From its store. */
    STORE,
    /** From a fetch for this request, or for an earlier one that it shares. */
    FETCH,
    /** From a fetch for this request; the node may not store the response. */
    PASS;

    String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Parses the value of the field; null for any other form. */
  public static @Nullable PeerResponseField parse(CharSequence text) {
    Map<String, String> values = PeerParameters.parse(text, PARAMETERS);
    String node = values == null ? null : values.get("node");
    String source = values == null ? null : values.get("source");
    if (node == null || source == null) {
      return null;
    }
    for (Source one : Source.values()) {
      if (one.label().equals(source)) {
        return new PeerResponseField(node, one);
      }
    }
    return null;
  }

  /** The value of the field. */
  @Override
  public String toString() {
    return "v=1, node=" + node + ", source=" + source.label();
  }
}
