package io.forebay.benchmarks.attack;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Frames of HTTP/2 as bytes (RFC 9113 §4.1), written by hand since no client sends these. {@code
 * RawHttp2} holds a connection and sends as it goes; a flood sends one batch, made once, again and
 * again.
 */
final class Http2Frames {

  static final int HEADERS = 1;
  static final int RST_STREAM = 3;
  static final int SETTINGS = 4;
  static final int PING = 6;
  static final int CONTINUATION = 9;

  static final int NO_FLAGS = 0;
  static final int END_STREAM = 1;
  static final int END_HEADERS = 4;

  private static final byte[] PREFACE =
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
  private static final int SETTINGS_INITIAL_WINDOW_SIZE = 4;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  /** What a client begins with, and nothing it asks for. */
  Http2Frames preface() {
    out.writeBytes(PREFACE);
    return frame(SETTINGS, NO_FLAGS, 0, new byte[0]);
  }

  /** The same, granting no response any room. */
  Http2Frames prefaceWithoutWindow() {
    out.writeBytes(PREFACE);
    byte[] setting = {0, SETTINGS_INITIAL_WINDOW_SIZE, 0, 0, 0, 0};
    return frame(SETTINGS, NO_FLAGS, 0, setting);
  }

  Http2Frames frame(int type, int flags, int stream, byte[] payload) {
    int length = payload.length;
    out.write(length >> 16);
    out.write(length >> 8);
    out.write(length);
    out.write(type);
    out.write(flags);
    out.write(stream >> 24);
    out.write(stream >> 16);
    out.write(stream >> 8);
    out.write(stream);
    out.writeBytes(payload);
    return this;
  }

  /** A whole GET request. */
  Http2Frames get(int stream, String authority, String path) {
    return frame(HEADERS, END_STREAM | END_HEADERS, stream, fields(authority, path));
  }

  /**
   * The field block of a GET (RFC 7541): method and scheme from the static table, the other two as
   * literals that are not indexed.
   */
  static byte[] fields(String authority, String path) {
    ByteArrayOutputStream block = new ByteArrayOutputStream();
    block.write(0x82);
    block.write(0x86);
    literal(block, 4, path);
    literal(block, 1, authority);
    return block.toByteArray();
  }

  private static void literal(ByteArrayOutputStream block, int nameIndex, String value) {
    byte[] bytes = value.getBytes(StandardCharsets.US_ASCII);
    if (bytes.length > 126) {
      throw new IllegalArgumentException("longer than one length byte tells: " + value);
    }
    block.write(nameIndex);
    block.write(bytes.length);
    block.writeBytes(bytes);
  }

  byte[] bytes() {
    return out.toByteArray();
  }
}
