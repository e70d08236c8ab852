package io.forebay.server.tls.ocsp;

import java.io.ByteArrayOutputStream;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;

/**
 * A minimal DER reader for OCSP and old key files: definite lengths, tags of one byte. A reader
 * iterates over the elements of one constructed element and never beyond it.
 */
public final class Der {
  public static final int INTEGER = 0x02;
  static final int BIT_STRING = 0x03;
  public static final int OCTET_STRING = 0x04;
  static final int NULL = 0x05;
  public static final int OID = 0x06;
  static final int ENUMERATED = 0x0A;
  static final int GENERALIZED_TIME = 0x18;
  public static final int SEQUENCE = 0x30;
  public static final int CONTEXT_0 = 0xA0;

  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("uuuuMMddHHmmss'Z'");

  private final byte[] bytes;
  private int at;
  private final int end;

  public Der(byte[] bytes) {
    this(bytes, 0, bytes.length);
  }

  private Der(byte[] bytes, int from, int to) {
    this.bytes = bytes;
    this.at = from;
    this.end = to;
  }

  boolean hasMore() {
    return at < end;
  }

  /** The tag of the next element, or -1 at the end. */
  int tag() {
    return hasMore() ? bytes[at] & 0xFF : -1;
  }

  /** Steps over the next element, whatever it is, and gives what is inside it. */
  public Der next() throws DerException {
    if (end - at < 2) {
      throw new DerException("ends early");
    }
    int length = bytes[at + 1] & 0xFF;
    int from = at + 2;
    if (length > 0x7F) {
      int count = length & 0x7F;
      if (count == 0 || count > 3 || end - from < count) {
        throw new DerException("has a length that is not DER");
      }
      length = 0;
      for (int i = 0; i < count; i++) {
        length = (length << 8) | (bytes[from + i] & 0xFF);
      }
      from += count;
    }
    if (length > end - from) {
      throw new DerException("ends early");
    }
    at = from + length;
    return new Der(bytes, from, at);
  }

  public Der next(int tag) throws DerException {
    if (tag() != tag) {
      throw new DerException("has a tag " + tag() + " instead of " + tag);
    }
    return next();
  }

  public byte[] content() {
    return java.util.Arrays.copyOfRange(bytes, at, end);
  }

  Instant time() throws DerException {
    Der content = next(GENERALIZED_TIME);
    String text = new String(content.content(), java.nio.charset.StandardCharsets.US_ASCII);
    try {
      return LocalDateTime.parse(text, TIME).toInstant(ZoneOffset.UTC);
    } catch (DateTimeParseException e) {
      throw new DerException("has no time");
    }
  }

  /** One element of those parts, one after the other. */
  public static byte[] element(int tag, byte[]... parts) {
    int length = 0;
    for (byte[] part : parts) {
      length += part.length;
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream(length + 5);
    out.write(tag);
    if (length > 0xFFFF) {
      out.write(0x83);
      out.write(length >> 16);
      out.write(length >> 8);
    } else if (length > 0xFF) {
      out.write(0x82);
      out.write(length >> 8);
    } else if (length > 0x7F) {
      out.write(0x81);
    }
    out.write(length);
    for (byte[] part : parts) {
      out.writeBytes(part);
    }
    return out.toByteArray();
  }

  /** Bytes that are not what they should be. */
  public static final class DerException extends Exception {
    private static final long serialVersionUID = 1L;

    DerException(String message) {
      super(message);
    }
  }
}
