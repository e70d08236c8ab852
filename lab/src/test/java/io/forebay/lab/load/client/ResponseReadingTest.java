package io.forebay.lab.load.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import io.netty.handler.codec.http2.Http2HeadersEncoder;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class ResponseReadingTest {

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static Http1Head head(String text) {
    byte[] bytes = ascii(text + "\r\n\r\nbody");
    Http1Head head = new Http1Head();
    head.read(bytes, Http1Head.end(bytes, 0, bytes.length));
    return head;
  }

  @Test
  void aHeadTellsHowItsBodyIsFramed() {
    Http1Head length =
        head("HTTP/1.1 206 Partial\r\nContent-Type: x\r\ncontent-LENGTH:  123456789012 ");
    Http1Head chunked = head("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nCache: x");
    Http1Head old = head("HTTP/1.0 200 OK");
    Http1Head kept = head("HTTP/1.0 200 OK\r\nConnection: Keep-Alive");
    Http1Head last = head("HTTP/1.1 404 Not\r\nConnection: close\r\nContent-Length: 0");

    assertEquals(206, length.status());
    assertEquals(123456789012L, length.length());
    assertFalse(length.isLast());
    assertTrue(chunked.isChunked());
    assertEquals(-1, chunked.length());
    assertTrue(old.isLast());
    assertFalse(kept.isLast());
    assertTrue(last.isLast());
    assertEquals(0, last.length());
  }

  @Test
  void whatIsNoHeadIsRefused() {
    for (String wrong :
        new String[] {
          "SMTP/1.1 200 OK",
          "HTTP/1.1 2x0 OK",
          "HTTP/1.1 200 OK\r\nContent-Length: 5x",
          "HTTP/1.1 200 OK\r\nContent-Length: -5",
          "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6",
          "HTTP"
        }) {
      assertThrows(IllegalArgumentException.class, () -> head(wrong), wrong);
    }
  }

  @Test
  void theEndOfAHeadIsFoundWhereverItsPiecesEnd() {
    byte[] bytes = ascii("HTTP/1.1 200 OK\r\nA: \u0001\r\r\n\r\nbody");
    int end = bytes.length - 4;
    for (int to = 0; to <= bytes.length; to++) {
      for (int from = 0; from <= Math.min(to, end - 4); from++) {
        assertEquals(to < end ? -1 : end, Http1Head.end(bytes, from, to));
      }
    }
  }

  @Test
  void chunksAreFoundWhereverTheirPiecesEnd() {
    byte[] bytes = ascii("3\r\nabc\r\n00A;x=y\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\nHTTP");
    for (int cut = 0; cut <= bytes.length; cut++) {
      ChunkedFraming framing = new ChunkedFraming();
      framing.begin();
      StringBuilder data = new StringBuilder();
      ByteBuf rest = Unpooled.EMPTY_BUFFER;
      for (ByteBuf piece :
          new ByteBuf[] {
            Unpooled.wrappedBuffer(bytes, 0, cut),
            Unpooled.wrappedBuffer(bytes, cut, bytes.length - cut)
          }) {
        while (piece.isReadable() && !framing.isOver()) {
          int count = framing.data(piece);
          data.append(piece.readCharSequence(count, StandardCharsets.US_ASCII));
          framing.taken(count);
        }
        rest = piece;
      }
      assertTrue(framing.isOver());
      assertEquals("abc0123456789", data.toString());
      assertTrue(
          rest.toString(StandardCharsets.US_ASCII).endsWith("HTTP") || cut > bytes.length - 4);
    }
  }

  @Test
  void malformedChunksAreRefused() {
    for (String wrong : new String[] {"x\r\n", "\r\n", "3\r\nabcd\r\n", "1234567890123456\r\n"}) {
      ChunkedFraming framing = new ChunkedFraming();
      framing.begin();
      ByteBuf in = Unpooled.wrappedBuffer(ascii(wrong));
      assertThrows(
          IllegalArgumentException.class,
          () -> {
            while (in.isReadable()) {
              int count = framing.data(in);
              in.skipBytes(count);
              framing.taken(count);
            }
          },
          wrong);
    }
  }

  @Test
  void theStatusOfAnHpackSectionIsReadInEveryForm() throws Exception {
    DefaultHttp2HeadersEncoder encoder =
        new DefaultHttp2HeadersEncoder(Http2HeadersEncoder.NEVER_SENSITIVE);
    for (int status : new int[] {200, 204, 206, 304, 400, 404, 500, 103, 403, 416, 502, 503, 999}) {
      ByteBuf section = Unpooled.buffer();
      encoder.encodeHeaders(
          1, new DefaultHttp2Headers().status(Integer.toString(status)).add("x", "y"), section);
      byte[] bytes = new byte[section.readableBytes()];
      section.readBytes(bytes);

      assertEquals(
          status, FieldStatus.hpack(bytes, 0, bytes.length), HexFormat.of().formatHex(bytes));
    }
    // Plain digits behind a new size of the table, and what refers to a dynamic table.
    assertEquals(503, hpack("3fe11f4803353033"));
    assertEquals(200, hpack("2088"));
    // In Huffman's code.
    assertEquals(200, hpack("48821001"));
    assertEquals(403, hpack("4883680cff"));
    assertEquals(503, hpack("48836c0cff"));
    assertEquals(999, hpack("48837df7ff"));
    assertEquals(0, hpack("be"));
    assertEquals(0, hpack("48"));
    assertEquals(0, hpack("4803"));
    assertEquals(0, hpack(""));
  }

  private static int hpack(String hex) {
    byte[] bytes = HexFormat.of().parseHex(hex);
    return FieldStatus.hpack(bytes, 0, bytes.length);
  }

  @Test
  void theStatusOfAQpackSectionIsReadInEveryForm() {
    assertEquals(200, qpack("0000d9"));
    assertEquals(103, qpack("0000d8"));
    assertEquals(100, qpack("0000ff00"));
    assertEquals(500, qpack("0000ff08"));
    assertEquals(418, qpack("00005f0903343138"));
    assertEquals(0, qpack("000080"));
    assertEquals(0, qpack("00"));
  }

  private static int qpack(String hex) {
    byte[] bytes = HexFormat.of().parseHex(hex);
    return FieldStatus.qpack(bytes, 0, bytes.length);
  }

  @Test
  void framesOfHttp3AreReadWhereverTheirPiecesEnd() {
    // An unknown frame, HEADERS of 200, DATA "hello" with a long length, HEADERS as trailer.
    byte[] bytes =
        HexFormat.of().parseHex("21020102" + "01030000d9" + "00400568656c6c6f" + "0103000080");
    for (int cut = 0; cut <= bytes.length; cut++) {
      Http3Frames frames = new Http3Frames();
      StringBuilder data = new StringBuilder();
      int status = -1;
      for (ByteBuf piece :
          new ByteBuf[] {
            Unpooled.wrappedBuffer(bytes, 0, cut),
            Unpooled.wrappedBuffer(bytes, cut, bytes.length - cut)
          }) {
        while (piece.isReadable()) {
          int count = frames.data(piece);
          if (count > 0) {
            data.append(piece.readCharSequence(count, StandardCharsets.US_ASCII));
            frames.taken(count);
          }
          int taken = frames.takeStatus();
          status = status < 0 ? taken : status;
        }
      }
      assertEquals(200, status);
      assertEquals("hello", data.toString());
      assertTrue(frames.isBetween());
    }
  }
}
