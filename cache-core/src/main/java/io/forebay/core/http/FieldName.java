package io.forebay.core.http;

import java.util.List;
import java.util.Locale;

/** Brings field names to lower case; of common ones no string is made. */
public final class FieldName {

  private static final int SIZE = 1024;

  /** Each in the slot of its hash; of two with one slot the table has the last. */
  private static final String[] COMMON = new String[SIZE];

  static {
    List.of(
            "accept",
            "accept-encoding",
            "accept-language",
            "accept-ranges",
            "access-control-allow-origin",
            "age",
            "cache-control",
            "cdn-loop",
            "connection",
            "content-encoding",
            "content-length",
            "content-type",
            "cookie",
            "date",
            "etag",
            "expires",
            "host",
            "keep-alive",
            "last-modified",
            "location",
            "pragma",
            "referer",
            "sec-fetch-dest",
            "sec-fetch-mode",
            "sec-fetch-site",
            "server",
            "set-cookie",
            "strict-transport-security",
            "transfer-encoding",
            "user-agent",
            "vary",
            "via",
            "x-forwarded-for",
            "x-forwarded-host",
            "x-forwarded-proto")
        .forEach(name -> COMMON[slot(name)] = name);
  }

  private FieldName() {}

  public static String lowerCase(CharSequence name) {
    if (!name.isEmpty()) {
      String common = COMMON[slot(name)];
      if (common != null && FieldSyntax.equalsIgnoreCase(name, common)) {
        return common;
      }
    }
    return name.toString().toLowerCase(Locale.ROOT);
  }

  private static int slot(CharSequence name) {
    int length = name.length();
    int first = name.charAt(0) | 0x20;
    int last = name.charAt(length - 1) | 0x20;
    return (length * 271 + first * 37 + last) & (SIZE - 1);
  }
}
