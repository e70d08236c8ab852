package io.forebay.server.compress.dictionary;

import io.forebay.core.http.FieldsView;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Whether the page that a browser asks for may read the response: else the length of a delta could
 * tell what it can't read (RFC 9842 §9.3.3). Who sends none of the fields is no browser.
 */
final class CrossOriginReadability {
  private CrossOriginReadability() {}

  /**
   * The algorithm of the RFC.
   *
   * @param response its fields, asked for only where they matter
   */
  static boolean isReadable(FieldsView request, Supplier<FieldsView> response) {
    String site = text(request, "sec-fetch-site");
    String mode = text(request, "sec-fetch-mode");
    if (site == null || site.equals("same-origin") || mode == null) {
      return true;
    }
    return switch (mode) {
      case "navigate", "same-origin" -> true;
      case "cors" -> isShared(text(request, "origin"), response.get());
      default -> false;
    };
  }

  private static boolean isShared(@Nullable String origin, FieldsView response) {
    String allowed = text(response, "access-control-allow-origin");
    return origin != null && allowed != null && (allowed.equals("*") || allowed.equals(origin));
  }

  /** The field, if it is there once; an ambiguous one is none of the words that allow. */
  private static @Nullable String text(FieldsView fields, String name) {
    String combined = fields.combined(name);
    return combined == null ? null : combined.strip();
  }
}
