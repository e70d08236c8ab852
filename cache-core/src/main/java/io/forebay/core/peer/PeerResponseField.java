package io.forebay.core.peer;

import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What an answer between nodes says of itself.
 *
 * @param node name of the node that answers
 */
public record PeerResponseField(String node, Source source) {
  private static final int PARAMETERS = 2;

  /** Where the node had the response from. */
  public enum Source {
    /** It was stored there. */
    STORE,
    /** It was fetched for this request, or for one that was there before. */
    FETCH,
    /** It was fetched for this request, and that node may not store it. */
    PASS;

    String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Null for anything but the one form that the field has. */
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
