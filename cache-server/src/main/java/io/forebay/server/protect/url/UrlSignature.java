package io.forebay.server.protect.url;

import io.forebay.core.http.RequestView;
import io.forebay.core.key.NamePatterns;
import io.forebay.core.key.QueryRecipe;
import io.forebay.server.config.ProtectionProfile.SignedUrlConfig;
import org.jspecify.annotations.Nullable;

/** Whether a URL was signed with one of the keys of a profile. Immutable; any thread. */
public abstract sealed class UrlSignature permits UrlToken, NginxSecureLink, CloudFrontSignature {
  private final QueryRecipe withoutToken;

  UrlSignature(SignedUrlConfig config) {
    withoutToken =
        new QueryRecipe(false, false, new NamePatterns(config.parameters()), NamePatterns.NONE);
  }

  /** What a signature says of a request. */
  public enum Verdict {
    VALID,
    INVALID,
    /** The signature is right, but its time is over. */
    EXPIRED
  }

  public static UrlSignature of(SignedUrlConfig config) {
    return switch (config.type()) {
      case HMAC -> new UrlToken(config);
      case NGINX_SECURE_LINK -> new NginxSecureLink(config);
      case CLOUDFRONT -> new CloudFrontSignature(config);
    };
  }

  /**
   * Verifies a request.
   *
   * @param hi upper half of the client's address
   * @param lo lower half
   */
  public abstract Verdict verify(RequestView request, long hi, long lo, long nowSeconds);

  /** A query without what the signature consists of; null for nothing. */
  public final @Nullable String withoutToken(@Nullable String query) {
    return withoutToken.canonical(query);
  }

  /** The value of a parameter that the query has once; null otherwise. */
  static @Nullable String parameter(@Nullable String query, String name) {
    String found = null;
    int from = 0;
    while (query != null && from <= query.length()) {
      int ampersand = query.indexOf('&', from);
      int end = ampersand < 0 ? query.length() : ampersand;
      int value = from + name.length();
      if (value < end && query.startsWith(name, from) && query.charAt(value) == '=') {
        if (found != null) {
          return null;
        }
        found = query.substring(value + 1, end);
      }
      from = end + 1;
    }
    return found;
  }

  /** Seconds since 1970 in decimal digits, or -1. */
  static long seconds(String text) {
    if (text.isEmpty() || text.length() > 11 || !text.chars().allMatch(c -> c >= '0' && c <= '9')) {
      return -1;
    }
    return Long.parseLong(text);
  }
}
