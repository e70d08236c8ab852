package io.forebay.benchmarks.soak;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;

/** A healthy origin on loopback that knows single ranges and If-Range. */
final class SoakOrigin implements AutoCloseable {

  private final Objects objects;
  private final ServerSocket server;
  private final AtomicLong requests = new AtomicLong();

  SoakOrigin(Objects objects) throws IOException {
    this.objects = objects;
    this.server = new ServerSocket(0, 1024, InetAddress.getLoopbackAddress());
    Thread.ofPlatform().daemon().start(this::accept);
  }

  int port() {
    return server.getLocalPort();
  }

  long requests() {
    return requests.get();
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        Socket socket = server.accept();
        Thread.ofVirtual().start(() -> converse(socket));
      } catch (IOException closed) {
        return;
      }
    }
  }

  private void converse(Socket socket) {
    try (socket;
        InputStream in = new BufferedInputStream(socket.getInputStream())) {
      socket.setTcpNoDelay(true);
      OutputStream out = socket.getOutputStream();
      String line = line(in);
      while (!line.isEmpty()) {
        answer(line, in, out);
        line = line(in);
      }
    } catch (IOException gone) {
      // The edge has closed the connection.
    }
  }

  private void answer(String line, InputStream in, OutputStream out) throws IOException {
    requests.incrementAndGet();
    String[] words = line.split(" ", 3);
    String range = "";
    String condition = "";
    for (String field = line(in); !field.isEmpty(); field = line(in)) {
      String lower = field.toLowerCase(Locale.ROOT);
      if (lower.startsWith("range: bytes=")) {
        range = field.substring("range: bytes=".length());
      } else if (lower.startsWith("if-range: ")) {
        condition = field.substring("if-range: ".length());
      }
    }
    int object = Integer.parseInt(words[1].substring(1));
    String tag = "\"" + object + "\"";
    boolean hasTag = objects.hasValidator(object);
    int length = objects.length(object);
    int from = 0;
    int to = length;
    boolean isPart =
        range.matches("\\d+-\\d*") && (condition.isEmpty() || (hasTag && condition.equals(tag)));
    if (isPart) {
      String[] ends = range.split("-", -1);
      from = Integer.parseInt(ends[0]);
      to = ends[1].isEmpty() ? length : Math.min(length, Integer.parseInt(ends[1]) + 1);
    }
    StringBuilder head =
        new StringBuilder(isPart ? "HTTP/1.1 206 Part\r\n" : "HTTP/1.1 200 OK\r\n");
    head.append("Cache-Control: max-age=86400\r\n");
    if (hasTag) {
      head.append("ETag: ").append(tag).append("\r\n");
    }
    if (isPart) {
      head.append("Content-Range: bytes ").append(from).append('-').append(to - 1);
      head.append('/').append(length).append("\r\n");
    }
    head.append("Content-Length: ").append(to - from).append("\r\n\r\n");
    out.write(head.toString().getBytes(StandardCharsets.ISO_8859_1));
    if (!words[0].equals("HEAD")) {
      out.write(objects.pool, objects.offset(object) + from, to - from);
    }
  }

  /** Without its end; empty also at the end of the stream. */
  static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder(64);
    for (int c = in.read(); c >= 0 && c != '\n'; c = in.read()) {
      if (c != '\r') {
        line.append((char) c);
      }
    }
    return line.toString();
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
