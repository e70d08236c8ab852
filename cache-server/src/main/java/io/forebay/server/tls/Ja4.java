package io.forebay.server.tls;

import io.netty.buffer.ByteBuf;
import io.netty.util.AttributeKey;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * JA4, FoxIO's fingerprint of TLS clients, of a ClientHello over TCP.
 *
 * <pre>
 *   t13d1516h2_8daaf6152771_e5627efa2ab1
 *   │││ │ │ │  └ ciphers    └ extensions but SNI and ALPN, sorted, and signature algorithms, as sent;
 *   │││ │ │ │    sorted       12 hexadecimal digits of SHA-256 each, or zeros where there is nothing
 *   │││ │ │ └ first and last character of the first protocol (ALPN), or 00
 *   │││ │ └ number of extensions
 *   │││ └ number of ciphers
 *   ││└ d: names a server (SNI), i: does not
 *   │└ highest version
 *   └ TCP
 * </pre>
 *
 * Values of GREASE (RFC 8701) count nowhere.
 */
public final class Ja4 {

  /** Of a connection whose ClientHello was fingerprinted. */
  public static final AttributeKey<String> KEY = AttributeKey.valueOf(Ja4.class, "ja4");

  private static final int SERVER_NAME = 0x0000;
  private static final int SIGNATURE_ALGORITHMS = 0x000d;
  private static final int ALPN = 0x0010;
  private static final int SUPPORTED_VERSIONS = 0x002b;
  private static final int RANDOM_BYTES = 32;
  private static final int MAX_COUNT = 99;
  private static final String NOTHING = "000000000000";

  private int version;
  private final List<String> ciphers = new ArrayList<>();
  private final List<String> extensions = new ArrayList<>();
  private final List<String> signatures = new ArrayList<>();
  private int extensionCount;
  private boolean hasServerName;
  private String protocol = "00";

  private Ja4() {}

  /**
   * The fingerprint, or null for what is no whole ClientHello.
   *
   * @param hello without the header of the handshake message; its indexes are left alone
   */
  static @Nullable String of(ByteBuf hello) {
    Ja4 fingerprint = new Ja4();
    try {
      fingerprint.read(hello.slice());
    } catch (IndexOutOfBoundsException e) {
      return null;
    }
    return fingerprint.text();
  }

  private void read(ByteBuf hello) {
    version = hello.readUnsignedShort();
    hello.skipBytes(RANDOM_BYTES);
    hello.skipBytes(hello.readUnsignedByte());
    ByteBuf suites = hello.readSlice(hello.readUnsignedShort());
    while (suites.isReadable()) {
      add(ciphers, suites.readUnsignedShort());
    }
    hello.skipBytes(hello.readUnsignedByte());
    if (!hello.isReadable()) {
      return;
    }
    ByteBuf all = hello.readSlice(hello.readUnsignedShort());
    while (all.isReadable()) {
      int type = all.readUnsignedShort();
      extension(type, all.readSlice(all.readUnsignedShort()));
    }
  }

  private void extension(int type, ByteBuf content) {
    if (isGrease(type)) {
      return;
    }
    extensionCount++;
    switch (type) {
      case SERVER_NAME -> hasServerName = true;
      case ALPN -> {
        if (content.readableBytes() > 3) {
          content.skipBytes(2);
          protocol = ends(content.readSlice(content.readUnsignedByte()));
        }
      }
      case SIGNATURE_ALGORITHMS -> {
        ByteBuf list = content.readSlice(content.readUnsignedShort());
        while (list.isReadable()) {
          add(signatures, list.readUnsignedShort());
        }
      }
      case SUPPORTED_VERSIONS -> {
        int highest = 0;
        ByteBuf list = content.readSlice(content.readUnsignedByte());
        while (list.isReadable()) {
          int one = list.readUnsignedShort();
          highest = isGrease(one) ? highest : Math.max(highest, one);
        }
        version = highest;
      }
      default -> {}
    }
    if (type != SERVER_NAME && type != ALPN) {
      extensions.add(hex(type));
    }
  }

  /** The first and the last character, of the hexadecimal digits where one is neither. */
  private static String ends(ByteBuf name) {
    if (!name.isReadable()) {
      return "00";
    }
    int first = name.getUnsignedByte(name.readerIndex());
    int last = name.getUnsignedByte(name.writerIndex() - 1);
    return isAlphanumeric(first) && isAlphanumeric(last)
        ? "" + (char) first + (char) last
        : hex(first).substring(2, 3) + hex(last).substring(3);
  }

  private static boolean isAlphanumeric(int c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  }

  private static boolean isGrease(int value) {
    return (value & 0x0f0f) == 0x0a0a && value >>> 8 == (value & 0xff);
  }

  private static void add(List<String> list, int value) {
    if (!isGrease(value)) {
      list.add(hex(value));
    }
  }

  private static String hex(int value) {
    return HexFormat.of().toHexDigits((short) value);
  }

  private String text() {
    ciphers.sort(null);
    extensions.sort(null);
    String sent = String.join(",", extensions);
    String signed = signatures.isEmpty() ? "" : "_" + String.join(",", signatures);
    return "t%s%s%02d%02d%s_%s_%s"
        .formatted(
            versionText(),
            hasServerName ? "d" : "i",
            Math.min(ciphers.size(), MAX_COUNT),
            Math.min(extensionCount, MAX_COUNT),
            protocol,
            ciphers.isEmpty() ? NOTHING : digest(String.join(",", ciphers)),
            extensions.isEmpty() ? NOTHING : digest(sent + signed));
  }

  private String versionText() {
    return switch (version) {
      case 0x0304 -> "13";
      case 0x0303 -> "12";
      case 0x0302 -> "11";
      case 0x0301 -> "10";
      case 0x0300 -> "s3";
      case 0x0002 -> "s2";
      default -> "00";
    };
  }

  private static String digest(String text) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.US_ASCII));
      return HexFormat.of().formatHex(hash, 0, 6);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
