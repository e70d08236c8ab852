package io.forebay.core.route;

import io.forebay.core.http.FieldSyntax;
import io.forebay.core.http.KnownField;
import io.forebay.core.http.RequestView;
import io.forebay.core.key.NamePatterns;

/**
 * How a route handles cookies of requests and responses.
 *
 * @param setCookie what a Set-Cookie does to storing
 * @param request which cookies of a request the origin sees
 * @param response which cookies of a response are taken notice of at all
 * @param passing names of cookies, after the filter, whose requests pass; case-sensitive
 */
public record CookieSettings(
    SetCookie setCookie, CookieFilter request, CookieFilter response, NamePatterns passing) {

  /** No response that sets a cookie is stored; all cookies go through. */
  public static final CookieSettings DEFAULT =
      new CookieSettings(SetCookie.REFUSE, CookieFilter.ALL, CookieFilter.ALL, NamePatterns.NONE);

  /** What becomes of a response with Set-Cookie. */
  public enum SetCookie {
    /** It is not stored. */
    REFUSE,
    /** It is stored with its cookies, and every client gets them. */
    STORE,
    /** It is stored without them; the client whose request fetched it gets none either. */
    STRIP
  }

  /** Whether the cookies of a request play no part before its key is built. */
  public boolean ignoreRequests() {
    return request.passesAll() && passing.isEmpty();
  }

  /**
   * Whether a request has a cookie by which it passes. A pair without an equals sign counts as a
   * name.
   */
  public boolean pass(RequestView message) {
    if (passing.isEmpty() || !message.has(KnownField.COOKIE)) {
      return false;
    }
    for (String line : message.fields().all(KnownField.COOKIE.fieldName())) {
      if (hasPassing(line)) {
        return true;
      }
    }
    return false;
  }

  private boolean hasPassing(String line) {
    int start = 0;
    for (int i = 0; i <= line.length(); i++) {
      if (i < line.length() && line.charAt(i) != ';') {
        continue;
      }
      int from = start;
      while (from < i && FieldSyntax.isWhitespace(line.charAt(from))) {
        from++;
      }
      int to = from;
      while (to < i && line.charAt(to) != '=') {
        to++;
      }
      while (to > from && FieldSyntax.isWhitespace(line.charAt(to - 1))) {
        to--;
      }
      if (to > from && passing.matches(line, from, to)) {
        return true;
      }
      start = i + 1;
    }
    return false;
  }
}
