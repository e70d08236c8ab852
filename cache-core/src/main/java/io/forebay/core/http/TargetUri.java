package io.forebay.core.http;

import org.jspecify.annotations.Nullable;

/**
 * An absolute http or https URI in the normal form of requests, as used by purges and
 * invalidations. It is created by the same normalizers as a {@link RequestView}, so both identify
 * the same object (invariant I2).
 *
 * @param authority without the scheme's default port, as {@link RequestView#authority()}
 */
public record TargetUri(String scheme, String authority, String path, @Nullable String query) {

  public static TargetUri of(RequestView request) {
    return new TargetUri(request.scheme(), request.authority(), request.path(), request.query());
  }

  /** An absolute URI in normal form, or null; a fragment is left off. */
  public static @Nullable TargetUri parse(String uri) {
    int hash = uri.indexOf('#');
    String withoutFragment = hash < 0 ? uri : uri.substring(0, hash);
    if (withoutFragment.startsWith("/")
        || !(TargetNormalizer.normalize(withoutFragment, "GET")
            instanceof TargetNormalizer.Accepted target)
        || target.scheme() == null
        || target.authority() == null) {
      return null;
    }
    String authority = AuthorityNormalizer.normalize(target.authority(), target.scheme());
    return authority == null
        ? null
        : new TargetUri(target.scheme(), authority, target.path(), target.query());
  }

  /** The URI that a reference found in a response to this one means (RFC 3986 §5.2), or null. */
  public @Nullable TargetUri resolve(String reference) {
    int hash = reference.indexOf('#');
    String text = hash < 0 ? reference : reference.substring(0, hash);
    if (text.isEmpty()) {
      return this;
    }
    if (text.startsWith("//")) {
      return parse(scheme + ":" + text);
    }
    if (text.startsWith("/")) {
      return withTarget(text);
    }
    if (text.startsWith("?")) {
      return withTarget(path + text);
    }
    if (hasScheme(text)) {
      return parse(text);
    }
    return withTarget(path.substring(0, path.lastIndexOf('/') + 1) + text);
  }

  private @Nullable TargetUri withTarget(String target) {
    return TargetNormalizer.normalize(target, "GET") instanceof TargetNormalizer.Accepted accepted
        ? new TargetUri(scheme, authority, accepted.path(), accepted.query())
        : null;
  }

  /** Whether a colon comes before the first slash or question mark (RFC 3986 §4.2). */
  private static boolean hasScheme(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == ':') {
        return true;
      }
      if (c == '/' || c == '?') {
        return false;
      }
    }
    return false;
  }

  @Override
  public String toString() {
    return scheme + "://" + authority + path + (query == null ? "" : "?" + query);
  }
}
