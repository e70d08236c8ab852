package io.forebay.lab.origin;

import io.forebay.lab.origin.Reply.Content;
import io.forebay.lab.origin.Reply.Part;
import io.forebay.lab.origin.Reply.Text;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GenericFutureListener;
import java.util.concurrent.TimeUnit;

/**
 * Sends the body of one response, a turn at a time: the next turn begins when the socket has taken
 * the last one.
 */
final class BodySender implements GenericFutureListener<Future<Void>> {

  /** Views of memory go to the socket without a copy. */
  static final int PLAIN_TURN_BYTES = 4 << 20;

  /** What is encrypted is copied, and waits in memory. */
  static final int TLS_TURN_BYTES = 128 << 10;

  private static final int TURNS_A_SECOND = 50;

  private final ChannelHandlerContext context;
  private final Reply reply;
  private final Content content;
  private final boolean isChunked;
  private final int maxTurnBytes;
  private final OriginCounters counters;
  private final Runnable atEnd;
  private final long begin;
  private final long end;
  private final long startNanos = System.nanoTime();
  private long position;
  private long turnBytes;

  /**
   * Prepares to send.
   *
   * @param content of the reply
   * @param maxTurnBytes of the body at a time
   * @param atEnd runs when the socket has taken the last byte; never if it does not
   */
  BodySender(
      ChannelHandlerContext context,
      Reply reply,
      Content content,
      int maxTurnBytes,
      OriginCounters counters,
      Runnable atEnd) {
    this.context = context;
    this.reply = reply;
    this.content = content;
    this.isChunked = HttpUtil.isTransferEncodingChunked(reply.head());
    this.maxTurnBytes = maxTurnBytes;
    this.counters = counters;
    this.atEnd = atEnd;
    this.begin = content instanceof Part part ? part.from() : 0;
    this.end = begin + (reply.isCut() ? content.length() / 2 : content.length());
    this.position = begin;
  }

  /** Sends the next turn; the head was written before. */
  void sendMore() {
    long from = position;
    long limit = Math.min(end, from + bytesOfTurn());
    ChannelFuture last = null;
    while (position < limit) {
      last = context.write(piece((int) (limit - position)));
    }
    turnBytes = position - from;
    if (position == end && !reply.isCut()) {
      last = context.write(LastHttpContent.EMPTY_LAST_CONTENT);
    }
    if (last == null) {
      last = context.newSucceededFuture();
    }
    context.flush();
    last.addListener(this);
  }

  private long bytesOfTurn() {
    long rate = reply.bytesPerSecond();
    return rate == 0 ? maxTurnBytes : Math.clamp(rate / TURNS_A_SECOND, 1, maxTurnBytes);
  }

  /** The next 1 to {@code max} bytes; moves the position. */
  private Object piece(int max) {
    ByteBuf window =
        switch (content) {
          case Part part -> part.body().window(position, max);
          case Text text -> Unpooled.wrappedBuffer(text.bytes(), (int) position, max);
        };
    position += window.readableBytes();
    return isChunked ? new DefaultHttpContent(window) : window;
  }

  @Override
  public void operationComplete(Future<Void> written) {
    if (!written.isSuccess()) {
      context.close();
      return;
    }
    counters.sent(turnBytes);
    if (position == end) {
      atEnd.run();
      return;
    }
    long rate = reply.bytesPerSecond();
    if (rate == 0) {
      sendMore();
      return;
    }
    double due = (double) (position - begin) / rate * 1e9;
    long wait = (long) due - (System.nanoTime() - startNanos);
    context.executor().schedule(this::sendMore, wait, TimeUnit.NANOSECONDS);
  }
}
