package io.forebay.server.listen;

import io.forebay.server.config.Http3Config;
import io.forebay.server.config.ServerConfig.ListenerConfig;
import io.forebay.server.counters.LimitKey;
import io.forebay.server.counters.Protocol;
import io.forebay.server.counters.TlsGroupCounters;
import io.forebay.server.http.ClientInfo;
import io.forebay.server.http.TlsSession;
import io.forebay.server.listen.connection.AltSvc;
import io.forebay.server.listen.connection.ClientCertificateCheck;
import io.forebay.server.listen.connection.ListenerContext;
import io.forebay.server.listen.connection.Peer;
import io.forebay.server.listen.http1.HeadReader;
import io.forebay.server.listen.http1.Http1Connection;
import io.forebay.server.listen.http2.Http2Connection;
import io.forebay.server.tls.ClientHelloHandler;
import io.forebay.server.tls.ClientTls;
import io.forebay.server.tls.Ja4;
import io.forebay.server.tls.NoCertificateException;
import io.forebay.server.tls.SniTable;
import io.forebay.server.tls.TlsHost;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.unix.DomainSocketChannel;
import io.netty.handler.codec.TooLongFrameException;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ApplicationProtocolNegotiationHandler;
import io.netty.handler.ssl.SniCompletionEvent;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Installs the handlers of an accepted connection; one per listener and event loop. */
public final class ConnectionInitializer extends ChannelInitializer<Channel> {

  private static final Logger LOG = LoggerFactory.getLogger(ConnectionInitializer.class);

  private final ListenerContext loop;
  private final ListenerConfig config;
  private final String listener;
  private final int listenerNumber;
  private final Supplier<SniTable> tls;
  private final Http3Config http3;

  /** What the fast lane reads requests with. */
  private final HeadReader heads;

  private final MissingCertificateLog missing;

  /** Made with the first connection: only then the port is known. */
  private @Nullable AltSvc altSvc;

  public ConnectionInitializer(
      ListenerContext loop, ListenerConfig config, Supplier<SniTable> tls, Http3Config http3) {
    this.loop = loop;
    this.config = config;
    this.listener = config.name();
    this.listenerNumber = loop.counters.names().listeners().number(listener);
    this.tls = tls;
    this.http3 = http3;
    this.missing = new MissingCertificateLog(loop::nowMillis, LOG::warn);
    this.heads = new HeadReader(config.isTls() ? "https" : "http");
  }

  @Override
  protected void initChannel(Channel channel) {
    if (config.proxyProtocol() && !loop.isTrustedProxy(channel)) {
      loop.counters.connectionsRefused++;
      channel.close();
      return;
    }
    if (!loop.admit(channel)) {
      if (config.isTls() || config.proxyProtocol()) {
        channel.close();
      } else {
        loop.sendOverloadResponse(channel);
      }
      return;
    }
    if (config.proxyProtocol()) {
      ProxyProtocolHandler.expect(loop, channel, () -> begin(channel));
    } else {
      begin(channel);
    }
  }

  private void begin(Channel channel) {
    if (!config.isTls()) {
      ClientCertificateCheck.guard(channel, new ClientCertificateCheck(tls, listener, null, null));
      if (config.h2c()) {
        channel.pipeline().addLast(new H2cDetector(loop, channel, this));
      } else {
        addHttp1(channel, null);
      }
      return;
    }
    ClientHelloHandler hello =
        new ClientHelloHandler(tls, listener, loop.timeouts().tlsHandshake(), System::nanoTime);
    channel.pipeline().addLast(hello, new Negotiation());
  }

  /** The channel speaks HTTP/1.1, within TLS or not. */
  public void addHttp1(Channel channel, @Nullable TlsSession session) {
    Http1Connection connection =
        new Http1Connection(
            loop,
            channel,
            scheme(session),
            ownAuthority(channel),
            client(channel, Protocol.HTTP_1_1, session),
            heads);
    connection.advertise(altSvc(channel));
    channel.pipeline().addLast(connection.decoders()).addLast(connection);
  }

  void addHttp2(Channel channel, @Nullable TlsSession session) {
    ChannelPipeline pipeline = channel.pipeline();
    Http2Connection connection =
        new Http2Connection(
            loop, channel, scheme(session), client(channel, Protocol.HTTP_2, session));
    connection.advertise(altSvc(channel));
    pipeline.addLast(connection.codec(), connection);
  }

  private @Nullable AltSvc altSvc(Channel channel) {
    ClientCertificateCheck guard = ClientCertificateCheck.of(channel);
    if (guard != null && guard.hasAsked()) {
      // Its host is not served over HTTP/3.
      return null;
    }
    AltSvc made = altSvc;
    if (made == null && http3.isOn(listener) && !http3.altSvcMaxAge().isZero()) {
      made = AltSvc.of(http3, channel.localAddress());
      altSvc = made;
    }
    return made;
  }

  private static String scheme(@Nullable TlsSession session) {
    return session == null ? "http" : "https";
  }

  private ClientInfo client(Channel channel, Protocol protocol, @Nullable TlsSession session) {
    InetSocketAddress peer = Peer.of(channel);
    boolean isRelayed = config.proxyProtocol() || channel instanceof DomainSocketChannel;
    return ClientInfo.of(
        peer == null ? "unknown" : peer.getAddress().getHostAddress(),
        peer == null ? 0 : peer.getPort(),
        protocol,
        listener,
        listenerNumber,
        isRelayed,
        session);
  }

  private static String ownAuthority(Channel channel) {
    SocketAddress address = channel.localAddress();
    if (!(address instanceof InetSocketAddress own)) {
      return "localhost";
    }
    InetAddress ip = own.getAddress();
    String host = ip.getHostAddress();
    int zone = host.indexOf('%');
    if (zone >= 0) {
      host = host.substring(0, zone);
    }
    return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + own.getPort();
  }

  /** After the handshake: which protocol the client and we have settled on. */
  private final class Negotiation extends ApplicationProtocolNegotiationHandler {

    private @Nullable String serverName;

    Negotiation() {
      super(ApplicationProtocolNames.HTTP_1_1);
    }

    @Override
    protected void configurePipeline(ChannelHandlerContext ctx, String protocol) {
      if (protocol.equals(ClientTls.CHALLENGE_PROTOCOL)) {
        // The validation has seen the certificate; nothing is spoken within (RFC 8737 §4).
        ctx.close();
        return;
      }
      loop.counters.tlsHandshakes++;
      SSLEngine engine = ctx.pipeline().get(SslHandler.class).engine();
      loop.counters.tlsGroups.count(TlsGroupCounters.Group.of(TlsHost.group(engine)));
      boolean isResumed = TlsHost.isResumed(engine);
      if (isResumed) {
        loop.counters.tlsResumed++;
      }
      ClientCertificateCheck guard =
          ClientCertificateCheck.of(tls, listener, ctx.channel(), engine, loop.nowMillis());
      if (guard == null) {
        LOG.debug("{}: the client's certificate has expired", ctx.channel().remoteAddress());
        ctx.close();
        return;
      }
      if (!loop.admitCertificate(ctx.channel(), guard.certificate())) {
        ctx.close();
        return;
      }
      ClientCertificateCheck.guard(ctx.channel(), guard);
      SSLSession settled = engine.getSession();
      TlsSession session =
          new TlsSession(
              settled.getProtocol(),
              settled.getCipherSuite(),
              serverName,
              isResumed,
              ctx.channel().attr(Ja4.KEY).get(),
              guard.certificate());
      if (protocol.equals(ApplicationProtocolNames.HTTP_2)) {
        addHttp2(ctx.channel(), session);
      } else {
        addHttp1(ctx.channel(), session);
      }
    }

    @Override
    protected void handshakeFailure(ChannelHandlerContext ctx, Throwable cause) {
      loop.counters.tlsFailures++;
      LOG.debug("{}: TLS handshake failed: {}", ctx.channel().remoteAddress(), cause.toString());
      if (cause instanceof SslHandshakeTimeoutException) {
        loop.counters.hit(LimitKey.TLS_HANDSHAKE);
      }
      ctx.close();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      LOG.debug(
          "{}: failed before the protocol was negotiated", ctx.channel().remoteAddress(), cause);
      ctx.close();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) throws Exception {
      if (event == ListenerContext.Drain.NOW) {
        ctx.close();
        return;
      }
      if (event instanceof SniCompletionEvent hello && hello.isSuccess()) {
        serverName = hello.hostname();
        if (!loop.admitServerName(ctx.channel(), serverName)) {
          ctx.close();
          return;
        }
      } else if (event instanceof SniCompletionEvent hello) {
        // There was no handshake; the reader of the ClientHello closes the connection.
        loop.counters.tlsFailures++;
        if (hello.cause() instanceof SslHandshakeTimeoutException) {
          loop.counters.hit(LimitKey.TLS_HANDSHAKE);
        } else if (hello.cause() instanceof NoCertificateException none) {
          missing.failed(none);
        } else if (hello.cause() instanceof TooLongFrameException) {
          loop.counters.hit(LimitKey.TLS_CLIENT_HELLO);
        }
        return;
      }
      super.userEventTriggered(ctx, event);
    }
  }
}
