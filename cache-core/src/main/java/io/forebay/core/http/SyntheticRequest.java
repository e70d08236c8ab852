package io.forebay.core.http;

import org.jspecify.annotations.Nullable;

/** A request that no client sent, used by explanations, warm-ups and tests. */
public record SyntheticRequest(
    String method, TargetUri target, HeaderFields fields, int knownFields, boolean hasBody)
    implements RequestView {

  private static final KnownField[] KNOWN = KnownField.values();

  /** A request without body; the bits of the known fields are taken from the fields. */
  public static SyntheticRequest of(String method, TargetUri target, HeaderFields fields) {
    int known = 0;
    for (KnownField field : KNOWN) {
      if (fields.has(field.fieldName())) {
        known |= field.bit();
      }
    }
    return new SyntheticRequest(method, target, fields, known, false);
  }

  /**
   * A request for an absolute URI.
   *
   * @throws IllegalArgumentException when no request can be for it
   */
  public static SyntheticRequest of(String method, String uri, String... namesAndValues) {
    TargetUri target = TargetUri.parse(uri);
    if (target == null) {
      throw new IllegalArgumentException("not an absolute http or https URI: " + uri);
    }
    return of(method, target, HeaderFields.of(namesAndValues));
  }

  public SyntheticRequest withBody() {
    return new SyntheticRequest(method, target, fields, knownFields, true);
  }

  @Override
  public String scheme() {
    return target.scheme();
  }

  @Override
  public String authority() {
    return target.authority();
  }

  @Override
  public String path() {
    return target.path();
  }

  @Override
  public @Nullable String query() {
    return target.query();
  }
}
