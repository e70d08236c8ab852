package io.forebay.cli.expect;

import io.forebay.server.config.StandIns;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/** Sends the requests of a script over HTTP/1.1, each on a connection of its own. */
final class ScriptClient {
  private static final int TIMEOUT_MILLIS = 60_000;

  /** From where requests come to listeners that redirect to https, since these take no header. */
  private static final String DIRECT = "127.193.7.12";

  /**
   * A response.
   *
   * @param broken why it is not whole, or null
   */
  record Reply(
      int status, List<HeaderLine> fields, String body, int size, @Nullable String broken) {}

  private ScriptClient() {}

  /**
   * Sends a request and reads the response.
   *
   * @param tls of a TLS listener, else null
   * @param isProxied whether the client's address goes before it, by the PROXY protocol
   */
  static Reply send(Step.Request request, int port, @Nullable SSLContext tls, boolean isProxied)
      throws IOException {
    try (Socket plain = new Socket()) {
      plain.setSoTimeout(TIMEOUT_MILLIS);
      plain.bind(new InetSocketAddress(isProxied ? StandIns.PEER : DIRECT, 0));
      plain.connect(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), port));
      if (isProxied) {
        plain.getOutputStream().write(proxyHeader(request.client()));
      }
      try (Socket socket = tls == null ? plain : secured(plain, tls, request.url().host(), port)) {
        OutputStream out = socket.getOutputStream();
        out.write(message(request));
        out.flush();
        return reply(new BufferedInputStream(socket.getInputStream()), request.method());
      }
    }
  }

  private static byte[] proxyHeader(String client) {
    boolean isIpv6 = client.indexOf(':') >= 0;
    return ("PROXY TCP"
            + (isIpv6 ? "6 " + client + " ::1" : "4 " + client + " 127.0.0.1")
            + " 40000 443\r\n")
        .getBytes(StandardCharsets.US_ASCII);
  }

  private static Socket secured(Socket plain, SSLContext tls, String host, int port)
      throws IOException {
    SSLSocket socket =
        (SSLSocket) tls.getSocketFactory().createSocket(plain, "127.0.0.1", port, true);
    if (host.indexOf(':') < 0 && !host.matches("[0-9.]+") && host.indexOf('_') < 0) {
      SSLParameters parameters = socket.getSSLParameters();
      parameters.setServerNames(List.of(new SNIHostName(host)));
      socket.setSSLParameters(parameters);
    }
    return socket;
  }

  private static byte[] message(Step.Request request) {
    StringBuilder head = new StringBuilder();
    head.append(request.method())
        .append(' ')
        .append(request.url().target())
        .append(" HTTP/1.1\r\n");
    if (!HeaderLine.isIn(request.headers(), "host")) {
      head.append("Host: ").append(request.url().authority()).append("\r\n");
    }
    for (HeaderLine field : request.headers()) {
      head.append(field.name()).append(": ").append(field.value()).append("\r\n");
    }
    byte[] body = request.body().getBytes(StandardCharsets.UTF_8);
    if (body.length > 0 || request.method().equals("POST") || request.method().equals("PUT")) {
      head.append("Content-Length: ").append(body.length).append("\r\n");
    }
    if (!HeaderLine.isIn(request.headers(), "connection")) {
      head.append("Connection: close\r\n");
    }
    byte[] start = head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1);
    byte[] whole = new byte[start.length + body.length];
    System.arraycopy(start, 0, whole, 0, start.length);
    System.arraycopy(body, 0, whole, start.length, body.length);
    return whole;
  }

  private static Reply reply(InputStream in, String method) throws IOException {
    while (true) {
      Wire.Head head = Wire.head(in);
      if (head == null) {
        throw new EOFException("the node closed the connection without a response");
      }
      String[] words = head.first().split(" ", 3);
      if (words.length < 2 || !words[1].matches("[1-5]\\d\\d")) {
        throw new IOException("not a status line: " + head.first());
      }
      int status = Integer.parseInt(words[1]);
      if (status < 200 && status != 101) {
        continue;
      }
      boolean hasBody = !method.equals("HEAD") && status != 101 && status != 204 && status != 304;
      try {
        byte[] body = hasBody ? Wire.body(in, head, true) : new byte[0];
        return new Reply(
            status, head.fields(), new String(body, StandardCharsets.UTF_8), body.length, null);
      } catch (EOFException cut) {
        return new Reply(status, head.fields(), "", 0, String.valueOf(cut.getMessage()));
      }
    }
  }
}
