package io.forebay.plugin;

import java.util.Optional;

/**
 * Changes of a request to an origin.
 *
 * @param target path, and {@code ?query} if there is to be one, in place of those of the request
 */
public record OriginRequestEdits(FieldEdits fields, Optional<String> target) {

  /** Changes nothing. */
  public static final OriginRequestEdits NONE =
      new OriginRequestEdits(FieldEdits.NONE, Optional.empty());

  public OriginRequestEdits {
    fields.requireNone(FieldEdits.RESERVED_IN_REQUESTS);
    target.ifPresent(OriginRequestEdits::check);
  }

  private static void check(String target) {
    FieldEdits.requirePrintable("a target", target);
    if (!target.startsWith("/") || target.indexOf('#') >= 0) {
      throw new IllegalArgumentException("a target begins with / and has no #: " + target);
    }
  }

  /** Changes of fields alone. */
  public static OriginRequestEdits of(FieldEdits fields) {
    return new OriginRequestEdits(fields, Optional.empty());
  }

  /** The same for another path and query. */
  public OriginRequestEdits at(String newTarget) {
    return new OriginRequestEdits(fields, Optional.of(newTarget));
  }
}
