package io.forebay.core.http;

import org.jspecify.annotations.Nullable;

/**
 * A validated request with a normalized target, as every protocol adapter presents it to the rest
 * of the node. It does not expose the HTTP version. Confined to the event loop of its exchange.
 */
public interface RequestView {

  /** The method token as received, e.g. {@code GET}; case-sensitive (RFC 9110 §9.1). */
  String method();

  /** {@code http} or {@code https}, from the listener, never from the client's words. */
  String scheme();

  /**
   * Host and port the request is for, lower case, default port of the scheme removed, e.g. {@code
   * example.com} or {@code [::1]:8443}.
   */
  String authority();

  /** Path in the normal form of {@link TargetNormalizer}; starts with {@code /}. */
  String path();

  /** Query without the question mark, as received; null when the target has no question mark. */
  @Nullable String query();

  /** The path, where that takes no String; only good as long as the request is. */
  default CharSequence pathText() {
    return path();
  }

  /** The query, likewise. */
  default @Nullable CharSequence queryText() {
    return query();
  }

  /** The header fields as received, hop-by-hop fields included. */
  FieldsView fields();

  /** Bits of the {@link KnownField}s present. */
  int knownFields();

  /** Whether a request body follows (a positive Content-Length, or chunked, or an open stream). */
  boolean hasBody();

  /**
   * The digest of the content and of what says how to read it, where that is part of what is asked
   * for (RFC 10008, QUERY); null for every other request. Printable ASCII without blanks.
   */
  default @Nullable String contentDigest() {
    return null;
  }

  default boolean has(KnownField field) {
    return (knownFields() & field.bit()) != 0;
  }

  /** Value of a known field; null without a search when its bit is clear. */
  default @Nullable CharSequence value(KnownField field) {
    return has(field) ? fields().first(field.fieldName()) : null;
  }
}
