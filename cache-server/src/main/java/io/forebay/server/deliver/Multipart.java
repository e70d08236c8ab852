package io.forebay.server.deliver;

import io.forebay.core.http.ByteRange.Satisfiable;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The delimiters and part headers of a multipart/byteranges body (RFC 9110 §14.6); the parts
 * themselves are read from the store.
 *
 * <pre>
 *   CRLF --boundary CRLF
 *   content-type: video/mp4 CRLF                 where the stored response has one
 *   content-range: bytes 0-99/1000 CRLF CRLF
 *   the bytes
 *   ... and so on for each part, then
 *   CRLF --boundary-- CRLF
 * </pre>
 *
 * Immutable: how far a body has come its {@link Delivery} knows.
 */
public final class Multipart {

  private final List<Satisfiable> parts;
  private final byte[][] heads;
  private final byte[] end;

  /**
   * The frame of a body.
   *
   * @param parts two or more
   * @param totalLength of the representation
   * @param typeLine its Content-Type as a line with its end, or nothing
   * @param boundary so that it is in no part: long, and not to be foreseen by who writes them
   */
  public Multipart(List<Satisfiable> parts, long totalLength, String typeLine, String boundary) {
    this.parts = parts;
    this.heads = new byte[parts.size()][];
    for (int i = 0; i < heads.length; i++) {
      Satisfiable part = parts.get(i);
      heads[i] =
          ascii(
              "\r\n--"
                  + boundary
                  + "\r\n"
                  + typeLine
                  + "content-range: bytes "
                  + part.first()
                  + "-"
                  + part.last()
                  + "/"
                  + totalLength
                  + "\r\n\r\n");
    }
    this.end = ascii("\r\n--" + boundary + "--\r\n");
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  /** Length of the whole body. */
  public long lengthBytes() {
    long length = end.length;
    for (int i = 0; i < heads.length; i++) {
      length += heads[i].length + parts.get(i).length();
    }
    return length;
  }

  int size() {
    return heads.length;
  }

  Satisfiable part(int index) {
    return parts.get(index);
  }

  ByteBuf head(int index) {
    return Unpooled.wrappedBuffer(heads[index]);
  }

  ByteBuf end() {
    return Unpooled.wrappedBuffer(end);
  }
}
