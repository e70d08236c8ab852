package io.forebay.testing;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * An origin on a real loopback socket that does exactly what a test says, byte for byte. Two ways
 * to use it: the test thread itself plays the origin ({@link #accept} and the methods of {@link
 * Connection}), or {@link #serve} runs a script for each connection on a thread of its own. Every
 * wait is bounded, so that a broken client fails a test instead of hanging it.
 */
public final class ScriptedOrigin implements AutoCloseable {
  private static final int PATIENCE_MILLIS = 10_000;
  private static final int BACKLOG = 4_096;

  private final ServerSocket server;
  private final @Nullable SSLContext tls;
  private volatile boolean needsClientCertificate;
  private final List<Connection> connections = new CopyOnWriteArrayList<>();
  private final List<Throwable> failures = new CopyOnWriteArrayList<>();
  private final AtomicInteger accepted = new AtomicInteger();
  private volatile @Nullable Thread acceptor;

  private ScriptedOrigin(ServerSocket server, @Nullable SSLContext tls) {
    this.server = server;
    this.tls = tls;
  }

  /** What to do with one connection. */
  @FunctionalInterface
  public interface Script {
    void run(Connection connection) throws IOException;
  }

  /** A plain origin on 127.0.0.1. */
  public static ScriptedOrigin start() {
    return start("127.0.0.1", null);
  }

  /** An origin that does TLS with the given keys. */
  public static ScriptedOrigin startTls(SSLContext tls) {
    return start("127.0.0.1", tls);
  }

  /**
   * An origin on a given loopback address.
   *
   * @param tls null for plain text
   */
  public static ScriptedOrigin start(String address, @Nullable SSLContext tls) {
    return start(address, 0, tls);
  }

  /** One in the place of another that listens no more. */
  public static ScriptedOrigin startAt(int port) {
    return startAt("127.0.0.1", port);
  }

  /** One at a given loopback address and port: another address of a name. */
  public static ScriptedOrigin startAt(String address, int port) {
    return start(address, port, null);
  }

  private static ScriptedOrigin start(String address, int port, @Nullable SSLContext tls) {
    try {
      ServerSocket server = new ServerSocket();
      server.setReuseAddress(true);
      server.bind(new InetSocketAddress(InetAddress.getByName(address), port), BACKLOG);
      server.setSoTimeout(PATIENCE_MILLIS);
      return new ScriptedOrigin(server, tls);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Refuses clients without a certificate from now on. */
  public ScriptedOrigin needingClientCertificate() {
    needsClientCertificate = true;
    return this;
  }

  public int port() {
    return server.getLocalPort();
  }

  /** {@code http://127.0.0.1:port}, or https. */
  public String url() {
    return (tls == null ? "http://" : "https://")
        + server.getInetAddress().getHostAddress()
        + ":"
        + port();
  }

  /** Connections taken so far. */
  public int accepted() {
    return accepted.get();
  }

  /** Waits for the next connection; with TLS, the handshake is left to the first read or write. */
  public Connection accept() throws IOException {
    Socket socket = server.accept();
    accepted.incrementAndGet();
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(PATIENCE_MILLIS);
    Connection connection = new Connection(tls == null ? socket : wrap(socket, tls), socket);
    connections.add(connection);
    return connection;
  }

  /** Waits for the next connection and leaves out TLS, whatever this origin's URL says. */
  public Connection acceptPlain() throws IOException {
    Socket socket = server.accept();
    accepted.incrementAndGet();
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(PATIENCE_MILLIS);
    Connection connection = new Connection(socket, socket);
    connections.add(connection);
    return connection;
  }

  /** The same connection with TLS from now on, after {@link #acceptPlain}. */
  public Connection secured(Connection plain) throws IOException {
    if (tls == null) {
      throw new IllegalStateException("no TLS");
    }
    Connection connection = new Connection(wrap(plain.raw, tls), plain.raw);
    connections.add(connection);
    return connection;
  }

  private SSLSocket wrap(Socket socket, SSLContext context) throws IOException {
    SSLSocket wrapped = (SSLSocket) context.getSocketFactory().createSocket(socket, null, true);
    wrapped.setUseClientMode(false);
    wrapped.setNeedClientAuth(needsClientCertificate);
    return wrapped;
  }

  /** Runs the script for every connection from now on, each on its own thread. */
  public ScriptedOrigin serve(Script script) {
    acceptor =
        Thread.ofVirtual()
            .start(() -> {
              while (!server.isClosed()) {
                try {
                  Connection connection = accept();
                  Thread.ofVirtual().start(() -> run(script, connection));
                } catch (SocketTimeoutException e) {
                  // Nobody came: wait on.
                } catch (IOException e) {
                  return;
                }
              }
            });
    return this;
  }

  private void run(Script script, Connection connection) {
    try {
      script.run(connection);
    } catch (IOException e) {
      // The client went away, which many tests want it to.
    } catch (RuntimeException | Error e) {
      failures.add(e);
    }
  }

  /** Stops listening: connections are refused from now on, those there are stay. */
  public void refuse() throws IOException {
    server.close();
    // The kernel listens until the thread that accepts has noticed, and it may take one more.
    Thread accepting = acceptor;
    try {
      if (accepting != null && !accepting.join(Duration.ofMillis(PATIENCE_MILLIS))) {
        throw new AssertionError("still accepts");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() throws IOException {
    refuse();
    for (Connection connection : connections) {
      connection.close();
    }
    if (!failures.isEmpty()) {
      throw new AssertionError("a script failed", failures.getFirst());
    }
  }

  /** One connection as the origin sees it. */
  public static final class Connection implements AutoCloseable {
    private final Socket socket;
    private final Socket raw;
    private InputStream in;

    private Connection(Socket socket, Socket raw) throws IOException {
      this.socket = socket;
      this.raw = raw;
      this.in = socket.getInputStream();
    }

    /**
     * Reads ahead from now on, for origins of many requests. A close then need not be a reset where
     * something was left unread.
     */
    public Connection buffered() {
      in = new BufferedInputStream(in);
      return this;
    }

    /** Sets the time limit of each read; 0 for none. */
    public Connection timeoutMillis(int millis) throws IOException {
      socket.setSoTimeout(millis);
      return this;
    }

    /** What TLS agreed on; only for an origin that does TLS, once something was read or written. */
    public SSLSession tlsSession() {
      return ((SSLSocket) socket).getSession();
    }

    /** The address at the other end. */
    public InetAddress peer() {
      return raw.getInetAddress();
    }

    /** Closes the TCP connection without TLS saying goodbye. */
    public void cut() throws IOException {
      raw.shutdownOutput();
      raw.close();
    }

    /** Reads a request's head, through the empty line. */
    public String head() throws IOException {
      ByteArrayOutputStream head = new ByteArrayOutputStream();
      int matched = 0;
      while (matched < 4) {
        // No more than its end needs at least: what follows stays unread.
        for (byte next : bytes(4 - matched)) {
          head.write(next);
          matched = next == "\r\n\r\n".charAt(matched) ? matched + 1 : next == '\r' ? 1 : 0;
        }
      }
      return head.toString(StandardCharsets.ISO_8859_1);
    }

    /** Reads that many bytes. */
    public byte[] bytes(int count) throws IOException {
      byte[] bytes = new byte[count];
      int read = in.readNBytes(bytes, 0, count);
      if (read < count) {
        throw new EOFException("closed after " + read + " of " + count + " bytes");
      }
      return bytes;
    }

    /** Reads a chunked body to its end and gives what it carried. */
    public byte[] chunkedBody() throws IOException {
      ByteArrayOutputStream body = new ByteArrayOutputStream();
      while (true) {
        int length = Integer.parseInt(line(), 16);
        body.writeBytes(bytes(length));
        String end = line();
        if (!end.isEmpty()) {
          throw new IOException("chunk of " + length + " bytes ends with \"" + end + "\"");
        }
        if (length == 0) {
          return body.toByteArray();
        }
      }
    }

    /** Reads a line and gives it without its end, which must be CRLF. */
    public String line() throws IOException {
      StringBuilder line = new StringBuilder();
      while (true) {
        int next = read();
        if (next == '\r') {
          if (read() != '\n') {
            throw new IOException("bare CR after \"" + line + "\"");
          }
          return line.toString();
        }
        line.append((char) next);
      }
    }

    public Connection send(String text) throws IOException {
      return send(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    public Connection send(byte[] bytes) throws IOException {
      return send(bytes, 0, bytes.length);
    }

    public Connection send(byte[] bytes, int from, int length) throws IOException {
      socket.getOutputStream().write(bytes, from, length);
      socket.getOutputStream().flush();
      return this;
    }

    /** Sends each piece by itself. */
    public Connection sendPieces(String... pieces) throws IOException {
      for (String piece : pieces) {
        send(piece);
      }
      return this;
    }

    /** A 200 with that body and its length. */
    public Connection respond(String body) throws IOException {
      return send("HTTP/1.1 200 OK\r\ncontent-length: " + body.length() + "\r\n\r\n" + body);
    }

    /** Ends the sending direction; the client still may send. */
    public void shutdownOutput() throws IOException {
      socket.shutdownOutput();
    }

    /** Closes with a reset instead of an orderly end. */
    public void reset() throws IOException {
      socket.setSoLinger(true, 0);
      socket.close();
    }

    /** Waits until the client has closed, or reset, the connection; bytes before are dropped. */
    public void awaitClose() throws IOException {
      try {
        byte[] dropped = new byte[64 * 1024];
        while (in.read(dropped) >= 0) {
          // Only the end counts.
        }
      } catch (SocketTimeoutException e) {
        throw new AssertionError("the client did not close the connection", e);
      } catch (SocketException e) {
        // A reset is an end too.
      }
    }

    /** Bytes of the request's fields with that name, in order. */
    public static List<String> fields(String head, String name) {
      List<String> values = new ArrayList<>();
      for (String line : head.split("\r\n", -1)) {
        int colon = line.indexOf(':');
        if (colon > 0 && line.substring(0, colon).toLowerCase(Locale.ROOT).equals(name)) {
          values.add(line.substring(colon + 1).strip());
        }
      }
      return values;
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }

    private int read() throws IOException {
      int next = in.read();
      if (next < 0) {
        throw new EOFException("the client closed the connection");
      }
      return next;
    }
  }
}
