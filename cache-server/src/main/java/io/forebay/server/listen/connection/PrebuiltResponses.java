package io.forebay.server.listen.connection;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.Headers;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.nio.charset.StandardCharsets;

/** Prebuilt local replies for every protocol, and prebuilt parts of HTTP/1.1 responses. */
public final class PrebuiltResponses {

  public static final byte[] CRLF = ascii("\r\n");
  public static final byte[] CONTENT_LENGTH = ascii("content-length: ");
  public static final byte[] CHUNKED = ascii("transfer-encoding: chunked\r\n");
  public static final byte[] CLOSE = ascii("connection: close\r\n");
  public static final byte[] KEEP_ALIVE = ascii("connection: keep-alive\r\n");
  public static final byte[] UPGRADE = ascii("connection: upgrade\r\nupgrade: ");
  public static final byte[] LAST_CHUNK = ascii("0\r\n");
  public static final byte[] CONTINUE = ascii("HTTP/1.1 100 Continue\r\n\r\n");
  public static final byte[] DATE = ascii("date: ");
  public static final byte[] ALLOW =
      ascii("allow: GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE\r\n");
  private static final String ALLOWED = "GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE";

  private static final byte[] RETRY_AFTER = ascii("retry-after: ");
  private static final byte[] PROXY_STATUS = ascii("proxy-status: ");
  private static final byte[] TEXT = ascii("content-type: text/plain; charset=utf-8\r\n");
  private static final byte[][] STATUS_LINES = new byte[1000][];

  private PrebuiltResponses() {}

  /** The status line with its CRLF. */
  public static byte[] statusLine(int status) {
    byte[] line = STATUS_LINES[status];
    if (line == null) {
      // Two loops may both make it; either will do.
      line =
          ascii(
              "HTTP/1.1 "
                  + status
                  + ' '
                  + HttpResponseStatus.valueOf(status).reasonPhrase()
                  + "\r\n");
      STATUS_LINES[status] = line;
    }
    return line;
  }

  /** The body that tells of a refusal: one line. */
  public static byte[] text(Rejection refusal) {
    return (refusal.status() + " " + refusal.detail() + "\n").getBytes(StandardCharsets.UTF_8);
  }

  /** The fields of a refusal over HTTP/2 or HTTP/3, but for its status. */
  static void addRefusal(
      Headers<CharSequence, CharSequence, ?> into,
      Rejection refusal,
      String date,
      String proxyStatus,
      int textLength) {
    into.add("date", date);
    into.add("proxy-status", proxyStatus);
    into.add("content-type", "text/plain; charset=utf-8");
    into.addInt("content-length", textLength);
    if (refusal.status() == HttpResponseStatus.METHOD_NOT_ALLOWED.code()) {
      into.add("allow", ALLOWED);
    }
  }

  /** A whole response that ends the connection. */
  public static void writeRefusal(
      ByteBuf into,
      Rejection refusal,
      byte[] date,
      String proxyStatus,
      long retryAfterSeconds,
      boolean hasBody) {
    byte[] text = text(refusal);
    into.writeBytes(statusLine(refusal.status()))
        .writeBytes(DATE)
        .writeBytes(date)
        .writeBytes(CRLF);
    if (refusal.status() == HttpResponseStatus.METHOD_NOT_ALLOWED.code()) {
      into.writeBytes(ALLOW);
    }
    if (refusal.status() == HttpResponseStatus.SERVICE_UNAVAILABLE.code()) {
      into.writeBytes(RETRY_AFTER);
      Digits.writeDecimal(into, retryAfterSeconds);
      into.writeBytes(CRLF);
    }
    into.writeBytes(PROXY_STATUS);
    into.writeCharSequence(proxyStatus, StandardCharsets.ISO_8859_1);
    into.writeBytes(CRLF).writeBytes(TEXT).writeBytes(CONTENT_LENGTH);
    Digits.writeDecimal(into, text.length);
    into.writeBytes(CRLF).writeBytes(CLOSE).writeBytes(CRLF);
    if (hasBody) {
      into.writeBytes(text);
    }
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
