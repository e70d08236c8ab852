package io.forebay.core.policy;

import io.forebay.core.http.FieldSyntax;

/**
 * Formats this node's member of the Proxy-Status field (RFC 9209) in local replies. It names the
 * error but not the next hop, which only the log contains.
 */
public final class ProxyStatus {

  /** For {@link #error}: there is no more to say than the type. */
  public static final String NO_MORE = "";

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
   * @param more parameters of that type, as one of the methods below makes them, or {@link
   *     #NO_MORE}
   */
  public String error(ProxyError error, String more) {
    return name + "; error=" + error.type() + more;
  }

  /** What the next hop answered with, where this is sent in place of it (RFC 9209 §2.1.4). */
  public static String receivedStatus(int status) {
    return "; received-status=" + status;
  }

  /** What a name server answered with, such as {@code NXDOMAIN} (RFC 9209 §2.3.2). */
  public static String rcode(String rcode) {
    return "; rcode=" + quoted(rcode);
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
