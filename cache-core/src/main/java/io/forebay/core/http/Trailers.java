package io.forebay.core.http;

import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Tells which fields may be sent as trailers (RFC 9110 §6.5.1). Trailers arrive after the message
 * was framed, routed, judged and possibly stored, so fields on which these steps depend are never
 * allowed, whatever the configuration says.
 */
public final class Trailers {

  private static final Set<String> NEVER =
      Set.of(
          "accept",
          "accept-charset",
          "accept-encoding",
          "accept-language",
          "accept-ranges",
          "age",
          "allow",
          "alt-svc",
          "authentication-info",
          "authorization",
          "cache-control",
          "cache-groups",
          "cache-group-invalidation",
          "cache-status",
          "cache-tag",
          "cdn-cache-control",
          "cdn-loop",
          "clear-site-data",
          "cookie",
          "date",
          "expect",
          "expires",
          "forwarded",
          "from",
          "host",
          "last-modified",
          "link",
          "location",
          "max-forwards",
          "no-vary-search",
          "origin",
          "pragma",
          "range",
          "refresh",
          "retry-after",
          "set-cookie",
          "strict-transport-security",
          "surrogate-control",
          "surrogate-key",
          "user-agent",
          "vary",
          "via",
          "warning",
          "www-authenticate",
          "xkey");

  /** In place of names: every field that may be a trailer. */
  public static final String ANY = "*";

  private Trailers() {}

  /**
   * Whether a field of that name may be let through behind a body. Content fields are not, but for
   * the digest of the content, which is only known then (RFC 9530 §2).
   */
  public static boolean mayBeTrailer(CharSequence fieldName) {
    String name = fieldName.toString().toLowerCase(Locale.ROOT);
    boolean isContentField = name.startsWith("content-") && !name.equals("content-digest");
    return FieldSyntax.isToken(name)
        && !isContentField
        && !NEVER.contains(name)
        && !name.startsWith("if-")
        && !name.startsWith("proxy-auth")
        && !name.startsWith("access-control-")
        && !name.startsWith("sec-")
        && !name.startsWith("x-forwarded-")
        && !name.endsWith("-cache-control")
        && !HopByHop.STANDARD.has(name);
  }

  /**
   * Of those that came, the ones whose names are allowed.
   *
   * @param allowed names in lower case, or {@link #ANY}
   */
  public static HeaderFields allowed(HeaderFields trailers, Set<String> allowed) {
    return allowed.isEmpty() || trailers.size() == 0
        ? HeaderFields.EMPTY
        : trailers.without(name -> !isAllowed(name, allowed));
  }

  private static boolean isAllowed(String name, Set<String> allowed) {
    return allowed.contains(name) || (allowed.contains(ANY) && mayBeTrailer(name));
  }

  /** Of the names announced in Trailer lines, the allowed ones; empty when there are none. */
  public static String announced(List<String> trailerLines, Set<String> allowed) {
    StringBuilder names = new StringBuilder();
    for (String line : trailerLines) {
      int start = 0;
      while (start <= line.length()) {
        int end = FieldSyntax.memberEnd(line, start);
        String name = FieldSyntax.trim(line, start, end).toLowerCase(Locale.ROOT);
        start = end + 1;
        if (isAllowed(name, allowed)) {
          names.append(names.isEmpty() ? "" : ", ").append(name);
        }
      }
    }
    return names.toString();
  }

  /** Whether TE lines say that trailers are taken: {@code trailers}, in any case, as a member. */
  public static boolean areAccepted(List<String> teLines) {
    return FieldSyntax.listContains(teLines, "trailers");
  }
}
