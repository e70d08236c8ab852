package io.forebay.server.http;

/** The User-Agent by which the node's own warm-up says who it is. */
public final class WarmUpAgent {
  private static final String PRODUCT = "forebay-warm/";

  private WarmUpAgent() {}

  /** That of a version. */
  public static String of(String version) {
    return PRODUCT + version;
  }

  /** Whether a request's User-Agent is that of a warm-up, of whatever version. */
  public static boolean is(CharSequence userAgent) {
    return userAgent.length() >= PRODUCT.length()
        && CharSequence.compare(userAgent.subSequence(0, PRODUCT.length()), PRODUCT) == 0;
  }
}
