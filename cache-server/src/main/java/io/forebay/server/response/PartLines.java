package io.forebay.server.response;

import io.forebay.core.http.ByteRange.Satisfiable;
import io.forebay.server.deliver.Multipart;
import io.forebay.server.loop.RequestIds;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Writes the stored header lines of a multipart/byteranges response: the stored Content-Type is
 * that of the parts and is written with each of them (RFC 9110 §15.3.7.2).
 */
public final class PartLines {

  private static final String TYPE = "content-type:";

  private PartLines() {}

  /** Copies a block of {@code name: value\r\n} lines; gives what stands around the parts. */
  public static Multipart copy(
      ByteBuf out, byte[] block, List<Satisfiable> parts, long totalLength, RequestIds ids) {
    String lines = new String(block, StandardCharsets.ISO_8859_1);
    StringBuilder type = new StringBuilder();
    int from = 0;
    while (from < lines.length()) {
      int to = lines.indexOf('\n', from) + 1;
      if (lines.regionMatches(from, TYPE, 0, TYPE.length())) {
        type.append(lines, from, to);
      } else {
        out.writeBytes(block, from, to - from);
      }
      from = to;
    }
    String boundary = ids.boundary();
    HeadLines.text(out, TYPE + " multipart/byteranges; boundary=" + boundary + "\r\n");
    return new Multipart(parts, totalLength, type.toString(), boundary);
  }
}
