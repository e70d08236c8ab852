package io.forebay.server.page;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The page for a status.
 *
 * @param page for every client
 * @param json for clients that would rather have JSON; null for none
 * @param isForEdge whether it replaces answers of the node
 * @param isForOrigin whether it replaces answers of origins
 */
public record StatusPage(
    PageTemplate page, @Nullable PageTemplate json, boolean isForEdge, boolean isForOrigin) {

  /** The one that a client gets, by the lines of its Accept field. */
  public PageTemplate of(List<String> accept) {
    return json != null && prefersJson(accept) ? json : page;
  }

  /** Whether JSON is named, and HTML is not or has a lower weight. Wildcards name neither. */
  static boolean prefersJson(List<String> accept) {
    int ofJson = 0;
    int ofHtml = 0;
    for (String line : accept) {
      for (String range : line.split(",", 64)) {
        String[] parts = range.split(";", 8);
        String type = parts[0].strip().toLowerCase(Locale.ROOT);
        if (type.equals("application/json")
            || (type.startsWith("application/") && type.endsWith("+json"))) {
          ofJson = Math.max(ofJson, weight(parts));
        } else if (type.equals("text/html")) {
          ofHtml = Math.max(ofHtml, weight(parts));
        }
      }
    }
    return ofJson > ofHtml;
  }

  /** The weight in thousandths (RFC 9110 §12.4.2); 0 for one that is malformed. */
  private static int weight(String[] parts) {
    for (int i = 1; i < parts.length; i++) {
      String parameter = parts[i].strip().toLowerCase(Locale.ROOT);
      if (parameter.startsWith("q=")) {
        String value = parameter.substring(2);
        return value.matches("[01](\\.\\d{0,3})?")
            ? Math.min(1000, (int) Math.round(Double.parseDouble(value) * 1000))
            : 0;
      }
    }
    return 1000;
  }
}
