package io.forebay.server.tunnel;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The end of a tunnel that is a connection of its own, after the change of protocol: bytes in,
 * bytes out. It replaces the HTTP handlers in the pipeline. Confined to the connection's event
 * loop.
 *
 * <p>It begins suspended, and while it is suspended the socket is not read; what a read that was
 * under way still brings waits here, as does what the HTTP decoder had not taken.
 */
public final class SocketTunnelEnd extends ChannelInboundHandlerAdapter implements TunnelEnd {

  private final Channel channel;
  private final ArrayDeque<ByteBuf> queued = new ArrayDeque<>(2);
  private @Nullable ChannelHandlerContext context;
  private @Nullable Listener listener;
  private boolean isSuspended = true;
  private boolean isInputOver;
  private boolean isEndTold;
  private boolean isClosed;

  private SocketTunnelEnd(Channel channel) {
    this.channel = channel;
  }

  /**
   * Takes a connection over from the handlers of HTTP.
   *
   * @param handlers are removed in this order; what a decoder still holds comes here when it goes,
   *     so it stands last
   */
  public static TunnelEnd takeOver(Channel channel, ChannelHandler... handlers) {
    SocketTunnelEnd end = new SocketTunnelEnd(channel);
    channel.config().setAutoRead(false);
    channel.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
    channel.pipeline().addLast(end);
    for (ChannelHandler handler : handlers) {
      channel.pipeline().remove(handler);
    }
    return end;
  }

  @Override
  public void listener(Listener to) {
    listener = to;
    if (isClosed) {
      to.onClosed();
    }
  }

  // ---- towards the peer

  @Override
  public void write(ByteBuf data) {
    ChannelHandlerContext ctx = context;
    if (isClosed || ctx == null) {
      data.release();
      return;
    }
    ctx.write(data, ctx.voidPromise());
  }

  @Override
  public void flush() {
    if (context != null && !isClosed) {
      context.flush();
    }
  }

  @Override
  public boolean isWritable() {
    return channel.isWritable();
  }

  /** TLS as it is spoken here ends both directions when it ends one. */
  @Override
  public boolean canHalfClose() {
    return channel.pipeline().get(SslHandler.class) == null;
  }

  @Override
  public void finish() {
    if (canHalfClose() && channel instanceof DuplexChannel socket) {
      afterQueued(sent -> socket.shutdownOutput());
    }
  }

  @Override
  public void closeWhenSent() {
    afterQueued(ChannelFutureListener.CLOSE);
  }

  private void afterQueued(ChannelFutureListener then) {
    ChannelHandlerContext ctx = context;
    if (ctx == null || isClosed) {
      return;
    }
    ChannelFuture sent = ctx.writeAndFlush(Unpooled.EMPTY_BUFFER);
    sent.addListener(then);
  }

  @Override
  public void abort() {
    if (!isClosed) {
      channel.config().setOption(ChannelOption.SO_LINGER, 0);
      // From the front, so that TLS does not say goodbye.
      ChannelHandlerContext first = channel.pipeline().firstContext();
      if (first == null) {
        channel.close();
      } else {
        first.close();
      }
    }
  }

  // ---- from the peer

  @Override
  public void suspend() {
    isSuspended = true;
    channel.config().setAutoRead(false);
  }

  @Override
  public void resume() {
    Listener to = listener;
    if (!isSuspended || to == null) {
      return;
    }
    isSuspended = false;
    boolean hasTold = false;
    while (!isSuspended) {
      ByteBuf data = queued.poll();
      if (data == null) {
        break;
      }
      hasTold = true;
      to.onData(data);
    }
    if (hasTold) {
      to.onReadComplete();
    }
    if (!isSuspended) {
      if (isInputOver) {
        notifyEnd();
      } else {
        channel.config().setAutoRead(true);
      }
    }
  }

  private void onInputOver() {
    isInputOver = true;
    if (!isSuspended && queued.isEmpty()) {
      notifyEnd();
    }
  }

  private void notifyEnd() {
    Listener to = listener;
    if (!isEndTold && !isClosed && to != null) {
      isEndTold = true;
      to.onEnd();
    }
  }

  // ---- events of the channel

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    Listener to = listener;
    if (!(message instanceof ByteBuf data) || !data.isReadable() || isClosed) {
      // The end of the message that changed the protocol comes along here, too.
      ReferenceCountUtil.release(message);
    } else if (to == null || isSuspended || !queued.isEmpty()) {
      queued.add(data);
    } else {
      to.onData(data);
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    if (listener != null && !isSuspended) {
      listener.onReadComplete();
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (listener != null && channel.isWritable() && !isClosed) {
      listener.onWritable();
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof ChannelInputShutdownEvent || event instanceof SslCloseCompletionEvent) {
      onInputOver();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    isClosed = true;
    while (true) {
      ByteBuf data = queued.poll();
      if (data == null) {
        break;
      }
      data.release();
    }
    if (listener != null) {
      listener.onClosed();
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    // A broken connection; its end tells of it.
    channel.close();
  }
}
