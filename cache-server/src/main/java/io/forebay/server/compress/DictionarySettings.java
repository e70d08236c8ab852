package io.forebay.server.compress;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a route does with compression dictionaries (RFC 9842).
 *
 * @param match URL pattern that its responses are dictionaries for; null where only those are
 *     dictionaries that their origin calls so
 * @param destinations kinds of requests that the pattern is for; empty for all
 * @param id what clients are to repeat of a dictionary, or null
 * @param maxBytes the largest dictionary, and the largest response that is described by one
 * @param line the line that the node adds to responses, or empty
 */
public record DictionarySettings(
    @Nullable String match,
    List<String> destinations,
    @Nullable String id,
    long maxBytes,
    String line) {

  /** Beyond it, zstd forgets the dictionary: the window that every client has (RFC 9842 §5). */
  public static final long MAX_BYTES = 8L << 20;

  public DictionarySettings {
    destinations = List.copyOf(destinations);
  }

  /** With the line that says so. */
  public static DictionarySettings of(
      @Nullable String match, List<String> destinations, @Nullable String id, long maxBytes) {
    return new DictionarySettings(
        match, destinations, id, maxBytes, match == null ? "" : line(match, destinations, id));
  }

  private static String line(String match, List<String> destinations, @Nullable String id) {
    String dest =
        destinations.isEmpty()
            ? ""
            : destinations.stream()
                .map(name -> '"' + name + '"')
                .collect(Collectors.joining(" ", ", match-dest=(", ")"));
    return "use-as-dictionary: match=\""
        + match
        + '"'
        + dest
        + (id == null ? "" : ", id=\"" + id + '"')
        + "\r\n";
  }
}
