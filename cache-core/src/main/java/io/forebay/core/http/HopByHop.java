package io.forebay.core.http;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The hop-by-hop fields of one message, which are neither forwarded nor stored (RFC 9110 §7.6.1,
 * RFC 9111 §3.1): the well-known ones and those that its Connection field lists. A Connection field
 * that lists a field on which others rely, such as Host or Authorization, is an attempt to make two
 * hops see different messages.
 */
public final class HopByHop {

  /** The well-known ones only. */
  public static final HopByHop STANDARD = new HopByHop(Set.of());

  private static final int MAX_LISTED = 64;

  private static final Set<String> ALWAYS =
      Set.of(
          "connection",
          "keep-alive",
          "proxy-connection",
          "proxy-authenticate",
          "proxy-authorization",
          "proxy-authentication-info",
          "te",
          "trailer",
          "transfer-encoding",
          "upgrade",
          "http2-settings");

  /** Fields that messages are framed, routed, keyed, authorised or judged by. */
  private static final Set<String> PROTECTED =
      Set.of(
          "accept-encoding",
          "age",
          "authorization",
          "cache-control",
          "client-cert",
          "client-cert-chain",
          "cache-status",
          "cdn-loop",
          "content-encoding",
          "content-length",
          "content-range",
          "content-type",
          "cookie",
          "date",
          "etag",
          "expect",
          "expires",
          "forwarded",
          "host",
          "if-match",
          "if-modified-since",
          "if-none-match",
          "if-range",
          "if-unmodified-since",
          "last-modified",
          "location",
          "origin",
          "pragma",
          "proxy-status",
          "range",
          "set-cookie",
          "transfer-encoding",
          "vary",
          "via",
          "x-forwarded-for",
          "x-forwarded-host",
          "x-forwarded-proto",
          "x-real-ip");

  private final Set<String> listed;

  private HopByHop(Set<String> listed) {
    this.listed = listed;
  }

  /**
   * Of a request: null when its Connection lines name a protected field, name too many, or hold
   * what is no token; the request is then to be refused with status 400.
   */
  public static @Nullable HopByHop ofRequest(List<String> connectionLines) {
    return of(connectionLines, true);
  }

  /** Of a response: protected fields stay, whatever its Connection lines say. */
  public static HopByHop ofResponse(List<String> connectionLines) {
    HopByHop result = of(connectionLines, false);
    return result == null ? STANDARD : result;
  }

  /** Whether the field ends here; the name in any case. */
  public boolean has(CharSequence name) {
    String lowerCase = name.toString().toLowerCase(Locale.ROOT);
    return ALWAYS.contains(lowerCase) || listed.contains(lowerCase);
  }

  /**
   * Whether a field ends at each hop, or messages are framed, routed, keyed, authorised or judged
   * by it.
   */
  public static boolean isProtected(String lowerCaseName) {
    return ALWAYS.contains(lowerCaseName) || PROTECTED.contains(lowerCaseName);
  }

  private static @Nullable HopByHop of(List<String> lines, boolean isStrict) {
    if (isOrdinary(lines)) {
      return STANDARD;
    }
    Set<String> listed = new HashSet<>();
    for (String line : lines) {
      int start = 0;
      while (start <= line.length()) {
        int end = FieldSyntax.memberEnd(line, start);
        String name = FieldSyntax.trim(line, start, end).toLowerCase(Locale.ROOT);
        start = end + 1;
        if (name.isEmpty()) {
          continue;
        }
        boolean isBad =
            !FieldSyntax.isToken(name) || PROTECTED.contains(name) || listed.size() == MAX_LISTED;
        if (isBad && isStrict) {
          return null;
        }
        if (!isBad) {
          listed.add(name);
        }
      }
    }
    return new HopByHop(Set.copyOf(listed));
  }

  /** The two values that nearly all messages carry need no set of their own. */
  private static boolean isOrdinary(List<String> lines) {
    if (lines.isEmpty()) {
      return true;
    }
    String line = lines.getFirst();
    return lines.size() == 1
        && (FieldSyntax.equalsIgnoreCase(line, "keep-alive")
            || FieldSyntax.equalsIgnoreCase(line, "close"));
  }
}
