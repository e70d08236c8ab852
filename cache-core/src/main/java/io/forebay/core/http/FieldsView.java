package io.forebay.core.http;

import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Read-only header fields of one message, in the order received. Names asked for are lower case;
 * values come without surrounding whitespace. A view is confined to the thread of its message.
 */
public interface FieldsView {

  /** The first value of the field, or null when the message does not carry it. */
  @Nullable CharSequence first(String lowerCaseName);

  /** Every field line of that name, in order; empty when there is none. */
  List<String> all(String lowerCaseName);

  /** Visits every field line in order; names are given as received on the wire, in any case. */
  void forEach(BiConsumer<? super CharSequence, ? super CharSequence> visitor);

  default boolean has(String lowerCaseName) {
    return first(lowerCaseName) != null;
  }

  /** All lines of the field joined by ", " (RFC 9110 §5.3), or null when there is none. */
  default @Nullable String combined(String lowerCaseName) {
    List<String> lines = all(lowerCaseName);
    return switch (lines.size()) {
      case 0 -> null;
      case 1 -> lines.getFirst();
      default -> String.join(", ", lines);
    };
  }
}
