package io.forebay.server.admin;

import io.forebay.server.admin.Node.Listening;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
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
 * A small HTTP/1.1 client that asks this node itself, on its own listener, for any Host: what it
 * brings into the store is exactly what a client's request would. One connection, used by one
 * thread; redirects are reported, never followed.
 */
final class EdgeClient implements AutoCloseable {
  private static final int CONNECT_TIMEOUT_MILLIS = 5_000;
  private static final int READ_TIMEOUT_MILLIS = 60_000;
  private static final int MAX_HEAD_BYTES = 64 << 10;

  private final Node node;
  private final String userAgent;
  private @Nullable Socket socket;
  private @Nullable InputStream in;
  private String connectedTo = "";
  private final byte[] buffer = new byte[64 << 10];
  private int headBytes;

  /**
   * An answer, read to its end.
   *
   * @param bytes body bytes that came, kept or not
   * @param body the body where it was to be kept and was not too large, else null
   */
  @SuppressWarnings("ArrayRecordComponent") // Read once and thrown away, never compared.
  record Answer(int status, Map<String, String> fields, long bytes, byte @Nullable [] body) {}

  /** Decides from the head whether a body is kept, and up to how many bytes; 0 drops it. */
  interface Keep {
    int bytes(int status, Map<String, String> fields);
  }

  EdgeClient(Node node, String userAgent) {
    this.node = node;
    this.userAgent = userAgent;
  }

  Answer get(WarmUrl url, Keep keep) throws IOException {
    Listening listener = listener(url.scheme(), node.listening());
    boolean isReused = connect(listener, url);
    try {
      return exchange(url, keep);
    } catch (IOException e) {
      close();
      if (!isReused || headBytes > 0) {
        throw e;
      }
      // The listener may close an idle connection at any time; that is no failure of the URL.
      connect(listener, url);
      try {
        return exchange(url, keep);
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

  private Answer exchange(WarmUrl url, Keep keep) throws IOException {
    Socket current = socket;
    InputStream source = in;
    if (current == null || source == null) {
      throw new IOException("not connected");
    }
    headBytes = 0;
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
    BodySink sink = new BodySink(keep.bytes(status, fields));
    String coding = fields.getOrDefault("transfer-encoding", "");
    String length = fields.get("content-length");
    boolean isReusable =
        !fields.getOrDefault("connection", "").toLowerCase(Locale.ROOT).contains("close");
    if (status == 204 || status == 304) {
      sink.end();
    } else if (coding.equalsIgnoreCase("chunked")) {
      chunks(source, sink);
    } else if (length != null) {
      exactly(source, length(length), sink);
    } else {
      int count;
      while ((count = source.read(buffer)) >= 0) {
        sink.take(buffer, count);
      }
      isReusable = false;
    }
    if (!isReusable) {
      close();
    }
    return new Answer(status, fields, sink.bytes, sink.end());
  }

  private static int status(String line) throws IOException {
    if (!line.matches("HTTP/1\\.[01] [1-5]\\d\\d( .*)?")) {
      throw new IOException("not an HTTP answer");
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

  private void chunks(InputStream source, BodySink sink) throws IOException {
    while (true) {
      headBytes = 0;
      String line = line(source);
      int end = line.indexOf(';');
      String size = (end < 0 ? line : line.substring(0, end)).strip();
      if (!size.matches("[0-9A-Fa-f]{1,15}")) {
        throw new IOException("unreadable chunk size");
      }
      long length = Long.parseLong(size, 16);
      if (length == 0) {
        fields(source);
        return;
      }
      exactly(source, length, sink);
      if (!line(source).isEmpty()) {
        throw new IOException("chunk longer than its size");
      }
    }
  }

  private void exactly(InputStream source, long length, BodySink sink) throws IOException {
    long left = length;
    while (left > 0) {
      int count = source.read(buffer, 0, (int) Math.min(left, buffer.length));
      if (count < 0) {
        throw new EOFException("the answer ended " + left + " bytes early");
      }
      sink.take(buffer, count);
      left -= count;
    }
  }

  private String line(InputStream source) throws IOException {
    StringBuilder line = new StringBuilder();
    while (true) {
      int c = source.read();
      if (c < 0) {
        throw new EOFException("the connection was closed within the answer");
      }
      if (++headBytes > MAX_HEAD_BYTES) {
        throw new IOException("the answer's header is larger than " + MAX_HEAD_BYTES + " bytes");
      }
      if (c == '\n') {
        int end = line.length();
        return line.substring(0, end > 0 && line.charAt(end - 1) == '\r' ? end - 1 : end);
      }
      line.append((char) c);
    }
  }

  @Override
  public void close() {
    Socket old = socket;
    socket = null;
    in = null;
    connectedTo = "";
    if (old != null) {
      try {
        old.close();
      } catch (IOException e) {
        // It is given up either way.
        return;
      }
    }
  }

  /** Counts a body and keeps it while it is small enough. */
  private static final class BodySink {
    private final int maxBytes;
    private @Nullable ByteArrayOutputStream kept;
    private long bytes;

    BodySink(int maxBytes) {
      this.maxBytes = maxBytes;
      kept = maxBytes > 0 ? new ByteArrayOutputStream() : null;
    }

    void take(byte[] from, int count) {
      bytes += count;
      if (kept != null) {
        if (bytes > maxBytes) {
          kept = null;
        } else {
          kept.write(from, 0, count);
        }
      }
    }

    byte @Nullable [] end() {
      return kept == null ? null : kept.toByteArray();
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
