package io.forebay.core.key;

import io.forebay.core.http.AuthorityNormalizer;
import io.forebay.core.http.TargetUri;
import org.jspecify.annotations.Nullable;

/**
 * Which part of a URL is in the key. A fill does not send the rest to the origin, because the first
 * client would otherwise decide what all others receive.
 *
 * @param host a fixed name that stands for whatever host was asked for, or null for that host
 * @param hasPort whether ports are told apart
 * @param hasScheme whether http and https are told apart
 * @param isFolded whether the letters A–Z of the path are read as a–z
 */
public record UrlRecipe(
    @Nullable String host,
    boolean hasPort,
    boolean hasScheme,
    boolean isFolded,
    QueryRecipe query) {

  /** The whole URL. */
  public static final UrlRecipe WHOLE =
      new UrlRecipe(null, true, true, false, QueryRecipe.AS_RECEIVED);

  public UrlRecipe {
    if (host != null
        && (!host.equals(AuthorityNormalizer.normalize(host, "http"))
            || AuthorityNormalizer.hostLength(host) != host.length())) {
      throw new IllegalArgumentException("not a host in normal form: " + host);
    }
  }

  boolean isWhole() {
    return host == null && hasPort && hasScheme && !isFolded && query.isAsReceived();
  }

  /**
   * The URI that a fill asks for, and that stands for all that have its key. Where schemes are not
   * told apart it is https: an origin must not answer all of them with a redirection to it.
   */
  public TargetUri canonical(TargetUri uri) {
    if (isWhole()) {
      return uri;
    }
    String authority = uri.authority();
    int hostLength = AuthorityNormalizer.hostLength(authority);
    String name = host != null ? host : authority.substring(0, hostLength);
    return new TargetUri(
        hasScheme ? uri.scheme() : "https",
        hasPort ? name + authority.substring(hostLength) : name,
        isFolded ? folded(uri.path()) : uri.path(),
        query.canonical(uri.query()));
  }

  /** In a percent-encoding the digits stay as they are: upper case is their normal form. */
  private static String folded(String path) {
    StringBuilder text = new StringBuilder(path.length());
    for (int i = 0; i < path.length(); i++) {
      char c = path.charAt(i);
      if (c == '%') {
        text.append(path, i, i + 3);
        i += 2;
      } else {
        text.append(lower(c));
      }
    }
    return text.toString();
  }

  static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char) (c + 32) : c;
  }
}
