package io.forebay.lab.origin;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/** One connection: answers its requests in order. Confined to its event loop. */
final class OriginConnection extends ChannelInboundHandlerAdapter {
  /** Beyond these the connection is not read. The codec closes it at 128. */
  private static final int MAX_WAITING = 64;

  private final Replies replies;
  private final OriginCounters counters;
  private final SplittableRandom random;
  private final int maxTurnBytes;
  private final Queue<HttpRequest> waiting = new ArrayDeque<>();
  private boolean isBusy;

  OriginConnection(
      Replies replies, OriginCounters counters, SplittableRandom random, int maxTurnBytes) {
    this.replies = replies;
    this.counters = counters;
    this.random = random;
    this.maxTurnBytes = maxTurnBytes;
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    counters.opened();
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    counters.closed();
    waiting.clear();
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    try {
      if (!(message instanceof HttpRequest request)) {
        return; // Bodies of requests are of no use here.
      }
      if (!isBusy) {
        begin(context, request);
        return;
      }
      waiting.add(request);
      if (waiting.size() == MAX_WAITING) {
        context.channel().config().setAutoRead(false);
      }
    } finally {
      ReferenceCountUtil.release(message);
    }
  }

  private void begin(ChannelHandlerContext context, HttpRequest request) {
    isBusy = true;
    Reply reply = replies.to(request, random);
    if (reply.delayMillis() == 0) {
      send(context, reply);
    } else {
      context
          .executor()
          .schedule(() -> send(context, reply), reply.delayMillis(), TimeUnit.MILLISECONDS);
    }
  }

  private void send(ChannelHandlerContext context, Reply reply) {
    if (!context.channel().isActive()) {
      return;
    }
    if (reply.isCounted()) {
      counters.answered(reply.head().status().code());
    }
    context.write(reply.head());
    if (reply.content() == null) {
      ChannelFuture written = context.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
      written.addListener(any -> end(context, reply));
    } else {
      new BodySender(
              context, reply, reply.content(), maxTurnBytes, counters, () -> end(context, reply))
          .sendMore();
    }
  }

  /** After the last byte of a response. */
  private void end(ChannelHandlerContext context, Reply reply) {
    if (reply.isCut()) {
      counters.cutOff();
    }
    if (reply.isLast() || reply.isCut()) {
      context.close();
      return;
    }
    isBusy = false;
    HttpRequest next = waiting.poll();
    if (next != null) {
      begin(context, next);
    }
    if (waiting.isEmpty() && !context.channel().config().isAutoRead()) {
      context.channel().config().setAutoRead(true);
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    context.close();
  }
}
