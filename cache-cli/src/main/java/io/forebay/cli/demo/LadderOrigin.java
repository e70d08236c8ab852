package io.forebay.cli.demo;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** The origin of the demo: serves the ladder on loopback and counts requests. */
final class LadderOrigin implements AutoCloseable {
  private static final int PIECE_BYTES = 256 << 10;

  private final Ladder ladder;
  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final AtomicLong requests = new AtomicLong();
  // Pause after each piece, as a far origin has; 0 while the origin is near.
  private volatile long pauseNanos;

  /**
   * Starts listening on 127.0.0.1.
   *
   * @param port 0 for a free one
   */
  LadderOrigin(Ladder ladder, int port) throws IOException {
    // Read once when the server's classes load: without it each answer waits for a delayed ACK.
    System.setProperty("sun.net.httpserver.nodelay", "true");
    this.ladder = ladder;
    this.server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    server.setExecutor(threads);
    server.createContext("/", this::answer);
    server.start();
  }

  String url() {
    return "http://127.0.0.1:" + port();
  }

  int port() {
    return server.getAddress().getPort();
  }

  /** Requests for objects since the start. */
  long requests() {
    return requests.get();
  }

  /** Serves that many bytes a second from now on; 0 for as fast as it can. */
  void pace(long bytesPerSecond) {
    pauseNanos = bytesPerSecond == 0 ? 0 : PIECE_BYTES * 1_000_000_000L / bytesPerSecond;
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      requests.incrementAndGet();
      exchange.getRequestBody().readAllBytes();
      Ladder.Item item = ladder.find(exchange.getRequestURI().getPath());
      if (item == null) {
        exchange.sendResponseHeaders(404, -1);
        return;
      }
      var headers = exchange.getResponseHeaders();
      headers.set("Content-Type", item.contentType());
      headers.set("Cache-Control", item.cacheControl());
      headers.set("ETag", '"' + Integer.toHexString(item.path().hashCode()) + '"');
      headers.set("Surrogate-Key", "news news-" + item.rung());
      boolean isHead = exchange.getRequestMethod().equals("HEAD");
      if (isHead) {
        headers.set("Content-Length", Integer.toString(item.bytes().length));
      }
      exchange.sendResponseHeaders(200, isHead ? -1 : item.bytes().length);
      if (!isHead) {
        write(exchange.getResponseBody(), item.bytes());
      }
    }
  }

  private void write(OutputStream body, byte[] bytes) throws IOException {
    for (int from = 0; from < bytes.length; from += PIECE_BYTES) {
      body.write(bytes, from, Math.min(PIECE_BYTES, bytes.length - from));
      if (pauseNanos > 0) {
        LockSupport.parkNanos(pauseNanos);
      }
    }
  }
}
