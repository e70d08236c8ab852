package io.forebay.server.text;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;

/** Parses absolute http and https URLs written by operators. */
public final class HttpUrls {
  private HttpUrls() {}

  /** Whether the text is an http or https URL with an authority and without user information. */
  public static boolean isAbsolute(String text) {
    String lower = text.toLowerCase(Locale.ROOT);
    if (!lower.startsWith("http://") && !lower.startsWith("https://")) {
      return false;
    }
    int start = text.indexOf("//") + 2;
    int end = start;
    while (end < text.length() && "/?#".indexOf(text.charAt(end)) < 0) {
      end++;
    }
    String authority = text.substring(start, end);
    if (authority.isEmpty() || authority.indexOf('@') >= 0 || text.indexOf(' ') >= 0) {
      return false;
    }
    try {
      // Only the authority: paths in the wild hold characters that java.net.URI does not take.
      return new URI("http://" + authority + "/").getRawAuthority() != null;
    } catch (URISyntaxException e) {
      return false;
    }
  }
}
