package io.forebay.core.http;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Normalizes the authority of a request (Host, {@code :authority}, or the absolute form's): lower
 * case, without the scheme's default port and the root's trailing dot (RFC 9110 §4.2.3). Stricter
 * than RFC 3986: a host is a DNS name (letters, digits, {@code - _}), a dotted IPv4 address or a
 * bracketed IPv6 address. User information, percent-encoding, zone identifiers, empty labels and
 * ports outside 1–65535 are refused.
 */
public final class AuthorityNormalizer {

  private static final int MAX_NAME_LENGTH = 253;
  private static final int MAX_LABEL_LENGTH = 63;

  private AuthorityNormalizer() {}

  /** The normal form, the same String where it is normal already, or null when it is refused. */
  public static @Nullable String normalize(String rawAuthority, String scheme) {
    int hostEnd = hostEnd(rawAuthority);
    if (hostEnd < 0) {
      return null;
    }
    int port = -1;
    boolean portStays = false;
    if (hostEnd < rawAuthority.length()) {
      if (rawAuthority.charAt(hostEnd) != ':') {
        return null;
      }
      if (hostEnd + 1 < rawAuthority.length()) {
        port = parsePort(rawAuthority, hostEnd + 1);
        if (port < 0) {
          return null;
        }
        portStays = port != defaultPort(scheme);
      }
    }
    int nameEnd = hostEnd;
    if (rawAuthority.charAt(0) == '[') {
      if (!Ipv6Literal.isValid(rawAuthority, 1, hostEnd - 1)) {
        return null;
      }
    } else {
      if (rawAuthority.charAt(nameEnd - 1) == '.') {
        nameEnd--;
      }
      if (!isName(rawAuthority, nameEnd)) {
        return null;
      }
    }
    boolean hasUpper = false;
    for (int i = 0; i < nameEnd; i++) {
      char c = rawAuthority.charAt(i);
      hasUpper |= c >= 'A' && c <= 'Z';
    }
    if (!hasUpper && (portStays ? nameEnd == hostEnd : nameEnd == rawAuthority.length())) {
      return rawAuthority;
    }
    String host = rawAuthority.substring(0, nameEnd).toLowerCase(Locale.ROOT);
    return portStays ? host + ":" + port : host;
  }

  /** The host of a normal authority, without its port; an IPv6 address keeps its brackets. */
  public static String host(String authority) {
    return authority.substring(0, hostLength(authority));
  }

  /** Length of the host part of a normal authority. */
  public static int hostLength(String authority) {
    int colon = authority.lastIndexOf(':');
    return colon < 0 || authority.charAt(authority.length() - 1) == ']'
        ? authority.length()
        : colon;
  }

  /** The port of a normal authority, or the scheme's default port. */
  public static int port(String authority, String scheme) {
    int hostLength = hostLength(authority);
    return hostLength == authority.length()
        ? defaultPort(scheme)
        : parsePort(authority, hostLength + 1);
  }

  public static int defaultPort(String scheme) {
    return scheme.equals("https") ? 443 : 80;
  }

  private static int hostEnd(String authority) {
    if (authority.isEmpty()) {
      return -1;
    }
    if (authority.charAt(0) == '[') {
      int bracket = authority.indexOf(']');
      return bracket < 0 ? -1 : bracket + 1;
    }
    int colon = authority.indexOf(':');
    int end = colon < 0 ? authority.length() : colon;
    return end == 0 ? -1 : end;
  }

  private static int parsePort(String text, int from) {
    if (text.length() - from > 5 || text.charAt(from) == '0') {
      return -1;
    }
    int port = 0;
    for (int i = from; i < text.length(); i++) {
      int digit = text.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        return -1;
      }
      port = port * 10 + digit;
    }
    return port <= 65_535 ? port : -1;
  }

  private static boolean isName(String text, int end) {
    if (end == 0 || end > MAX_NAME_LENGTH) {
      return false;
    }
    int labelStart = 0;
    boolean labelIsNumeric = true;
    for (int i = 0; i < end; i++) {
      char c = text.charAt(i);
      if (c == '.') {
        if (i == labelStart || i - labelStart > MAX_LABEL_LENGTH) {
          return false;
        }
        labelStart = i + 1;
        labelIsNumeric = true;
        continue;
      }
      boolean isDigit = c >= '0' && c <= '9';
      if (!isDigit && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && c != '-' && c != '_') {
        return false;
      }
      labelIsNumeric &= isDigit;
    }
    if (end == labelStart || end - labelStart > MAX_LABEL_LENGTH) {
      return false;
    }
    // A last label of digits only is no top-level domain: it has to be an IPv4 address.
    return !labelIsNumeric || isIpv4(text, 0, end);
  }

  /** Four decimal numbers up to 255 without leading zeros, and dots between them. */
  static boolean isIpv4(String text, int from, int to) {
    int numbers = 0;
    int value = -1;
    for (int i = from; i <= to; i++) {
      if (i == to || text.charAt(i) == '.') {
        if (value < 0) {
          return false;
        }
        numbers++;
        value = -1;
        continue;
      }
      int digit = text.charAt(i) - '0';
      if (digit < 0 || digit > 9 || value == 0) {
        return false;
      }
      value = (value < 0 ? 0 : value * 10) + digit;
      if (value > 255) {
        return false;
      }
    }
    return numbers == 4;
  }
}
