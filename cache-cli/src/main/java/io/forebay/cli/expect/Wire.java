package io.forebay.cli.expect;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads HTTP/1.1 messages as the node writes them, within bounds. */
final class Wire {
  private static final int MAX_LINE = 64 << 10;
  private static final int MAX_FIELDS = 1000;
  private static final int MAX_BODY = 32 << 20;

  /** The first line and the fields of a message. */
  record Head(String first, List<HeaderLine> fields) {}

  private Wire() {}

  /** The next head, or null at the end of the connection. */
  static @Nullable Head head(InputStream in) throws IOException {
    String first = line(in);
    if (first == null) {
      return null;
    }
    List<HeaderLine> fields = new ArrayList<>();
    for (String line = line(in); ; line = line(in)) {
      if (line == null) {
        throw new EOFException("the connection ended within a header section");
      }
      if (line.isEmpty()) {
        return new Head(first, fields);
      }
      int colon = line.indexOf(':');
      if (colon <= 0 || fields.size() == MAX_FIELDS) {
        throw new IOException("not a header field: " + line);
      }
      fields.add(new HeaderLine(line.substring(0, colon), line.substring(colon + 1).strip()));
    }
  }

  /**
   * The body that follows a head.
   *
   * @param goesOn whether one without framing lasts to the end of the connection
   * @throws EOFException where it breaks off
   */
  static byte[] body(InputStream in, Head head, boolean goesOn) throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    if (HeaderLine.first(head.fields(), "transfer-encoding").equalsIgnoreCase("chunked")) {
      for (int size = chunkSize(in); size > 0; size = chunkSize(in)) {
        copy(in, body, size);
        if (!"".equals(line(in))) {
          throw new IOException("a chunk does not end where it says");
        }
      }
      for (String trailer = line(in); ; trailer = line(in)) {
        if (trailer == null) {
          throw new EOFException("the connection ended within the trailers");
        }
        if (trailer.isEmpty()) {
          return body.toByteArray();
        }
      }
    }
    String length = HeaderLine.first(head.fields(), "content-length");
    if (!length.isEmpty()) {
      copy(in, body, number(length, 10));
    } else if (goesOn) {
      byte[] rest = in.readNBytes(MAX_BODY + 1);
      copy(rest.length, body);
      body.writeBytes(rest);
    }
    return body.toByteArray();
  }

  private static int chunkSize(InputStream in) throws IOException {
    String line = line(in);
    if (line == null) {
      throw new EOFException("the connection ended between two chunks");
    }
    int end = line.indexOf(';');
    return number(end < 0 ? line : line.substring(0, end), 16);
  }

  private static int number(String text, int radix) throws IOException {
    try {
      int number = Integer.parseInt(text.strip(), radix);
      if (number >= 0) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Said below.
    }
    throw new IOException("not a length: " + text);
  }

  private static void copy(InputStream in, ByteArrayOutputStream body, int length)
      throws IOException {
    copy(length, body);
    byte[] bytes = in.readNBytes(length);
    body.writeBytes(bytes);
    if (bytes.length < length) {
      throw new EOFException("the body ended after " + body.size() + " bytes");
    }
  }

  private static void copy(int length, ByteArrayOutputStream body) throws IOException {
    if (length > MAX_BODY - body.size()) {
      throw new IOException("a body of more than 32MiB");
    }
  }

  /** A line without its end, or null where there is none. */
  private static @Nullable String line(InputStream in) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        if (line.size() == 0) {
          return null;
        }
        throw new EOFException("the connection ended within a line");
      }
      if (line.size() == MAX_LINE) {
        throw new IOException("a line of more than 64KiB");
      }
      line.write(c);
    }
    String text = line.toString(StandardCharsets.ISO_8859_1);
    return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
  }
}
