package io.forebay.core.policy;

import io.forebay.core.http.FieldSyntax;

/**
 * Our member of the Proxy-Status field (RFC 9209) in answers that this node makes by itself. It
 * tells what went wrong, not where: the next hop is the operator's business, and in the log.
 */
public final class ProxyStatus {

  /** For {@link #error}: nothing came from the next hop, or nothing of meaning. */
  public static final int NO_STATUS = 0;

  private final String name;

  /**
   * @param node the node's name; printable ASCII
   */
  public ProxyStatus(String node) {
    this.name = isToken(node) ? node : quoted(node);
  }

  /**
   * The member of an answer made because of an error.
   *
   * @param receivedStatus what the next hop answered with, if this is sent in place of it, or
   *     {@link #NO_STATUS}
   */
  public String error(ProxyError error, int receivedStatus) {
    String member = name + "; error=" + error.type();
    return receivedStatus == NO_STATUS ? member : member + "; received-status=" + receivedStatus;
  }

  /** A token of structured fields (RFC 8941 §3.3.4). */
  private static boolean isToken(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean isAllowed =
          i == 0
              ? (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '*'
              : c == ':' || c == '/' || FieldSyntax.isTokenChar(c);
      if (!isAllowed) {
        return false;
      }
    }
    return !text.isEmpty();
  }

  /** A string of structured fields (RFC 8941 §3.3.3). */
  private static String quoted(String text) {
    StringBuilder string = new StringBuilder(text.length() + 2).append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < 0x20 || c > 0x7e) {
        throw new IllegalArgumentException("not printable ASCII: " + text);
      }
      if (c == '"' || c == '\\') {
        string.append('\\');
      }
      string.append(c);
    }
    return string.append('"').toString();
  }
}
