package io.forebay.core.route;

/**
 * What becomes of cookies.
 *
 * @param setCookie what a Set-Cookie does to storing
 * @param request which cookies of a request the origin sees
 * @param response which cookies of a response are taken notice of at all
 */
public record CookieSettings(SetCookie setCookie, CookieFilter request, CookieFilter response) {

  /** No response that sets a cookie is stored; all cookies go through. */
  public static final CookieSettings DEFAULT =
      new CookieSettings(SetCookie.REFUSE, CookieFilter.ALL, CookieFilter.ALL);

  /** What becomes of a response with Set-Cookie. */
  public enum SetCookie {
    /** It is not stored. */
    REFUSE,
    /** It is stored with its cookies, and every client gets them. */
    STORE,
    /** It is stored without them; the client whose request fetched it gets none either. */
    STRIP
  }
}
