package io.forebay.core.key;

import io.forebay.core.http.FieldsView;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The device class of a client, derived from User-Agent and Sec-CH-UA-Mobile. The first matching
 * line applies:
 *
 * <pre>
 *   User-Agent has bot (but not cubot), crawl, spider, slurp,
 *     facebookexternalhit or mediapartners                            bot
 *   Sec-CH-UA-Mobile is ?1                                            mobile
 *   User-Agent has ipad, kindle, silk/, playbook, tablet (but not
 *     tablet pc), or android without mobile                           tablet
 *   User-Agent has mobi, iphone, ipod, windows phone or opera mini    mobile
 *   anything else, and no User-Agent at all                           desktop
 * </pre>
 *
 * Case does not matter, and what stands behind the first 512 characters does not count. Origins are
 * told by a User-Agent that is the same for the whole class, so that they can tell the classes
 * apart by it and nobody's own gets into what is stored for all.
 */
enum DeviceClass {
  DESKTOP(
      "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0"
          + " Safari/537.36"),
  MOBILE(
      "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0"
          + " Mobile Safari/537.36"),
  TABLET(
      "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0"
          + " Safari/537.36"),
  BOT("Mozilla/5.0 (compatible; bot)");

  /** The request field by which a fill tells the origin the class. */
  public static final String FIELD = "forebay-device";

  static final String USER_AGENT = "user-agent";
  static final String MOBILE_HINT = "sec-ch-ua-mobile";

  private static final int LOOKED_AT = 512;

  private final String label;
  private final String userAgent;

  DeviceClass(String userAgent) {
    this.label = name().toLowerCase(Locale.ROOT);
    this.userAgent = userAgent;
  }

  /** As it stands in a key and in {@link #FIELD}. */
  public String label() {
    return label;
  }

  /** The User-Agent that a fill sends. */
  public String userAgent() {
    return userAgent;
  }

  /** The class of a request with these fields; allocates nothing. */
  public static DeviceClass of(FieldsView fields) {
    CharSequence agent = fields.first(USER_AGENT);
    if (agent != null && isBot(agent)) {
      return BOT;
    }
    if (isMobileHint(fields.first(MOBILE_HINT))) {
      return MOBILE;
    }
    if (agent == null) {
      return DESKTOP;
    }
    if (isTablet(agent)) {
      return TABLET;
    }
    return has(agent, "mobi")
            || has(agent, "iphone")
            || has(agent, "ipod")
            || has(agent, "windows phone")
            || has(agent, "opera mini")
        ? MOBILE
        : DESKTOP;
  }

  private static boolean isMobileHint(@Nullable CharSequence hint) {
    return hint != null && hint.length() == 2 && hint.charAt(0) == '?' && hint.charAt(1) == '1';
  }

  private static boolean isBot(CharSequence agent) {
    int bot = find(agent, "bot", 0);
    while (bot >= 2 && isAt(agent, "cubot", bot - 2)) {
      bot = find(agent, "bot", bot + 1);
    }
    return bot >= 0
        || has(agent, "crawl")
        || has(agent, "spider")
        || has(agent, "slurp")
        || has(agent, "facebookexternalhit")
        || has(agent, "mediapartners");
  }

  private static boolean isTablet(CharSequence agent) {
    int tablet = find(agent, "tablet", 0);
    return (tablet >= 0 && !isAt(agent, "tablet pc", tablet))
        || has(agent, "ipad")
        || has(agent, "kindle")
        || has(agent, "silk/")
        || has(agent, "playbook")
        || (has(agent, "android") && !has(agent, "mobile"));
  }

  private static boolean has(CharSequence agent, String word) {
    return find(agent, word, 0) >= 0;
  }

  private static int find(CharSequence agent, String word, int from) {
    int end = Math.min(agent.length(), LOOKED_AT) - word.length();
    for (int i = from; i <= end; i++) {
      if (isAt(agent, word, i)) {
        return i;
      }
    }
    return -1;
  }

  private static boolean isAt(CharSequence agent, String word, int at) {
    if (at + word.length() > agent.length()) {
      return false;
    }
    for (int i = 0; i < word.length(); i++) {
      if (UrlRecipe.lower(agent.charAt(at + i)) != word.charAt(i)) {
        return false;
      }
    }
    return true;
  }
}
