package io.forebay.server.origin;

import io.forebay.server.config.ServerConfig.OriginProtocol;
import io.forebay.server.http.ClientInfo;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ApplicationProtocolNegotiationHandler;
import io.netty.handler.ssl.SslContext;
import org.jspecify.annotations.Nullable;

/**
 * Makes a channel a connection of HTTP/1.1 or HTTP/2: by configuration, or as TLS negotiates
 * (ALPN).
 *
 * <pre>
 *   http1, or the call offers an upgrade ──────────────────────► OriginConnection
 *   http2 without TLS (prior knowledge) ───────────────────────► Http2Transport
 *   http2 or auto with TLS ──handshake──┬─ h2 ─────────────────► Http2Transport
 *                                       └─ http/1.1 or nothing ► OriginConnection; http2: a failure
 * </pre>
 */
final class ConnectionSetup {
  private final EndpointPool endpoint;

  /** The only client that it is for, or null. */
  private final @Nullable ClientInfo client;

  /** Null where the connection is to be one of HTTP/1.1. */
  private final @Nullable SharedConnections shared;

  private @Nullable PooledConnection connection;
  private @Nullable Http2Transport http2;

  ConnectionSetup(EndpointPool endpoint, PooledCall call) {
    this.endpoint = endpoint;
    this.client = call.needsOwnConnection() ? call.request().client() : null;
    this.shared = call.mayShare() ? endpoint.shared() : null;
  }

  EndpointPool endpoint() {
    return endpoint;
  }

  /** The only client that the connection is for, or null. */
  @Nullable ClientInfo client() {
    return client;
  }

  /** Whether several calls may use what becomes of it. */
  boolean mayBeShared() {
    return shared != null;
  }

  void initialize(ChannelPipeline pipeline) {
    if (shared == null) {
      useHttp1(pipeline);
    } else if (!endpoint.server().isTls()) {
      useHttp2(pipeline, shared);
    } else {
      pipeline.addLast(new Negotiated(shared));
    }
  }

  /** What the connection is encrypted with, or null. */
  @Nullable SslContext tls() {
    return shared == null ? endpoint.server().tls() : endpoint.server().sharedTls();
  }

  /** Whether the channel is open and nothing has come on it. */
  boolean isUntouched(Channel channel) {
    PooledConnection made = connection;
    return channel.isActive() && (made == null || made.isUsable());
  }

  /** Why the connection cannot be used, or null. */
  @Nullable String problem() {
    PooledConnection made = connection;
    if (made == null) {
      return "the TLS handshake ended without a protocol";
    }
    if (shared != null && http2 == null && endpoint.server().protocol() == OriginProtocol.HTTP2) {
      return "the origin did not choose HTTP/2 in the TLS handshake";
    }
    return made.isUsable()
        ? null
        : "the origin closed the connection, or sent data, before a request";
  }

  PooledConnection connection() {
    PooledConnection made = connection;
    if (made == null) {
      throw new IllegalStateException("not connected");
    }
    return made;
  }

  /** The connection if it is one of HTTP/2. */
  @Nullable Http2Transport http2() {
    return http2;
  }

  private void useHttp1(ChannelPipeline pipeline) {
    OriginConnection made = new OriginConnection(endpoint, client != null);
    connection = made;
    pipeline.addLast(made.decoder(), made);
  }

  private void useHttp2(ChannelPipeline pipeline, SharedConnections sharing) {
    Http2Transport made = new Http2Transport(endpoint, sharing);
    connection = made;
    http2 = made;
    pipeline.addLast(made.session());
  }

  /** Chooses once the handshake is over; what has been decrypted by then is kept for the chosen. */
  private final class Negotiated extends ApplicationProtocolNegotiationHandler {
    private final SharedConnections sharing;

    Negotiated(SharedConnections sharing) {
      super(ApplicationProtocolNames.HTTP_1_1);
      this.sharing = sharing;
    }

    @Override
    protected void configurePipeline(ChannelHandlerContext ctx, String protocol) {
      if (protocol.equals(ApplicationProtocolNames.HTTP_2)) {
        useHttp2(ctx.pipeline(), sharing);
      } else {
        useHttp1(ctx.pipeline());
      }
    }

    @Override
    protected void handshakeFailure(ChannelHandlerContext ctx, Throwable cause) {
      // Who opens the connection has been told by the handshake's future.
      ctx.close();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      ctx.close();
    }
  }
}
