package io.forebay.testing;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Writes and reads single HTTP/2 frames with prior knowledge, for input that no library would send.
 */
public final class RawHttp2 implements AutoCloseable {

  public static final int DATA = 0;
  public static final int HEADERS = 1;
  public static final int PRIORITY = 2;
  public static final int RST_STREAM = 3;
  public static final int SETTINGS = 4;
  public static final int PUSH_PROMISE = 5;
  public static final int PING = 6;
  public static final int GOAWAY = 7;
  public static final int WINDOW_UPDATE = 8;
  public static final int CONTINUATION = 9;
  public static final int PRIORITY_UPDATE = 16;

  public static final int ACK = 1;
  public static final int END_STREAM = 1;
  public static final int END_HEADERS = 4;

  public static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

  private final Socket socket;
  private final DataInputStream in;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final DefaultHttp2HeadersDecoder decoder = new DefaultHttp2HeadersDecoder(false);

  /** One frame. */
  @SuppressWarnings("ArrayRecordComponent")
  public record Frame(int type, int flags, int stream, byte[] payload) {
    /** Of RST_STREAM. */
    public Http2Error resetError() {
      return Http2Error.valueOf(ByteBuffer.wrap(payload).getInt());
    }

    /** Of GOAWAY. */
    public Http2Error goAwayError() {
      return Http2Error.valueOf(ByteBuffer.wrap(payload).getInt(4));
    }

    public int lastStream() {
      return ByteBuffer.wrap(payload).getInt();
    }

    public boolean isEnd() {
      return (type == DATA || type == HEADERS) && (flags & END_STREAM) != 0;
    }
  }

  /**
   * Connects and says its preface.
   *
   * @param settings what SETTINGS holds, six bytes each
   */
  public RawHttp2(int port, byte... settings) throws IOException {
    socket = new Socket();
    // Small, so that what is not read is soon noticed.
    socket.setReceiveBufferSize(16 * 1024);
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    socket.setSoTimeout(20_000);
    socket.setTcpNoDelay(true);
    in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
    out.writeBytes(PREFACE.getBytes(StandardCharsets.US_ASCII));
    frame(SETTINGS, 0, 0, settings).flush();
  }

  /** The server's side of a connection. */
  RawHttp2(Socket accepted) throws IOException {
    socket = accepted;
    in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
  }

  /** Reads what a client begins with, up to its SETTINGS, and answers with ours. */
  RawHttp2 greet(byte... settings) throws IOException {
    readPreface();
    frame(SETTINGS, 0, 0, settings);
    await(SETTINGS);
    return frame(SETTINGS, ACK, 0).flush();
  }

  /** Reads what goes before a client's first frame. */
  public RawHttp2 readPreface() throws IOException {
    String preface = new String(in.readNBytes(PREFACE.length()), StandardCharsets.US_ASCII);
    if (!preface.equals(PREFACE)) {
      throw new AssertionError("no preface: " + preface);
    }
    return this;
  }

  public static byte[] setting(int id, int value) {
    return ByteBuffer.allocate(6).putShort((short) id).putInt(value).array();
  }

  public static byte[] number(int value) {
    return ByteBuffer.allocate(4).putInt(value).array();
  }

  /** Adds a frame to what is sent next. */
  public RawHttp2 frame(int type, int flags, int stream, byte... payload) {
    out.writeBytes(
        ByteBuffer.allocate(9)
            .putInt(payload.length << 8 | type)
            .put((byte) flags)
            .putInt(stream)
            .array());
    out.writeBytes(payload);
    return this;
  }

  public RawHttp2 get(int stream, String path, String... more) {
    return frame(HEADERS, END_HEADERS | END_STREAM, stream, block("GET", path, more));
  }

  public RawHttp2 post(int stream, String path) {
    return frame(HEADERS, END_HEADERS, stream, block("POST", path));
  }

  /** A header block of literals (RFC 7541 §6.2.2): nothing indexed, nothing compressed. */
  public static byte[] block(String method, String path, String... more) {
    ByteArrayOutputStream block = new ByteArrayOutputStream();
    literal(block, ":method", method);
    literal(block, ":scheme", "http");
    literal(block, ":authority", "a.example");
    literal(block, ":path", path);
    for (int i = 0; i < more.length; i += 2) {
      literal(block, more[i], more[i + 1]);
    }
    return block.toByteArray();
  }

  public static void literal(ByteArrayOutputStream block, String name, String value) {
    block.write(0);
    string(block, name);
    string(block, value);
  }

  private static void string(ByteArrayOutputStream block, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    int rest = bytes.length;
    if (rest < 127) {
      block.write(rest);
    } else {
      block.write(127);
      for (rest -= 127; rest >= 128; rest >>= 7) {
        block.write((rest & 127) | 128);
      }
      block.write(rest);
    }
    block.writeBytes(bytes);
  }

  /** Sends what was added. The peer may have closed already. */
  public RawHttp2 flush() {
    try {
      socket.getOutputStream().write(out.toByteArray());
    } catch (IOException e) {
      // What it has said before is still read.
      return this;
    } finally {
      out.reset();
    }
    return this;
  }

  /** The next frame, or null at the end of the connection. */
  @Nullable
  public Frame read() {
    try {
      int first = in.readInt();
      int flags = in.readUnsignedByte();
      int stream = in.readInt();
      byte[] payload = in.readNBytes(first >>> 8);
      return new Frame(first & 0xff, flags, stream, payload);
    } catch (EOFException | SocketException e) {
      return null;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The next frame of that type, past all others. */
  public Frame await(int type) {
    while (true) {
      Frame frame = read();
      if (frame == null) {
        throw new AssertionError("the connection ended before a frame of type " + type);
      }
      if (frame.type() == type && !(type == SETTINGS && frame.flags() == ACK)) {
        return frame;
      }
    }
  }

  /** The fields of the next HEADERS, in one frame, and its stream. */
  public Message request() {
    return request(await(HEADERS));
  }

  /** The same of a response, or its trailers. */
  public Message response() {
    return request();
  }

  /** The fields of a HEADERS frame; each of a connection once and in their order. */
  public Message request(Frame frame) {
    try {
      return new Message(
          frame.stream(),
          frame.isEnd(),
          decoder.decodeHeaders(frame.stream(), Unpooled.wrappedBuffer(frame.payload())));
    } catch (Http2Exception e) {
      throw new AssertionError("fields that cannot be decoded", e);
    }
  }

  /** The head of a request or a response, or trailers. */
  public record Message(int stream, boolean isEnd, Http2Headers fields) {
    /** The value of a field, or the empty text. */
    public String field(String name) {
      CharSequence value = fields.get(name);
      return value == null ? "" : value.toString();
    }
  }

  /** Adds the head of a response. */
  public RawHttp2 respond(int stream, boolean isEnd, String status, String... more) {
    ByteArrayOutputStream block = new ByteArrayOutputStream();
    literal(block, ":status", status);
    for (int i = 0; i < more.length; i += 2) {
      literal(block, more[i], more[i + 1]);
    }
    return frame(HEADERS, END_HEADERS | (isEnd ? END_STREAM : 0), stream, block.toByteArray());
  }

  /** Adds trailers. */
  public RawHttp2 trailers(int stream, String... fields) {
    ByteArrayOutputStream block = new ByteArrayOutputStream();
    for (int i = 0; i < fields.length; i += 2) {
      literal(block, fields[i], fields[i + 1]);
    }
    return frame(HEADERS, END_HEADERS | END_STREAM, stream, block.toByteArray());
  }

  /** Adds DATA. */
  public RawHttp2 data(int stream, boolean isEnd, String text) {
    return frame(DATA, isEnd ? END_STREAM : 0, stream, text.getBytes(StandardCharsets.ISO_8859_1));
  }

  /** Adds a whole response. */
  public RawHttp2 answer(int stream, String text) {
    return respond(stream, false, "200").data(stream, true, text);
  }

  /** Waits until the peer has read and answered all that was sent. */
  public RawHttp2 roundTrip() {
    frame(PING, 0, 0, new byte[8]).flush();
    while ((await(PING).flags() & ACK) == 0) {
      // A PING of the peer's own.
    }
    return this;
  }

  /** How that stream ended: {@code end}, {@code reset ERROR} or {@code closed}. */
  public String endOf(int stream) {
    while (true) {
      Frame frame = read();
      if (frame == null) {
        return "closed";
      }
      if (frame.stream() == stream && frame.isEnd()) {
        return "end";
      }
      if (frame.stream() == stream && frame.type() == RST_STREAM) {
        return "reset " + frame.resetError();
      }
    }
  }

  /**
   * How the connection ended: the error of its GOAWAY, or {@code closed} where the kernel's reset,
   * sent because frames were left unread, was faster.
   */
  public String ending() {
    while (true) {
      Frame frame = read();
      if (frame == null) {
        return "closed";
      }
      if (frame.type() == GOAWAY) {
        return frame.goAwayError().toString();
      }
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
