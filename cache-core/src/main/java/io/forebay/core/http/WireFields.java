package io.forebay.core.http;

import java.nio.charset.StandardCharsets;

/**
 * The table of request fields that a {@link WireRequest} may have: common fields whose meaning to a
 * cache is known. A case-insensitive lookup takes one probe of a small table.
 */
final class WireFields {

  static final int UNKNOWN = -1;

  // Behind the ordinals of KnownField.
  static final int OF_NO_EFFECT = 100;
  static final int HOST = 101;
  static final int CONNECTION = 102;

  /**
   * They change nothing about which response is stored or sent, unless a response says that it
   * varies by them.
   */
  private static final String[] WITHOUT_EFFECT = {
    "accept",
    "accept-language",
    "cmcd-object",
    "cmcd-request",
    "cmcd-session",
    "cmcd-status",
    "device-memory",
    "dnt",
    "downlink",
    "dpr",
    "ect",
    "forwarded",
    "origin",
    "priority",
    "purpose",
    "referer",
    "rtt",
    "save-data",
    "sec-ch-ua",
    "sec-ch-ua-arch",
    "sec-ch-ua-bitness",
    "sec-ch-ua-full-version",
    "sec-ch-ua-full-version-list",
    "sec-ch-ua-mobile",
    "sec-ch-ua-model",
    "sec-ch-ua-platform",
    "sec-ch-ua-platform-version",
    "sec-fetch-dest",
    "sec-fetch-mode",
    "sec-fetch-site",
    "sec-fetch-user",
    "sec-gpc",
    "sec-purpose",
    "upgrade-insecure-requests",
    "user-agent",
    "via",
    "viewport-width",
    "width",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-port",
    "x-forwarded-proto",
    "x-real-ip",
    "x-request-id",
    "x-requested-with",
  };

  private static final KnownField[] WITH_BIT = {
    KnownField.ACCEPT_ENCODING,
    KnownField.CACHE_CONTROL,
    KnownField.COOKIE,
    KnownField.PRAGMA,
    KnownField.TRACEPARENT,
  };

  private static final byte[] KEEP_ALIVE = "keep-alive".getBytes(StandardCharsets.US_ASCII);

  private static final int SIZE = 512;
  private static final byte[][] NAMES = new byte[SIZE][];
  private static final byte[] NUMBERS = new byte[SIZE];

  static final int MAX_NAME;

  static {
    int longest = 0;
    for (String name : WITHOUT_EFFECT) {
      put(name, OF_NO_EFFECT);
      longest = Math.max(longest, name.length());
    }
    for (KnownField field : WITH_BIT) {
      put(field.fieldName(), field.ordinal());
      longest = Math.max(longest, field.fieldName().length());
    }
    put("host", HOST);
    put("connection", CONNECTION);
    MAX_NAME = longest;
  }

  private WireFields() {}

  private static void put(String name, int number) {
    byte[] bytes = name.getBytes(StandardCharsets.US_ASCII);
    int slot = slot(bytes, 0, bytes.length);
    if (NAMES[slot] != null) {
      throw new IllegalStateException(name + " falls on another name");
    }
    NAMES[slot] = bytes;
    NUMBERS[slot] = (byte) number;
  }

  /** The number of the field, or {@link #UNKNOWN}. */
  static int number(byte[] bytes, int from, int to) {
    if (from == to) {
      return UNKNOWN;
    }
    int slot = slot(bytes, from, to);
    byte[] name = NAMES[slot];
    return name != null && isSame(bytes, from, to, name) ? NUMBERS[slot] : UNKNOWN;
  }

  private static int slot(byte[] bytes, int from, int to) {
    int hash = 0;
    for (int i = from; i < to; i++) {
      hash = 31 * hash + (bytes[i] | 0x20);
    }
    return (hash ^ hash >>> 14) & (SIZE - 1);
  }

  static boolean isKeepAlive(byte[] bytes, int from, int to) {
    return isSame(bytes, from, to, KEEP_ALIVE);
  }

  /** Whether the octets are that lower-case text, in any case. */
  private static boolean isSame(byte[] bytes, int from, int to, byte[] lowerCase) {
    if (to - from != lowerCase.length) {
      return false;
    }
    for (int i = 0; i < lowerCase.length; i++) {
      int c = bytes[from + i];
      if (c >= 'A' && c <= 'Z') {
        c += 'a' - 'A';
      }
      if (c != lowerCase[i]) {
        return false;
      }
    }
    return true;
  }
}
