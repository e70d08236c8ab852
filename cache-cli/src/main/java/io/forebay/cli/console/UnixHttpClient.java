package io.forebay.cli.console;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.UnixDomainSocketAddress;
import java.net.http.HttpRequest;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Sends one HTTP/1.1 request over a Unix-domain socket, which the JDK's client does not support. An
 * admin API always sends a Content-Length.
 */
final class UnixHttpClient {
  private static final int MAX_LINE = 8192;

  /** What came back. */
  @SuppressWarnings("ArrayRecordComponent") // Read once, never compared.
  record Answer(int status, byte[] body) {}

  private UnixHttpClient() {}

  /**
   * Asks, and waits for the answer.
   *
   * @param request whose path, method and fields are sent; its publisher is not asked
   * @throws java.net.ConnectException when nobody listens on the socket
   * @throws IOException also when the time is over
   */
  static Answer send(Path socket, HttpRequest request, byte[] body, Duration most)
      throws IOException {
    // The file is the address; the host of the request line is only what HTTP wants to see.
    try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
      var overdue =
          CompletableFuture.runAsync(
              () -> close(channel),
              CompletableFuture.delayedExecutor(most.toMillis(), TimeUnit.MILLISECONDS));
      try {
        write(channel, request, body);
        return read(Channels.newInputStream(channel));
      } finally {
        overdue.cancel(false);
      }
    }
  }

  private static void close(SocketChannel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static void write(SocketChannel channel, HttpRequest request, byte[] body)
      throws IOException {
    StringBuilder head = new StringBuilder();
    String query = request.uri().getRawQuery();
    head.append(request.method()).append(' ').append(request.uri().getRawPath());
    head.append(query == null ? "" : "?" + query).append(" HTTP/1.1\r\nHost: localhost\r\n");
    request
        .headers()
        .map()
        .forEach(
            (name, values) -> values.forEach(value -> head.append(name + ": " + value + "\r\n")));
    head.append("Content-Length: ").append(body.length).append("\r\nConnection: close\r\n\r\n");
    ByteBuffer bytes = ByteBuffer.wrap(head.toString().getBytes(StandardCharsets.US_ASCII));
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
    ByteBuffer rest = ByteBuffer.wrap(body);
    while (rest.hasRemaining()) {
      channel.write(rest);
    }
  }

  private static Answer read(InputStream in) throws IOException {
    String status = line(in);
    if (!status.matches("HTTP/1\\.1 \\d{3}( .*)?")) {
      throw new IOException("not an HTTP response");
    }
    int length = 0;
    for (String line = line(in); !line.isEmpty(); line = line(in)) {
      String lower = line.toLowerCase(Locale.ROOT);
      if (lower.matches("content-length:\\s*\\d{1,9}\\s*")) {
        length = Integer.parseInt(lower.substring(15).strip());
      }
    }
    byte[] body = in.readNBytes(length);
    if (body.length < length) {
      throw new EOFException("the answer ended early");
    }
    return new Answer(Integer.parseInt(status.substring(9, 12)), body);
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0 || line.length() > MAX_LINE) {
        throw new EOFException("the answer ended early");
      }
      line.append((char) c);
    }
    return line.toString().strip();
  }
}
