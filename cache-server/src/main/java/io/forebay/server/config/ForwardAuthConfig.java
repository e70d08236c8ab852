package io.forebay.server.config;

import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * An origin that decides whether requests are admitted.
 *
 * @param origin its name
 * @param path path and query that it is asked for
 * @param method {@code GET} or {@code HEAD}
 * @param requestFields fields of the request that it gets, in lower case
 * @param responseFields fields of its response that the request gets, in lower case
 * @param cacheBy what a verdict is remembered by; empty where it is not
 * @param ttl for how long at most
 * @param timeout for its verdict
 * @param passesRedirects whether clients get its redirects
 * @param admitsOnError whether requests are admitted without a verdict
 * @param isForwarded whether the origin of the route gets the credentials, which otherwise nobody
 *     behind the check sees
 */
public record ForwardAuthConfig(
    String origin,
    String path,
    String method,
    List<String> requestFields,
    List<String> responseFields,
    List<CachePart> cacheBy,
    Duration ttl,
    Duration timeout,
    boolean passesRedirects,
    boolean admitsOnError,
    boolean isForwarded) {

  public ForwardAuthConfig {
    requestFields = List.copyOf(requestFields);
    responseFields = List.copyOf(responseFields);
    cacheBy = List.copyOf(cacheBy);
  }

  /** Whether it decides by the Authorization field. */
  public boolean readsAuthorization() {
    return requestFields.contains("authorization");
  }

  /** The cookies that verdicts are remembered by. */
  public List<String> cookies() {
    return cacheBy.stream()
        .filter(part -> part.kind() == CachePart.Kind.COOKIE)
        .map(CachePart::name)
        .toList();
  }

  /**
   * What a verdict is remembered by.
   *
   * @param name of the field, in lower case, or of the cookie; else empty
   */
  public record CachePart(Kind kind, String name) {

    /** Parts of a request. */
    public enum Kind {
      HEADER,
      COOKIE,
      HOST,
      METHOD,
      PATH
    }

    /** {@code header NAME}, {@code cookie NAME}, {@code host}, {@code method} or {@code path}. */
    static CachePart of(String text) {
      int blank = text.indexOf(' ');
      Kind kind =
          Kind.valueOf((blank < 0 ? text : text.substring(0, blank)).toUpperCase(Locale.ROOT));
      String name = blank < 0 ? "" : text.substring(blank + 1);
      return new CachePart(kind, kind == Kind.HEADER ? name.toLowerCase(Locale.ROOT) : name);
    }

    @Override
    public String toString() {
      String word = kind.name().toLowerCase(Locale.ROOT);
      return name.isEmpty() ? word : word + " " + name;
    }
  }
}
