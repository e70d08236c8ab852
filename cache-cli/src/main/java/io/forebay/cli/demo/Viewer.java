package io.forebay.cli.demo;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A minimal client on one keep-alive connection, so that its timings are those of the edge: one GET
 * at a time, whole bodies, with the times of the first and last byte.
 */
final class Viewer implements AutoCloseable {
  private static final int TIMEOUT_MILLIS = 30_000;
  private static final int BUFFER_BYTES = 256 << 10;
  private static final int MAX_LINE_BYTES = 16 << 10;

  private final int port;
  private final String host;
  private @Nullable Socket socket;
  private @Nullable InputStream in;

  Viewer(int port) {
    this(port, "127.0.0.1:" + port);
  }

  /** A client that sends that host, whatever the port is. */
  Viewer(int port, String host) {
    this.port = port;
    this.host = host;
  }

  /** A whole response; times count from just before the request was written. */
  @SuppressWarnings("ArrayRecordComponent") // read by the caller, never compared
  record Got(
      int status,
      Map<String, String> fields,
      byte[] body,
      long firstByteNanos,
      long lastByteNanos) {

    String field(String name) {
      return fields.getOrDefault(name, "");
    }

    /** Whether the edge says in Cache-Status (RFC 9211) that it had it; its member is the last. */
    boolean isHit() {
      return field("cache-status").matches("(.*,)?[^,;]*;\\s*hit\\s*(;[^,]*)?");
    }
  }

  Got get(String path) throws IOException {
    return get(path, null);
  }

  Got get(String path, @Nullable String range) throws IOException {
    Socket open = socket;
    InputStream input = in;
    if (open == null || input == null || open.isClosed()) {
      open = new Socket(InetAddress.getLoopbackAddress(), port);
      open.setTcpNoDelay(true);
      open.setSoTimeout(TIMEOUT_MILLIS);
      input = new BufferedInputStream(open.getInputStream(), BUFFER_BYTES);
      socket = open;
      in = input;
    }
    String request =
        "GET "
            + path
            + " HTTP/1.1\r\nHost: "
            + host
            + "\r\nUser-Agent: forebay-demo\r\n"
            + (range == null ? "" : "Range: " + range + "\r\n")
            + "\r\n";
    long start = System.nanoTime();
    open.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
    String statusLine = line(input);
    long firstByte = System.nanoTime() - start;
    Map<String, String> fields = new HashMap<>();
    for (String line = line(input); !line.isEmpty(); line = line(input)) {
      int colon = line.indexOf(':');
      if (colon > 0) {
        fields.put(
            line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).strip());
      }
    }
    byte[] body = body(input, fields);
    long lastByte = System.nanoTime() - start;
    if (fields.getOrDefault("connection", "").equalsIgnoreCase("close")) {
      close();
    }
    String[] words = statusLine.split(" ", 3);
    if (words.length < 2 || !words[1].matches("[1-5][0-9]{2}")) {
      throw new IOException("no HTTP response on port " + port + ": " + statusLine);
    }
    return new Got(Integer.parseInt(words[1]), fields, body, firstByte, lastByte);
  }

  @Override
  public void close() throws IOException {
    disconnect();
  }

  /** The next request opens a connection anew. */
  void disconnect() throws IOException {
    Socket open = socket;
    if (open != null) {
      open.close();
    }
    socket = null;
    in = null;
  }

  private static byte[] body(InputStream in, Map<String, String> fields) throws IOException {
    String length = fields.get("content-length");
    if (length != null) {
      return whole(in, Integer.parseInt(length));
    }
    if (!fields.getOrDefault("transfer-encoding", "").equalsIgnoreCase("chunked")) {
      throw new IOException("a response with neither length nor chunks on a persistent connection");
    }
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    while (true) {
      int chunk = Integer.parseInt(line(in).split(";", 2)[0].strip(), 16);
      body.write(whole(in, chunk));
      line(in);
      if (chunk == 0) {
        return body.toByteArray();
      }
    }
  }

  private static byte[] whole(InputStream in, int length) throws IOException {
    byte[] bytes = in.readNBytes(length);
    if (bytes.length < length) {
      throw new EOFException("body truncated after " + bytes.length + " of " + length + " bytes");
    }
    return bytes;
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int b = in.read(); b != '\n'; b = in.read()) {
      if (b < 0) {
        throw new EOFException("connection closed by the edge");
      }
      if (b != '\r') {
        line.append((char) b);
      }
      if (line.length() > MAX_LINE_BYTES) {
        throw new IOException("a header line of more than " + MAX_LINE_BYTES + " bytes");
      }
    }
    return line.toString();
  }
}
