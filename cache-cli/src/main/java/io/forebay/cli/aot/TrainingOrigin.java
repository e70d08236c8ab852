package io.forebay.cli.aot;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * An origin on loopback that serves every path: the first segment is the number of bytes of the
 * body, so {@code /1024/7} is one of 1 KiB.
 */
final class TrainingOrigin implements AutoCloseable {
  static final String ENTITY_TAG = "\"of-the-training\"";

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpServer server;

  TrainingOrigin() throws IOException {
    // Read once when the server's classes load: without it each answer waits for a delayed ACK.
    System.setProperty("sun.net.httpserver.nodelay", "true");
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", TrainingOrigin::answer);
    server.start();
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }

  private static void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      byte[] body = new byte[Integer.parseInt(exchange.getRequestURI().getPath().split("/", 3)[1])];
      var fields = exchange.getResponseHeaders();
      fields.set("Content-Type", "application/octet-stream");
      fields.set("Cache-Control", "public, max-age=86400");
      fields.set("ETag", ENTITY_TAG);
      fields.set("Last-Modified", "Sun, 01 Mar 2026 12:00:00 GMT");
      boolean isHead = exchange.getRequestMethod().equals("HEAD");
      if (isHead) {
        fields.set("Content-Length", Integer.toString(body.length));
      }
      exchange.sendResponseHeaders(200, isHead ? -1 : body.length);
      if (!isHead) {
        exchange.getResponseBody().write(body);
      }
    }
  }
}
