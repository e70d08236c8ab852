package io.forebay.server.origin;

import io.forebay.core.http.FieldSyntax;
import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.UpgradeOffer;
import io.forebay.server.origin.call.OriginRequest;
import io.forebay.server.text.Printable;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.Arrays;
import java.util.Set;

/** Writes the head of a request: the caller's fields, and the framing. */
final class RequestHeadWriter {
  private static final int LIKELY_LENGTH = 512;

  /** Belong to one connection, or are set here; dropped if a caller lets them through. */
  private static final Set<String> OURS =
      Set.of(
          "connection",
          "content-length",
          "expect",
          "keep-alive",
          "proxy-connection",
          "te",
          "trailer",
          "transfer-encoding",
          "upgrade");

  /** Methods whose meaning includes a body, so that its absence is said (RFC 9110 §8.6). */
  private static final Set<String> WITH_BODY = Set.of("POST", "PUT", "PATCH", "QUERY");

  // Gathered here first: a buffer checks its bounds for every piece.
  private byte[] bytes = new byte[LIKELY_LENGTH];
  private int length;

  private RequestHeadWriter() {}

  /** Whether a field belongs to one connection, or is set by who writes the head. */
  static boolean isOfConnection(String name) {
    return OURS.contains(name);
  }

  /** Whether the meaning of a method includes a body. */
  static boolean meansBody(String method) {
    return WITH_BODY.contains(method);
  }

  /**
   * The last line of defence against a request that would be read as two.
   *
   * @throws IllegalArgumentException when a byte would break the head's framing; a defect of the
   *     caller, which has validated what clients sent
   */
  static void check(OriginRequest request) {
    if (!FieldSyntax.isToken(request.method())) {
      throw new IllegalArgumentException("method " + Printable.line(request.method()));
    }
    String target = request.target();
    if (!target.startsWith("/") && !target.equals("*")) {
      throw new IllegalArgumentException("target " + Printable.line(target));
    }
    for (int i = 0; i < target.length(); i++) {
      if (target.charAt(i) <= ' ' || target.charAt(i) >= 0x7f) {
        throw new IllegalArgumentException("target " + Printable.line(target));
      }
    }
    HeaderFields fields = request.fields();
    for (int i = 0; i < fields.size(); i++) {
      if (!FieldSyntax.isToken(fields.name(i)) || !isValue(fields.value(i))) {
        throw new IllegalArgumentException("field " + Printable.line(fields.name(i)));
      }
    }
  }

  /**
   * The head's bytes.
   *
   * @param authority Host when the caller gives none
   * @param bodyLength bytes of body to come, -1 for chunks
   */
  static ByteBuf encode(
      ByteBufAllocator allocator, OriginRequest request, String authority, long bodyLength) {
    return new RequestHeadWriter().write(request, authority, bodyLength).toBuffer(allocator);
  }

  private RequestHeadWriter write(OriginRequest request, String authority, long bodyLength) {
    append(request.method());
    append(" ");
    append(request.target());
    append(" HTTP/1.1\r\n");
    HeaderFields fields = request.fields();
    if (fields.first("host") == null) {
      line("host", authority);
    }
    for (int i = 0; i < fields.size(); i++) {
      if (!isOfConnection(fields.name(i))) {
        line(fields.name(i), fields.value(i));
      }
    }
    UpgradeOffer upgrade = request.hop().upgrade();
    if (upgrade != null) {
      line("connection", "upgrade");
      line("upgrade", upgrade.value());
    } else if (request.hop().acceptsTrailers()) {
      line("connection", "te");
      line("te", "trailers");
    }
    if (request.hop().expectsContinue()) {
      line("expect", "100-continue");
    }
    if (bodyLength < 0) {
      line("transfer-encoding", "chunked");
    } else if (bodyLength > 0 || meansBody(request.method())) {
      line("content-length", Long.toString(bodyLength));
    }
    append("\r\n");
    return this;
  }

  private ByteBuf toBuffer(ByteBufAllocator allocator) {
    return allocator.buffer(length).writeBytes(bytes, 0, length);
  }

  private void line(String name, String value) {
    append(name);
    append(": ");
    append(value);
    append("\r\n");
  }

  /** Latin-1; what is not goes out as a question mark. */
  private void append(String text) {
    int count = text.length();
    if (bytes.length - length < count) {
      bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + count));
    }
    for (int i = 0; i < count; i++) {
      char c = text.charAt(i);
      bytes[length + i] = c > 0xff ? (byte) '?' : (byte) c;
    }
    length += count;
  }

  private static boolean isValue(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if ((c < 0x20 && c != '\t') || c == 0x7f || c > 0xff) {
        return false;
      }
    }
    return true;
  }
}
