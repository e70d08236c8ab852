package io.forebay.server.listen.http1;

import io.forebay.server.config.ServerConfig.LimitsConfig;
import io.forebay.server.listen.connection.Rejection;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Netty's request decoder with two additions. While the connection is not ready, bytes stay
 * undecoded here, so that no parsed message has to be queued. And the bytes are checked first for
 * malformed input that the decoder would accept.
 */
final class RequestDecoder extends HttpRequestDecoder {

  /** The longest chunk size line, and the longest trailer section, that is taken. */
  static final int MAX_CHUNK_LINE_LENGTH = 1024;

  private static final int MAX_CONTENT_LENGTH = 256 * 1024;
  private static final int INITIAL_LINE_LENGTH = 256;

  // Method, blanks, version and a little: what a request line has besides its target.
  private static final int LINE_EXTRA_LENGTH = 64;

  /** The connection that decides whether decoding goes on. */
  interface Gate {
    /** Whether the next request or the next part of a body is wanted now. */
    boolean isOpen();

    /** The bytes are not a request, and why. */
    void onRefused(Rejection refusal);

    /** One read of the transport has been dealt with. */
    void onBytes(int lengthBytes);
  }

  private final Gate gate;
  private final RequestHeadValidator guard;
  private @Nullable ChannelHandlerContext context;
  // Of the head at hand, or of the message it began, once its request line is there.
  private @Nullable String method;
  private @Nullable String target;
  private @Nullable String version;
  private boolean isHeadOver;
  private boolean isInBody;
  private boolean isChunkedBody;
  // Bytes of a chunked body that were not payload, since there was any.
  private int framingBytes;
  private boolean isDiscarding;
  private boolean isDecoding;

  RequestDecoder(LimitsConfig limits, Gate gate) {
    super(
        new HttpDecoderConfig()
            .setMaxInitialLineLength(limits.targetBytes() + LINE_EXTRA_LENGTH)
            .setMaxHeaderSize(limits.headerBytes())
            .setMaxChunkSize(MAX_CONTENT_LENGTH)
            .setChunkedSupported(true)
            .setAllowPartialChunks(true)
            .setAllowDuplicateContentLengths(false)
            .setUseRfc9112TransferEncoding(true)
            .setStrictLineParsing(true)
            .setInitialBufferSize(INITIAL_LINE_LENGTH)
            // Http1Request checks every name and value in its own pass.
            .setHeadersFactory(DefaultHttpHeadersFactory.headersFactory().withValidation(false))
            .setTrailersFactory(DefaultHttpHeadersFactory.trailersFactory().withValidation(true)));
    this.gate = gate;
    this.guard = new RequestHeadValidator();
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) throws Exception {
    context = ctx;
    super.handlerAdded(ctx);
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
    int lengthBytes = message instanceof ByteBuf bytes ? bytes.readableBytes() : 0;
    if (isDiscarding) {
      ReferenceCountUtil.release(message);
    } else {
      isDecoding = true;
      try {
        super.channelRead(ctx, message);
      } finally {
        isDecoding = false;
      }
    }
    gate.onBytes(lengthBytes);
  }

  /**
   * Unlike the inherited one, never asks for another read by itself: while the gate is closed that
   * would collect a body nobody has asked for.
   */
  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    discardSomeReadBytes();
    ctx.fireChannelReadComplete();
  }

  @Override
  protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) throws Exception {
    if (isDiscarding) {
      in.skipBytes(in.readableBytes());
      return;
    }
    if (!gate.isOpen()) {
      return;
    }
    if (isInBody) {
      decodeBody(ctx, in, out);
    } else {
      decodeHead(ctx, in, out);
    }
  }

  private void decodeHead(ChannelHandlerContext ctx, ByteBuf in, List<Object> out)
      throws Exception {
    if (isHeadOver) {
      isHeadOver = false;
      method = null;
      target = null;
      version = null;
    }
    Rejection refusal = guard.check(in);
    if (refusal != null) {
      if (method == null && !refusal.equals(Rejection.REQUEST_LINE)) {
        readRequestLine(in);
      }
      refuse(in, refusal);
      return;
    }
    if (guard.isBetweenCrAndLf(in)) {
      return;
    }
    int before = in.readableBytes();
    super.decode(ctx, in, out);
    guard.consumed(before - in.readableBytes());
    noteProgress(out);
  }

  private void decodeBody(ChannelHandlerContext ctx, ByteBuf in, List<Object> out)
      throws Exception {
    int start = in.readerIndex();
    int before = in.readableBytes();
    super.decode(ctx, in, out);
    if (isChunkedBody) {
      // What was taken and is not payload is a size line, or trailers; what lies there and was not
      // taken is an unfinished line. Neither may grow for long.
      int payload = 0;
      for (int i = 0; i < out.size(); i++) {
        if (out.get(i) instanceof HttpContent content) {
          payload += content.content().readableBytes();
        }
      }
      int after = in.readableBytes();
      framingBytes += before - after - payload;
      boolean isStuck = after == before && out.isEmpty();
      // The decoder drops some trailers without a look at their values.
      boolean isSound = payload > 0 || isLines(in, start, start + before - after);
      if (!isSound || framingBytes + (isStuck ? after : 0) > MAX_CHUNK_LINE_LENGTH) {
        out.forEach(ReferenceCountUtil::release);
        out.clear();
        refuse(in, Rejection.CHUNK);
        return;
      }
      if (payload > 0) {
        framingBytes = 0;
      }
    }
    noteProgress(out);
  }

  /** Whether bytes are lines without control characters (RFC 9110 §5.5), none folded. */
  private static boolean isLines(ByteBuf in, int start, int end) {
    byte before = '\n';
    for (int i = start; i < end; i++) {
      byte b = in.getByte(i);
      boolean isFolded = before == '\n' && (b == ' ' || b == '\t');
      boolean isControl = (b >= 0 && b < ' ' && b != '\t' && b != '\n') || b == 0x7f;
      boolean isLineEnd = b == '\r' && (i + 1 == end || in.getByte(i + 1) == '\n');
      if (isFolded || (isControl && !isLineEnd)) {
        return false;
      }
      before = b;
    }
    return true;
  }

  @Override
  protected HttpMessage createMessage(String[] line) throws Exception {
    method = line[0];
    target = line[1];
    version = line[2];
    return super.createMessage(line);
  }

  /** For a head that was refused before it was decoded: its first line is known to be sound. */
  private void readRequestLine(ByteBuf in) {
    int start = in.readerIndex();
    while (in.getByte(start) == '\r' || in.getByte(start) == '\n') {
      start++;
    }
    int end = in.indexOf(start, in.writerIndex(), (byte) '\n');
    String[] line = in.toString(start, end - start, StandardCharsets.ISO_8859_1).split(" ", 3);
    method = line[0];
    target = line[1];
    version = line[2].stripTrailing();
  }

  /** Method of the request that is being read or was read last; null where it was not there yet. */
  @Nullable String method() {
    return method;
  }

  /** Its target as it came. */
  @Nullable String target() {
    return target;
  }

  boolean isVersion10() {
    return "HTTP/1.0".equals(version);
  }

  private void noteProgress(List<Object> out) {
    for (int i = 0; i < out.size(); i++) {
      Object message = out.get(i);
      if (message instanceof HttpRequest request) {
        isInBody = true;
        framingBytes = 0;
        isChunkedBody = request.headers().contains(HttpHeaderNames.TRANSFER_ENCODING);
      }
      if (message instanceof LastHttpContent) {
        isHeadOver = true;
        isInBody = false;
        guard.reset();
      }
    }
  }

  private void refuse(ByteBuf in, Rejection refusal) {
    discard();
    in.skipBytes(in.readableBytes());
    gate.onRefused(refusal);
  }

  /** From now on whatever comes is thrown away. */
  void discard() {
    isDiscarding = true;
  }

  /** Bytes that wait for the gate, or for the rest of what they belong to. */
  int heldBytes() {
    return actualReadableBytes();
  }

  /** Whether the next byte that comes is the first of a message. */
  boolean isBetweenRequests() {
    return !isDiscarding
        && !isDecoding
        && !isInBody
        && actualReadableBytes() == 0
        && guard.isBetweenHeads();
  }

  /** Whether it is at work now, and will ask the gate again by itself. */
  boolean isDecoding() {
    return isDecoding;
  }

  /** The connection is ready: decodes the retained bytes. Not to be called while decoding. */
  void resume() throws Exception {
    ChannelHandlerContext ctx = context;
    if (ctx != null && !ctx.isRemoved() && actualReadableBytes() > 0) {
      channelRead(ctx, Unpooled.EMPTY_BUFFER);
      ctx.fireChannelReadComplete();
    }
  }
}
