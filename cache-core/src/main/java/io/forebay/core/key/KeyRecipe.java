package io.forebay.core.key;

/**
 * What a route adds to the key or leaves out of it. Scheme, host, port and path are always in.
 *
 * @param includeQuery whether URLs that differ in their query only are different objects
 * @param extra a fixed text that keeps the route's objects apart from those of other routes; empty
 *     for none; printable ASCII without blanks
 */
public record KeyRecipe(boolean includeQuery, String extra) {

  /** The whole URL and nothing else. */
  public static final KeyRecipe DEFAULT = new KeyRecipe(true, "");

  private static final int MAX_EXTRA_LENGTH = 256;

  public KeyRecipe {
    if (extra.length() > MAX_EXTRA_LENGTH) {
      throw new IllegalArgumentException("extra key text longer than " + MAX_EXTRA_LENGTH);
    }
    for (int i = 0; i < extra.length(); i++) {
      if (extra.charAt(i) <= ' ' || extra.charAt(i) >= 0x7f) {
        throw new IllegalArgumentException("extra key text is not printable ASCII: " + extra);
      }
    }
  }
}
