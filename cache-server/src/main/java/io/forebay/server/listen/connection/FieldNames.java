package io.forebay.server.listen.connection;

import io.forebay.core.http.FieldSyntax;
import io.forebay.core.http.KnownField;

/**
 * Recognizes, in any case, the request fields on which an adapter or the cache acts, with one probe
 * of a small table. Each has a number; the {@link KnownField}s come first, by their ordinal.
 */
public final class FieldNames {

  public static final int OTHER = -1;

  private static final KnownField[] KNOWN = KnownField.values();

  public static final int HOST = KNOWN.length;
  public static final int CONTENT_LENGTH = HOST + 1;
  public static final int TRANSFER_ENCODING = HOST + 2;
  public static final int CONNECTION = HOST + 3;
  static final int KEEP_ALIVE = HOST + 4;
  static final int PROXY_CONNECTION = HOST + 5;
  static final int TE = HOST + 6;
  public static final int WEBSOCKET_KEY1 = HOST + 7;
  public static final int CLIENT_CERT = HOST + 8;
  public static final int CLIENT_CERT_CHAIN = HOST + 9;

  private static final int SIZE = 1024;
  private static final String[] NAMES = new String[SIZE];
  private static final byte[] NUMBERS = new byte[SIZE];

  static {
    for (KnownField field : KNOWN) {
      put(field.fieldName(), field.ordinal());
    }
    put("host", HOST);
    put("content-length", CONTENT_LENGTH);
    put("transfer-encoding", TRANSFER_ENCODING);
    put("connection", CONNECTION);
    put("keep-alive", KEEP_ALIVE);
    put("proxy-connection", PROXY_CONNECTION);
    put("te", TE);
    put("sec-websocket-key1", WEBSOCKET_KEY1);
    put("client-cert", CLIENT_CERT);
    put("client-cert-chain", CLIENT_CERT_CHAIN);
  }

  private FieldNames() {}

  /** The number of a field name, or {@link #OTHER}. */
  public static int number(CharSequence name) {
    int length = name.length();
    if (length == 0) {
      return OTHER;
    }
    int slot = slot(length, name.charAt(0) | 0x20, name.charAt(length - 1) | 0x20);
    String candidate = NAMES[slot];
    return candidate != null && FieldSyntax.equalsIgnoreCase(name, candidate)
        ? NUMBERS[slot]
        : OTHER;
  }

  public static boolean isKnownField(int number) {
    return number >= 0 && number < KNOWN.length;
  }

  private static int slot(int length, int first, int last) {
    return (length * 271 + first * 37 + last) & (SIZE - 1);
  }

  private static void put(String name, int number) {
    int slot = slot(name.length(), name.charAt(0), name.charAt(name.length() - 1));
    if (NAMES[slot] != null) {
      throw new IllegalStateException(name + " falls on " + NAMES[slot]);
    }
    NAMES[slot] = name;
    NUMBERS[slot] = (byte) number;
  }
}
