package io.forebay.server.origin.proxy;

import io.forebay.server.text.Printable;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Asks a proxy for a tunnel with CONNECT (RFC 9110 §9.3.6), and leaves the pipeline when there is
 * one. Confined to the event loop.
 */
public final class ConnectTunnel extends ByteToMessageDecoder {
  /** The longest header section of a proxy's response. */
  private static final int MAX_HEAD = 16 * 1024;

  private static final Pattern STATUS = Pattern.compile("HTTP/1\\.[01] ([0-9]{3})(?: [^\\r\\n]*)?");
  private static final int END_LENGTH = 4;

  private final Promise<Void> opened;

  private ConnectTunnel(Promise<Void> opened) {
    this.opened = opened;
  }

  /**
   * Sends the request on a new connection to a proxy.
   *
   * @param target host and port, as a URL has them
   * @param authorization the value of Proxy-Authorization, or null
   * @return done when what follows goes to the target; failed with a sentence that says why not
   */
  public static Future<Void> open(Channel channel, String target, @Nullable String authorization) {
    ConnectTunnel tunnel = new ConnectTunnel(channel.eventLoop().newPromise());
    channel.pipeline().addFirst(tunnel);
    ByteBuf head = channel.alloc().buffer(256);
    ByteBufUtil.writeAscii(head, "CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n");
    if (authorization != null) {
      ByteBufUtil.writeAscii(head, "Proxy-Authorization: " + authorization + "\r\n");
    }
    ByteBufUtil.writeAscii(head, "\r\n");
    channel.pipeline().firstContext().writeAndFlush(head);
    return tunnel.opened;
  }

  @Override
  protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
    if (opened.isDone()) {
      // What a proxy that refused says besides is not read.
      in.skipBytes(in.readableBytes());
      return;
    }
    int length = headLength(in);
    if (length < 0) {
      if (in.readableBytes() > MAX_HEAD) {
        fail(ctx, "the proxy's response has more than " + MAX_HEAD + " bytes of header fields");
      }
      return;
    }
    String head = in.readCharSequence(length, StandardCharsets.ISO_8859_1).toString();
    String line = head.substring(0, head.indexOf("\r\n"));
    Matcher status = STATUS.matcher(line);
    if (!status.matches()) {
      fail(ctx, "the proxy's response is not HTTP/1.1: " + Printable.line(line));
    } else if (status.group(1).startsWith("1")) {
      return;
    } else if (status.group(1).startsWith("2") && in.isReadable()) {
      // Nothing was asked of the target so far: it would pass for the response to a request.
      fail(ctx, "the proxy sent data before a request");
    } else if (status.group(1).startsWith("2")) {
      ctx.pipeline().remove(this);
      opened.setSuccess(null);
    } else {
      fail(ctx, "the proxy refused the connection: " + Printable.line(line));
    }
  }

  /** Bytes up to the end of the empty line, or -1. */
  private static int headLength(ByteBuf in) {
    int last = in.writerIndex() - END_LENGTH;
    for (int i = in.readerIndex(); i <= last; i++) {
      if (in.getByte(i) == '\r'
          && in.getByte(i + 1) == '\n'
          && in.getByte(i + 2) == '\r'
          && in.getByte(i + 3) == '\n') {
        return i + END_LENGTH - in.readerIndex();
      }
    }
    return -1;
  }

  private void fail(ChannelHandlerContext ctx, String why) {
    if (opened.tryFailure(new IOException(why))) {
      ctx.close();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) throws Exception {
    boolean ignored = opened.tryFailure(new IOException("the proxy closed the connection"));
    super.channelInactive(ctx);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    fail(ctx, "the connection to the proxy failed: " + Printable.line(cause));
  }
}
