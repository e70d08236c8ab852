package io.forebay.e2e;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A client that sends exactly the bytes it is given, and reads what comes strictly. */
final class RawClient implements AutoCloseable {
  static final int TIMEOUT_MILLIS = 15_000;

  private final Socket socket;
  private final InputStream in;
  private final OutputStream out;

  private RawClient(Socket socket) throws IOException {
    this.socket = socket;
    this.in = new BufferedInputStream(socket.getInputStream(), 1 << 16);
    this.out = socket.getOutputStream();
  }

  static RawClient connect(int port) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(TIMEOUT_MILLIS);
    socket.setTcpNoDelay(true);
    return new RawClient(socket);
  }

  /** The transfer ended before the message did. */
  static final class BrokenException extends IOException {
    private static final long serialVersionUID = 1L;

    BrokenException(String message) {
      super(message);
    }
  }

  /** One GET on a connection of its own; further field lines as {@code Name: value}. */
  static Response get(int port, String target, String... fields) throws IOException {
    return request(port, "GET", target, "", fields);
  }

  static Response head(int port, String target, String... fields) throws IOException {
    return request(port, "HEAD", target, "", fields);
  }

  static Response request(int port, String method, String target, String body, String... fields)
      throws IOException {
    StringBuilder head = new StringBuilder();
    head.append(method).append(' ').append(target).append(" HTTP/1.1\r\n");
    boolean hasHost = false;
    for (String field : fields) {
      head.append(field).append("\r\n");
      hasHost |= field.toLowerCase(Locale.ROOT).startsWith("host:");
    }
    if (!hasHost) {
      head.append("Host: 127.0.0.1:").append(port).append("\r\n");
    }
    if (!body.isEmpty()) {
      head.append("Content-Length: ").append(body.length()).append("\r\n");
    }
    head.append("Connection: close\r\n\r\n").append(body);
    try (RawClient client = connect(port)) {
      client.send(head.toString());
      return client.response(method.equals("HEAD"));
    }
  }

  /** Every character is a byte. */
  void send(String text) throws IOException {
    send(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  void send(byte[] bytes) throws IOException {
    out.write(bytes);
    out.flush();
  }

  /** No more will be sent; what comes can still be read. */
  void endOutput() throws IOException {
    socket.shutdownOutput();
  }

  void timeoutMillis(int millis) throws IOException {
    socket.setSoTimeout(millis);
  }

  /** The next final response. */
  Response response(boolean isHead) throws IOException {
    while (true) {
      Response head = responseHead();
      if (head.status() >= 200 || head.status() == 101) {
        return new Response(head.status(), head.statusLine(), head.fields(), body(head, isHead));
      }
    }
  }

  /** The next head, interim ones included; the body stays unread. */
  Response responseHead() throws IOException {
    String statusLine = line();
    if (!statusLine.matches("HTTP/1\\.[01] [0-9]{3}( .*)?")) {
      throw new IOException("not a status line: " + statusLine);
    }
    List<Response.Field> fields = fields();
    return new Response(
        Integer.parseInt(statusLine.substring(9, 12)), statusLine, fields, new byte[0]);
  }

  private List<Response.Field> fields() throws IOException {
    List<Response.Field> fields = new ArrayList<>();
    for (String line = line(); !line.isEmpty(); line = line()) {
      int colon = line.indexOf(':');
      if (colon < 1) {
        throw new IOException("not a field line: " + line);
      }
      fields.add(
          new Response.Field(
              line.substring(0, colon).toLowerCase(Locale.ROOT),
              line.substring(colon + 1).strip()));
    }
    return fields;
  }

  private byte[] body(Response head, boolean isHead) throws IOException {
    if (isHead || head.status() == 204 || head.status() == 304 || head.status() == 101) {
      return new byte[0];
    }
    if (head.field("transfer-encoding").equals("chunked")) {
      return chunks(() -> {});
    }
    if (head.has("content-length")) {
      return exactly(Integer.parseInt(head.field("content-length")));
    }
    return in.readAllBytes();
  }

  /** The chunked body behind a head; tells when the first of it has come. */
  byte[] chunked(Response head, Runnable onFirst) throws IOException {
    if (!head.field("transfer-encoding").equals("chunked")) {
      throw new IOException("not chunked: " + head);
    }
    return chunks(onFirst);
  }

  private byte[] chunks(Runnable onFirst) throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    while (true) {
      String size = line();
      int length = Integer.parseInt(size.split(";", 2)[0].strip(), 16);
      if (length == 0) {
        fields();
        return body.toByteArray();
      }
      boolean isFirst = body.size() == 0;
      body.writeBytes(exactly(length));
      if (isFirst) {
        onFirst.run();
      }
      if (!line().isEmpty()) {
        throw new IOException("a chunk does not end with its length");
      }
    }
  }

  byte[] exactly(int lengthBytes) throws IOException {
    byte[] bytes = in.readNBytes(lengthBytes);
    if (bytes.length < lengthBytes) {
      throw new BrokenException("body broke off after " + bytes.length + " of " + lengthBytes);
    }
    return bytes;
  }

  private String line() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int b = in.read(); b != '\n'; b = in.read()) {
      if (b < 0) {
        throw new BrokenException("connection ended after: " + line);
      }
      line.write(b);
    }
    String text = line.toString(StandardCharsets.ISO_8859_1);
    if (!text.endsWith("\r")) {
      throw new IOException("line without CR: " + text);
    }
    return text.substring(0, text.length() - 1);
  }

  /** Everything until the peer closes; a reset counts as that. */
  byte[] readToEnd() throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    byte[] buffer = new byte[1 << 16];
    try {
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        all.write(buffer, 0, n);
      }
    } catch (java.net.SocketException reset) {
      // the peer closed with bytes of ours unread
    }
    return all.toByteArray();
  }

  /** Whether the peer closes, before the timeout, without a byte more. */
  boolean isClosedByPeer() throws IOException {
    try {
      return in.read() < 0;
    } catch (java.net.SocketTimeoutException open) {
      return false;
    } catch (java.net.SocketException reset) {
      return true;
    }
  }

  /** Closes with a reset, as a client does that vanishes. */
  void reset() throws IOException {
    socket.setSoLinger(true, 0);
    socket.close();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
