package io.forebay.e2e.storm;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** An origin whose objects say their versions, and are validated by them. */
final class VersionOrigin implements AutoCloseable {
  private final History history;
  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  VersionOrigin(String host, History history) throws IOException {
    this.history = history;
    this.server = HttpServer.create(new InetSocketAddress(host, 0), 0);
    server.setExecutor(threads);
    server.createContext("/", this::answer);
    server.start();
  }

  String url() {
    return "http://%s:%d"
        .formatted(server.getAddress().getHostString(), server.getAddress().getPort());
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      int object = Integer.parseInt(exchange.getRequestURI().getPath().substring(2));
      String version = Long.toString(history.version(object));
      String tag = '"' + version + '"';
      exchange.getResponseHeaders().set("Cache-Control", "max-age=86400");
      exchange.getResponseHeaders().set("Surrogate-Key", StormClients.tag(object));
      exchange.getResponseHeaders().set("ETag", tag);
      if (tag.equals(exchange.getRequestHeaders().getFirst("If-None-Match"))) {
        exchange.sendResponseHeaders(304, -1);
        return;
      }
      byte[] body = version.getBytes(StandardCharsets.US_ASCII);
      exchange.sendResponseHeaders(200, body.length);
      exchange.getResponseBody().write(body);
    }
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
