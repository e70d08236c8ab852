package io.forebay.server.listen.http2;

import io.netty.handler.codec.http2.DefaultHttp2LocalFlowController;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2Exception;

/**
 * Widens the window of a connection by that of each tunnel on it: what an origin does not take of a
 * tunnel, which may be for as long as the tunnel lasts, then leaves the other streams as much of
 * the connection's window as they had. Confined to the event loop of its connection.
 *
 * <pre>
 *   connection's window = 64 KiB for requests + 256 KiB a tunnel
 * </pre>
 */
final class TunnelWindows {

  /** How much of the connection's window is used before the client gets it back. */
  private static final float CREDIT_BYTES = Http2CodecUtil.DEFAULT_WINDOW_SIZE / 2f;

  private final Http2Connection connection;
  private final int streamWindowBytes;
  private int tunnels;

  TunnelWindows(Http2Connection connection, int streamWindowBytes) {
    this.connection = connection;
    this.streamWindowBytes = streamWindowBytes;
  }

  void onTunnelOpened() {
    tunnels++;
    resize(streamWindowBytes);
  }

  void onTunnelClosed() {
    tunnels--;
    resize(-streamWindowBytes);
  }

  private void resize(int byBytes) {
    if (connection.local().flowController() instanceof DefaultHttp2LocalFlowController flow) {
      try {
        // Half of a wide window, as is usual, could be all that tunnels hold: no credit would come.
        flow.windowUpdateRatio(
            connection.connectionStream(),
            1 - CREDIT_BYTES / (Http2CodecUtil.DEFAULT_WINDOW_SIZE + windowBytes()));
        flow.incrementWindowSize(connection.connectionStream(), byBytes);
      } catch (Http2Exception e) {
        throw new IllegalStateException("the connection's window cannot be resized", e);
      }
    }
  }

  private long windowBytes() {
    return (long) tunnels * streamWindowBytes;
  }
}
