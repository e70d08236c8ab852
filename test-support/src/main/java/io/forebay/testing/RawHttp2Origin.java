package io.forebay.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP/2 origin on a loopback socket that writes single frames, as the test thread says. Every
 * wait is bounded.
 */
public final class RawHttp2Origin implements AutoCloseable {
  private static final int PATIENCE_MILLIS = 10_000;

  private final ServerSocket server;
  private final @Nullable SSLContext tls;
  private final String[] protocols;
  private final List<RawHttp2> connections = new CopyOnWriteArrayList<>();
  private final AtomicInteger accepted = new AtomicInteger();

  private RawHttp2Origin(@Nullable SSLContext tls, String... protocols) {
    this.tls = tls;
    this.protocols = protocols;
    try {
      server = new ServerSocket();
      server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1_024);
      server.setSoTimeout(PATIENCE_MILLIS);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** One without TLS. */
  public static RawHttp2Origin start() {
    return new RawHttp2Origin(null);
  }

  /** One with TLS that offers those protocols by ALPN. */
  public static RawHttp2Origin startTls(SSLContext tls, String... protocols) {
    return new RawHttp2Origin(tls, protocols);
  }

  public int port() {
    return server.getLocalPort();
  }

  public String url() {
    return (tls == null ? "http" : "https") + "://127.0.0.1:" + port();
  }

  /** Connections taken so far. */
  public int accepted() {
    return accepted.get();
  }

  /** The next connection, both prefaces exchanged. */
  public RawHttp2 accept(byte... settings) throws IOException {
    return acceptSilently().greet(settings);
  }

  /** The next connection; nothing has been read or written. */
  public RawHttp2 acceptSilently() throws IOException {
    RawHttp2 connection = new RawHttp2(acceptSocket());
    connections.add(connection);
    return connection;
  }

  /** The next connection as a socket; with TLS, after the handshake. */
  public Socket acceptSocket() throws IOException {
    Socket socket = server.accept();
    accepted.incrementAndGet();
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(PATIENCE_MILLIS);
    if (tls == null) {
      return socket;
    }
    SSLSocket wrapped = (SSLSocket) tls.getSocketFactory().createSocket(socket, null, true);
    wrapped.setUseClientMode(false);
    SSLParameters parameters = wrapped.getSSLParameters();
    parameters.setApplicationProtocols(protocols);
    wrapped.setSSLParameters(parameters);
    wrapped.startHandshake();
    return wrapped;
  }

  @Override
  public void close() throws IOException {
    server.close();
    for (RawHttp2 connection : connections) {
      connection.close();
    }
  }
}
