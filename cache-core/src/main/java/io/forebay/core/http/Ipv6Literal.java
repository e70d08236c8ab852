package io.forebay.core.http;

/** Whether a text is an IPv6 address as RFC 3986 §3.2.2 writes it; no zone identifiers. */
final class Ipv6Literal {

  private static final int GROUPS = 8;

  private Ipv6Literal() {}

  static boolean isValid(String text, int from, int to) {
    int groups = 0;
    boolean isCompressed = false;
    int i = from;
    if (startsWithDoubleColon(text, i, to)) {
      isCompressed = true;
      i += 2;
    }
    while (i < to) {
      int end = i;
      while (end < to && text.charAt(end) != ':') {
        end++;
      }
      if (end == to && AuthorityNormalizer.isIpv4(text, i, to)) {
        groups += 2;
        break;
      }
      if (!isGroup(text, i, end)) {
        return false;
      }
      groups++;
      if (end == to) {
        break;
      }
      if (startsWithDoubleColon(text, end, to)) {
        if (isCompressed) {
          return false;
        }
        isCompressed = true;
        i = end + 2;
      } else {
        i = end + 1;
        if (i == to) {
          return false;
        }
      }
    }
    return isCompressed ? groups < GROUPS : groups == GROUPS;
  }

  private static boolean startsWithDoubleColon(String text, int index, int to) {
    return index + 1 < to && text.charAt(index) == ':' && text.charAt(index + 1) == ':';
  }

  private static boolean isGroup(String text, int from, int to) {
    if (from == to || to - from > 4) {
      return false;
    }
    for (int i = from; i < to; i++) {
      if (Character.digit(text.charAt(i), 16) < 0 || text.charAt(i) > 'f') {
        return false;
      }
    }
    return true;
  }
}
