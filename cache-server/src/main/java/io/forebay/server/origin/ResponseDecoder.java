package io.forebay.server.origin;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseDecoder;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.List;

/**
 * Netty's response parser, told when a response is expected and for which method. Netty's client
 * codec pairs requests and responses by itself, but it goes on parsing after a response has ended
 * and hides what it holds; here every byte beyond the one response that was asked for is noticed
 * and dropped, so that such a connection is never used again.
 */
final class ResponseDecoder extends HttpResponseDecoder {
  static final int MAX_LINE = 8 * 1024;

  /** Body bytes are passed on as they were read; no read is as long as this. */
  private static final int MAX_PIECE = 1024 * 1024;

  private final OriginConnection connection;
  private final ResponseLimits bounds;
  private final ResponseHeadValidator guard;

  private boolean isExpecting;
  private boolean isHeadRequest;
  private boolean isAtStart;
  private boolean isInHead;
  private boolean isInterim;
  private boolean hasExtraBytes;

  ResponseDecoder(OriginConnection connection, ResponseLimits bounds) {
    super(
        new HttpDecoderConfig()
            .setMaxInitialLineLength(MAX_LINE)
            .setMaxHeaderSize(bounds.headerBytes())
            .setMaxChunkSize(MAX_PIECE)
            .setValidateHeaders(true)
            .setAllowDuplicateContentLengths(true)
            .setUseRfc9112TransferEncoding(true)
            .setStrictLineParsing(false));
    this.connection = connection;
    this.bounds = bounds;
    this.guard = new ResponseHeadValidator(bounds.headerCount());
  }

  /** A request is about to be written. */
  void expect(boolean headRequest) {
    isExpecting = true;
    isHeadRequest = headRequest;
    isAtStart = true;
  }

  /** Whether unsolicited bytes arrived. */
  boolean hasExtraBytes() {
    return hasExtraBytes;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
    if (message instanceof ByteBuf bytes) {
      connection.onBytes(bytes.readableBytes());
      if (!isExpecting) {
        hasExtraBytes = true;
        bytes.release();
        connection.onUnsolicited();
        return;
      }
    }
    super.channelRead(ctx, message);
  }

  @Override
  protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) throws Exception {
    if (!isExpecting) {
      hasExtraBytes |= in.isReadable();
      in.skipBytes(in.readableBytes());
      return;
    }
    if (isAtStart && in.isReadable()) {
      // The parser would skip blanks and control bytes in front of a status line.
      if (in.getByte(in.readerIndex()) != 'H') {
        throw new IllegalArgumentException("response does not begin with HTTP");
      }
      isAtStart = false;
      isInHead = true;
      guard.reset();
    }
    int before = out.size();
    if (isInHead) {
      guard.check(in);
      int readable = in.readableBytes();
      super.decode(ctx, in, out);
      guard.consumed(readable - in.readableBytes());
    } else {
      super.decode(ctx, in, out);
    }
    follow(out, before);
  }

  @Override
  protected void decodeLast(ChannelHandlerContext ctx, ByteBuf in, List<Object> out)
      throws Exception {
    int before = out.size();
    super.decodeLast(ctx, in, out);
    follow(out, before);
  }

  /**
   * Keeps track of where in the response the parser is; ends of interim responses are swallowed.
   */
  private void follow(List<Object> out, int from) {
    for (int i = from; i < out.size(); i++) {
      Object message = out.get(i);
      if (message instanceof HttpResponse response) {
        int status = response.status().code();
        isInterim = status < 200 && status != 101;
        isInHead = false;
      }
      if (message instanceof LastHttpContent last) {
        if (last.trailingHeaders().size() > bounds.headerCount()) {
          last.setDecoderResult(
              DecoderResult.failure(
                  new IllegalArgumentException(
                      "more than " + bounds.headerCount() + " trailer lines")));
        }
        if (isInterim) {
          out.remove(i--);
          isInterim = false;
          isAtStart = true;
        } else {
          isExpecting = false;
        }
      }
    }
  }

  @Override
  protected HttpMessage createMessage(String[] line) {
    String version = line[0];
    if (!version.equals("HTTP/1.1") && !version.equals("HTTP/1.0")) {
      throw new IllegalArgumentException("version " + version);
    }
    if (!isStatus(line[1])) {
      throw new IllegalArgumentException("status " + line[1]);
    }
    String reason = line[2];
    for (int i = 0; i < reason.length(); i++) {
      char c = reason.charAt(i);
      if ((c < 0x20 && c != '\t') || c == 0x7f) {
        throw new IllegalArgumentException("control byte in the reason phrase");
      }
    }
    return super.createMessage(line);
  }

  private static boolean isStatus(String text) {
    return text.length() == 3
        && text.charAt(0) >= '1'
        && text.charAt(0) <= '5'
        && isDigit(text.charAt(1))
        && isDigit(text.charAt(2));
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  @Override
  protected boolean isContentAlwaysEmpty(HttpMessage message) {
    int status = ((HttpResponse) message).status().code();
    boolean isFinal = status >= 200;
    // To the parser some 101 have a body: an old draft of WebSocket did.
    return status == 101 || (isFinal && isHeadRequest) || super.isContentAlwaysEmpty(message);
  }
}
