package io.forebay.server.admin;

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.flow.FlowControlHandler;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.ScheduledFuture;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One connection of the admin API, confined to the listener's thread: one request at a time. */
final class AdminConnection {
  static final int MAX_BODY_BYTES = 1 << 20;
  private static final int MAX_HEAD_BYTES = 32 << 10;

  /** After a refusal: what the client is still sending is read, or it would lose the answer. */
  private static final Duration LINGER = Duration.ofSeconds(2);

  private final AdminListener listener;
  private final Channel channel;
  private final String caller;
  private final @Nullable AdminPeer peer;
  private @Nullable ScheduledFuture<?> deadline;
  private boolean isRefused;

  AdminConnection(AdminListener listener, Channel channel, boolean isUnix) {
    this.listener = listener;
    this.channel = channel;
    this.caller =
        !isUnix && channel.remoteAddress() instanceof InetSocketAddress remote
            ? remote.getAddress().getHostAddress()
            : isUnix ? "unix" : "unknown";
    this.peer = isUnix ? AdminPeer.of(channel) : null;
  }

  void begin() {
    if (!listener.admit(this)) {
      channel.close();
      return;
    }
    channel.closeFuture().addListener(closed -> onClosed());
    channel
        .pipeline()
        .addLast(
            new HttpServerCodec(
                new HttpDecoderConfig()
                    .setMaxInitialLineLength(MAX_HEAD_BYTES)
                    .setMaxHeaderSize(MAX_HEAD_BYTES)),
            new FlowControlHandler(),
            new Gate(),
            new Body(),
            new Requests());
    awaitClient(listener.bounds().request());
  }

  /** Another client is let in instead. */
  void evict() {
    channel.close();
  }

  private void onClosed() {
    stopDeadline();
    listener.onClosed(this);
  }

  private void awaitClient(Duration most) {
    listener.waits(this);
    within(most);
  }

  private void within(Duration most) {
    stopDeadline();
    deadline =
        channel.eventLoop().schedule(() -> channel.close(), most.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void stopDeadline() {
    if (deadline != null) {
      deadline.cancel(false);
      deadline = null;
    }
  }

  private void write(AdminReply reply, List<Map.Entry<String, String>> fields, boolean isKept) {
    DefaultFullHttpResponse response =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1,
            HttpResponseStatus.valueOf(reply.status()),
            Unpooled.wrappedBuffer(reply.body()));
    fields.forEach(field -> response.headers().add(field.getKey(), field.getValue()));
    response
        .headers()
        .set(HttpHeaderNames.CONTENT_TYPE, reply.type())
        .set(HttpHeaderNames.CACHE_CONTROL, "no-store")
        .set("x-content-type-options", "nosniff")
        .set(HttpHeaderNames.CONTENT_LENGTH, reply.body().length);
    if (!isKept) {
      response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    }
    awaitClient(listener.bounds().answer());
    channel
        .writeAndFlush(response)
        .addListener(written -> {
          if (!written.isSuccess()) {
            channel.close();
          } else if (isRefused) {
            ((DuplexChannel) channel).shutdownOutput();
            within(LINGER);
          } else if (isKept) {
            awaitClient(listener.bounds().idle());
            channel.config().setAutoRead(true);
          } else {
            channel.close();
          }
        });
  }

  private void refuse(AdminReply reply, AdminExchange exchange) {
    isRefused = true;
    write(reply, exchange.answerFields().entries(), false);
  }

  private AdminExchange exchange(HttpRequest request, byte[] body) {
    return new AdminExchange(
        request.method().name(),
        request.uri(),
        new DefaultHttpHeaders().setAll(request.headers()),
        body,
        caller,
        peer);
  }

  /** Looks at heads before their bodies are collected, so that a stranger's never are. */
  private final class Gate extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      if (!isRefused && message instanceof HttpRequest request) {
        within(listener.bounds().request());
        AdminExchange head = exchange(request, new byte[0]);
        AdminReply refusal =
            request.decoderResult().isFailure()
                ? AdminReply.error(400, "not an HTTP/1.1 request", List.of(), 0)
                : listener.handler().refusal(head);
        if (refusal != null) {
          refuse(refusal, head);
        }
      }
      if (isRefused) {
        ReferenceCountUtil.release(message);
      } else {
        ctx.fireChannelRead(message);
      }
    }
  }

  private final class Body extends HttpObjectAggregator {
    Body() {
      super(MAX_BODY_BYTES);
    }

    @Override
    protected void handleOversizedMessage(ChannelHandlerContext ctx, HttpMessage oversized) {
      refuse(
          AdminReply.error(
              413, "the body is larger than " + MAX_BODY_BYTES + " bytes", List.of(), 0),
          exchange((HttpRequest) oversized, new byte[0]));
    }
  }

  private final class Requests extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      FullHttpRequest request = (FullHttpRequest) message;
      AdminExchange exchange;
      boolean isKept = HttpUtil.isKeepAlive(request);
      try {
        exchange = exchange(request, ByteBufUtil.getBytes(request.content()));
      } finally {
        request.release();
      }
      // The next request is taken once this one is answered.
      channel.config().setAutoRead(false);
      stopDeadline();
      listener.works(AdminConnection.this);
      listener
          .threads()
          .execute(() -> {
            AdminReply reply = listener.handler().answer(exchange);
            channel
                .eventLoop()
                .execute(() -> write(reply, exchange.answerFields().entries(), isKept));
          });
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      // The client went away or broke its own request.
      ctx.close();
    }
  }
}
