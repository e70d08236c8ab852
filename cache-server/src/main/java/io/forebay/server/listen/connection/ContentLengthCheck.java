package io.forebay.server.listen.connection;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.Headers;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http3.Http3HeadersFrame;
import io.netty.util.AsciiString;
import java.util.List;

/**
 * Requires a single Content-Length with one number, in every protocol. Netty's HTTP/2 and HTTP/3
 * codecs accept several equal values or a list of them, as RFC 9110 §8.6 allows, but an origin that
 * receives them may read them differently, so all protocols reject them: a list is replaced by a
 * value that the codec rejects as malformed.
 */
public final class ContentLengthCheck {
  private static final AsciiString MALFORMED = AsciiString.cached("list");

  private ContentLengthCheck() {}

  private static void checkOne(Headers<CharSequence, CharSequence, ?> fields) {
    CharSequence first = fields.get(HttpHeaderNames.CONTENT_LENGTH);
    if (first == null) {
      return;
    }
    List<CharSequence> all = fields.getAll(HttpHeaderNames.CONTENT_LENGTH);
    if (all.size() > 1 || AsciiString.indexOf(first, ',', 0) >= 0) {
      fields.set(HttpHeaderNames.CONTENT_LENGTH, MALFORMED);
    }
  }

  /** Decodes the fields of an HTTP/2 message. */
  public static final class ForHttp2 extends DefaultHttp2HeadersDecoder {
    public ForHttp2(long maxHeaderListSize) {
      super(true, maxHeaderListSize);
    }

    @Override
    public Http2Headers decodeHeaders(int streamId, ByteBuf block) throws Http2Exception {
      Http2Headers fields = super.decodeHeaders(streamId, block);
      checkOne(fields);
      return fields;
    }
  }

  /** Between the codec of an HTTP/3 request stream and its validation. */
  @ChannelHandler.Sharable
  public static final class ForHttp3 extends ChannelInboundHandlerAdapter {
    public static final ForHttp3 INSTANCE = new ForHttp3();

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      if (message instanceof Http3HeadersFrame frame) {
        checkOne(frame.headers());
      }
      ctx.fireChannelRead(message);
    }
  }
}
