package io.forebay.server.warm;

import io.forebay.server.node.NodeControl;
import io.forebay.server.node.NodeStatus.Listening;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * A small HTTP/1.1 client that sends requests to this node's own listener, for any Host, so a
 * warm-up stores exactly what a client's request would. One connection, used by one thread;
 * redirects are reported, never followed.
 */
final class LoopbackClient implements AutoCloseable {
  private static final int CONNECT_TIMEOUT_MILLIS = 5_000;
  private static final int READ_TIMEOUT_MILLIS = 60_000;
  private static final int MAX_HEAD_BYTES = 64 << 10;

  private final NodeControl node;
  private final String userAgent;
  // Set by the one thread that uses this client; read by the thread that aborts it.
  private volatile @Nullable Socket socket;
  private volatile boolean isAborted;
  private @Nullable InputStream in;
  private String connectedTo = "";
  private final byte[] buffer = new byte[64 << 10];
  private int headBytes;
  private boolean isAnswered;

  /**
   * A response, read to its end.
   *
   * @param bytes number of body bytes received
   */
  record Answer(int status, Map<String, String> fields, long bytes) {}

  /** Reads as much of a body as it wants; the rest is read and dropped. */
  interface BodyReader {
    void read(int status, Map<String, String> fields, InputStream body) throws IOException;
  }

  LoopbackClient(NodeControl node, String userAgent) {
    this.node = node;
    this.userAgent = userAgent;
  }

  Answer get(WarmUrl url, BodyReader reader) throws IOException {
    Listening listener = listener(url.scheme(), node.listening());
    boolean isReused = connect(listener, url);
    try {
      return exchange(url, reader);
    } catch (IOException e) {
      close();
      if (!isReused || isAnswered) {
        throw e;
      }
      // The listener may close an idle connection at any time; that is no failure of the URL.
      connect(listener, url);
      try {
        return exchange(url, reader);
      } catch (IOException again) {
        close();
        throw again;
      }
    }
  }

  /** The listener of the URL's scheme; where TLS ends in front of the node, its plain one. */
  private static Listening listener(String scheme, List<Listening> all) throws IOException {
    List<Listening> direct = all.stream().filter(Listening::isDirect).toList();
    for (Listening listener : direct) {
      if (listener.scheme().equals(scheme)) {
        return listener;
      }
    }
    if (scheme.equals("https") && !direct.isEmpty()) {
      return direct.getFirst();
    }
    throw new IOException("the node has no listener for " + scheme);
  }

  /** Whether the connection was there already. */
  private boolean connect(Listening listener, WarmUrl url) throws IOException {
    boolean isTls = listener.scheme().equals("https");
    // The name in the TLS handshake is a connection's for life.
    String wanted = listener.host() + " " + listener.port() + (isTls ? " " + url.host() : "");
    if (socket != null && connectedTo.equals(wanted)) {
      return true;
    }
    close();
    Socket plain = new Socket();
    try {
      plain.setTcpNoDelay(true);
      plain.setSoTimeout(READ_TIMEOUT_MILLIS);
      plain.connect(
          new InetSocketAddress(ownAddress(listener.host()), listener.port()),
          CONNECT_TIMEOUT_MILLIS);
      Socket used = isTls ? tls(plain, url) : plain;
      socket = used;
      if (isAborted) {
        throw new IOException("aborted");
      }
      in = new BufferedInputStream(used.getInputStream(), 16 << 10);
      connectedTo = wanted;
      return false;
    } catch (IOException e) {
      plain.close();
      throw e;
    }
  }

  /** Where to reach a listener of this process: an address of this machine, never another. */
  private static InetAddress ownAddress(String host) throws IOException {
    String reachable =
        switch (host) {
          case "", "*", "0.0.0.0" -> "127.0.0.1";
          case "::", "0:0:0:0:0:0:0:0" -> "::1";
          default -> host;
        };
    return InetAddress.getAllByName(reachable)[0];
  }

  private static Socket tls(Socket plain, WarmUrl url) throws IOException {
    SSLSocket secure =
        (SSLSocket)
            OwnListenerTls.CONTEXT
                .getSocketFactory()
                .createSocket(plain, url.host(), plain.getPort(), true);
    SSLParameters parameters = secure.getSSLParameters();
    if (!url.host().startsWith("[") && !url.host().matches("[0-9.]+")) {
      parameters.setServerNames(List.of(new SNIHostName(url.host())));
    }
    parameters.setApplicationProtocols(new String[] {"http/1.1"});
    secure.setSSLParameters(parameters);
    secure.startHandshake();
    return secure;
  }

  private Answer exchange(WarmUrl url, BodyReader reader) throws IOException {
    Socket current = socket;
    InputStream source = in;
    if (current == null || source == null) {
      throw new IOException("not connected");
    }
    headBytes = 0;
    isAnswered = false;
    String request =
        "GET "
            + url.target()
            + " HTTP/1.1\r\nHost: "
            + url.authority()
            + "\r\nUser-Agent: "
            + userAgent
            + "\r\nAccept: */*\r\n\r\n";
    current.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
    current.getOutputStream().flush();
    int status;
    Map<String, String> fields;
    do {
      status = status(line(source));
      fields = fields(source);
    } while (status >= 100 && status < 200);
    String length = fields.get("content-length");
    boolean isReusable =
        !fields.getOrDefault("connection", "").toLowerCase(Locale.ROOT).contains("close");
    Body body;
    if (status == 204 || status == 304) {
      body = new Body(source, 0, false);
    } else if (fields.getOrDefault("transfer-encoding", "").equalsIgnoreCase("chunked")) {
      body = new Body(source, 0, true);
    } else if (length != null) {
      body = new Body(source, length(length), false);
    } else {
      body = new Body(source, Body.UNTIL_CLOSED, false);
      isReusable = false;
    }
    reader.read(status, fields, body);
    body.drain();
    if (!isReusable) {
      close();
    }
    return new Answer(status, fields, body.bytes);
  }

  private static int status(String line) throws IOException {
    if (!line.matches("HTTP/1\\.[01] [1-5]\\d\\d( .*)?")) {
      throw new IOException("not an HTTP response");
    }
    return Integer.parseInt(line.substring(9, 12));
  }

  private static long length(String text) throws IOException {
    if (!text.matches("\\d{1,18}")) {
      throw new IOException("unreadable Content-Length");
    }
    return Long.parseLong(text);
  }

  private Map<String, String> fields(InputStream source) throws IOException {
    Map<String, String> fields = new HashMap<>();
    while (true) {
      String line = line(source);
      if (line.isEmpty()) {
        return fields;
      }
      int colon = line.indexOf(':');
      if (colon <= 0) {
        throw new IOException("unreadable header");
      }
      fields.merge(
          line.substring(0, colon).toLowerCase(Locale.ROOT),
          line.substring(colon + 1).strip(),
          (before, next) -> before + ", " + next);
    }
  }

  private String line(InputStream source) throws IOException {
    StringBuilder line = new StringBuilder();
    while (true) {
      int c = source.read();
      if (c < 0) {
        throw new EOFException("the connection was closed within the response");
      }
      isAnswered = true;
      if (++headBytes > MAX_HEAD_BYTES) {
        throw new IOException(
            "the response's header section is larger than " + MAX_HEAD_BYTES + " bytes");
      }
      if (c == '\n') {
        int end = line.length();
        return line.substring(0, end > 0 && line.charAt(end - 1) == '\r' ? end - 1 : end);
      }
      line.append((char) c);
    }
  }

  /** Breaks off what is under way, and all that is asked for later; called by any thread. */
  void abort() {
    isAborted = true;
    closeSocket(socket);
  }

  @Override
  public void close() {
    Socket old = socket;
    socket = null;
    in = null;
    connectedTo = "";
    closeSocket(old);
  }

  private static void closeSocket(@Nullable Socket old) {
    if (old != null) {
      try {
        old.close();
      } catch (IOException e) {
        // It is given up either way.
        return;
      }
    }
  }

  /** A body as it is framed: by its length, in chunks, or by the end of the connection. */
  private final class Body extends InputStream {
    static final long UNTIL_CLOSED = -1;

    private final InputStream source;
    private final boolean isChunked;
    private long left;
    private boolean isInChunks;
    private boolean isOver;
    private long bytes;

    Body(InputStream source, long length, boolean isChunked) {
      this.source = source;
      this.isChunked = isChunked;
      left = length;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] to, int offset, int length) throws IOException {
      if (length == 0) {
        return 0;
      }
      if (left == 0 && isChunked && !isOver) {
        nextChunk();
      }
      if (left == 0 || isOver) {
        return -1;
      }
      int most = left == UNTIL_CLOSED ? length : (int) Math.min(left, length);
      int count = source.read(to, offset, most);
      if (count < 0) {
        if (left != UNTIL_CLOSED) {
          throw new EOFException("the response is " + left + " bytes too short");
        }
        isOver = true;
        return -1;
      }
      bytes += count;
      if (left != UNTIL_CLOSED) {
        left -= count;
      }
      return count;
    }

    /** The connection takes another request only behind the end of this body. */
    void drain() throws IOException {
      int count;
      do {
        count = read(buffer, 0, buffer.length);
      } while (count >= 0);
    }

    private void nextChunk() throws IOException {
      headBytes = 0;
      if (isInChunks && !line(source).isEmpty()) {
        throw new IOException("chunk longer than its size");
      }
      isInChunks = true;
      String line = line(source);
      int end = line.indexOf(';');
      String size = (end < 0 ? line : line.substring(0, end)).strip();
      if (!size.matches("[0-9A-Fa-f]{1,15}")) {
        throw new IOException("unreadable chunk size");
      }
      left = Long.parseLong(size, 16);
      if (left == 0) {
        isOver = true;
        fields(source);
      }
    }
  }

  /**
   * TLS towards the own listener, which is reached by an address of this machine: its certificate
   * is for its clients' names and may be anybody's, so there is nothing to verify.
   */
  private static final class OwnListenerTls {
    static final SSLContext CONTEXT = context();

    private static SSLContext context() {
      X509TrustManager any =
          new X509TrustManager() {
            @Override
            public void checkClientTrusted(X509Certificate[] chain, String type) {}

            @Override
            public void checkServerTrusted(X509Certificate[] chain, String type) {}

            @Override
            public X509Certificate[] getAcceptedIssuers() {
              return new X509Certificate[0];
            }
          };
      try {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, new TrustManager[] {any}, new SecureRandom());
        return context;
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException("no TLS in this Java", e);
      }
    }
  }
}
