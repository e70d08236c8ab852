package io.forebay.server.listen.http1;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;

/**
 * Closes a connection so that the client can tell the result: an orderly close after a complete
 * response, a reset after an aborted one. Confined to the event loop.
 */
final class ConnectionCloser {

  /** How much input of a client is read and dropped after the last response. */
  private static final long LINGER_BYTES = 4L << 20;

  private final Channel channel;
  private boolean isLingering;
  private long droppedBytes;

  ConnectionCloser(Channel channel) {
    this.channel = channel;
  }

  /** Resets the connection, because an orderly end would look like the end of the body. */
  void reset() {
    channel.config().setOption(ChannelOption.SO_LINGER, 0);
    // Not through TLS: its close_notify would say that the body ended here.
    ChannelHandlerContext tls = channel.pipeline().context(SslHandler.class);
    if (tls != null) {
      tls.close();
    } else {
      channel.close();
    }
  }

  /**
   * Closes this half of the connection and drops what still comes. Closing a socket that has unread
   * input resets it, and the client may lose the response. The owner bounds the time.
   */
  void linger() {
    isLingering = true;
    SslHandler tls = channel.pipeline().get(SslHandler.class);
    if (tls != null) {
      tls.closeOutbound();
    } else if (channel instanceof DuplexChannel socket) {
      socket.shutdownOutput();
    }
  }

  boolean isLingering() {
    return isLingering;
  }

  /** Bytes have come; while lingering they are dropped, up to a bound. */
  void onBytes(int lengthBytes) {
    if (isLingering) {
      droppedBytes += lengthBytes;
      if (droppedBytes > LINGER_BYTES) {
        channel.close();
      }
    }
  }
}
