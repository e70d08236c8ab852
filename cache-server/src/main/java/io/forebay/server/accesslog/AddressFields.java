package io.forebay.server.accesslog;

import io.forebay.server.network.IpAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Shortens the addresses in fields that proxies write: lists such as {@code X-Forwarded-For}, and
 * {@code Forwarded} (RFC 7239). What is not understood might hold an address, so it appears as
 * {@value #HIDDEN}; parameters of {@code Forwarded} other than {@code for}, {@code by} and {@code
 * proto} are left out, and so are ports.
 *
 * <pre>
 *   192.0.2.7, [2001:db8:1:2::3]:4711, abc       ->  192.0.2.0, 2001:db8:1::, *
 *   for="[2001:db8:1:2::3]";proto=https;host=a   ->  for="[2001:db8:1::]";proto=https
 * </pre>
 *
 * Confined to a thread.
 */
final class AddressFields {
  /** The fields that have addresses of clients. */
  static final Set<String> LISTS =
      Set.of(
          "x-forwarded-for",
          "x-real-ip",
          "true-client-ip",
          "cf-connecting-ip",
          "fastly-client-ip",
          "x-client-ip",
          "x-cluster-client-ip");

  private static final String FORWARDED = "forwarded";
  private static final String HIDDEN = "*";

  private final int ipv4Bits;
  private final int ipv6Bits;

  AddressFields(int ipv4Bits, int ipv6Bits) {
    this.ipv4Bits = ipv4Bits;
    this.ipv6Bits = ipv6Bits;
  }

  /** Whether a field with that lower-case name has addresses. */
  static boolean isOne(String name) {
    return name.equals(FORWARDED) || LISTS.contains(name);
  }

  /** The value of such a field as lines have it. */
  String shortened(String name, String value) {
    List<String> parts = new ArrayList<>();
    for (String element : split(value, ',')) {
      parts.add(name.equals(FORWARDED) ? element(element) : hiddenIfNull(address(element)));
    }
    return String.join(", ", parts);
  }

  private static String hiddenIfNull(@Nullable String shown) {
    return shown == null ? HIDDEN : shown;
  }

  /** One hop of Forwarded. */
  private String element(String element) {
    List<String> pairs = new ArrayList<>();
    for (String pair : split(element, ';')) {
      int equals = pair.indexOf('=');
      if (equals < 0) {
        return HIDDEN;
      }
      String name = pair.substring(0, equals).strip().toLowerCase(Locale.ROOT);
      String value = unquoted(pair.substring(equals + 1).strip());
      switch (name) {
        case "for", "by" -> {
          String shown = value == null ? null : address(value);
          pairs.add(name + "=" + (shown == null ? HIDDEN : quoted(shown)));
        }
        case "proto" -> pairs.add(name + "=" + (isScheme(value) ? value : HIDDEN));
        default -> {}
      }
    }
    return pairs.isEmpty() ? HIDDEN : String.join(";", pairs);
  }

  private static String quoted(String address) {
    return address.indexOf(':') < 0 ? address : "\"[" + address + "]\"";
  }

  private static boolean isScheme(@Nullable String value) {
    return "http".equals(value) || "https".equals(value);
  }

  /** Null for half a pair of quotes, and for what has quotes or escapes inside. */
  private static @Nullable String unquoted(String value) {
    boolean isQuoted = value.length() >= 2 && value.startsWith("\"") && value.endsWith("\"");
    String inner = isQuoted ? value.substring(1, value.length() - 1) : value;
    return inner.indexOf('"') < 0 && inner.indexOf('\\') < 0 ? inner : null;
  }

  /** At separators outside of quotes; behind a quote without its pair all is one part. */
  private static List<String> split(String text, char separator) {
    List<String> parts = new ArrayList<>();
    boolean isQuoted = false;
    int from = 0;
    for (int at = 0; at < text.length(); at++) {
      char c = text.charAt(at);
      if (c == '"') {
        isQuoted = !isQuoted;
      } else if (c == separator && !isQuoted) {
        parts.add(text.substring(from, at).strip());
        from = at + 1;
      }
    }
    parts.add(text.substring(from).strip());
    return parts;
  }

  /** With or without a port; null for what is no address. */
  private @Nullable String address(String text) {
    IpAddress address = IpAddress.parse(withoutPort(text));
    return address == null || text.indexOf('%') >= 0
        ? null
        : address.withoutHost(address.isV4() ? ipv4Bits : ipv6Bits).toText();
  }

  private static String withoutPort(String text) {
    if (text.startsWith("[")) {
      int end = text.indexOf(']');
      boolean isWhole = end == text.length() - 1 || (end > 0 && isPort(text, end + 1));
      return isWhole ? text.substring(1, end) : "";
    }
    int colon = text.indexOf(':');
    boolean isSingle = colon >= 0 && colon == text.lastIndexOf(':');
    return isSingle && isPort(text, colon) ? text.substring(0, colon) : text;
  }

  private static boolean isPort(String text, int colon) {
    return text.substring(colon).matches(":[0-9]{1,5}");
  }
}
