package io.forebay.e2e.storm;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Stands between a node and etcd and leaves out every third message of a watch. The node then
 * believes, and says, that it has applied purges that it has never seen.
 */
final class DroppingRelay implements AutoCloseable {
  private static final int EVERY = 3;

  private final URI etcd;
  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final AtomicInteger messages = new AtomicInteger();
  private final AtomicInteger dropped = new AtomicInteger();

  DroppingRelay(String host, URI etcd) throws IOException {
    this.etcd = etcd;
    this.server = HttpServer.create(new InetSocketAddress(host, 0), 0);
    server.setExecutor(threads);
    server.createContext("/", this::relay);
    server.start();
  }

  String url() {
    return "http://%s:%d"
        .formatted(server.getAddress().getHostString(), server.getAddress().getPort());
  }

  int dropped() {
    return dropped.get();
  }

  private void relay(HttpExchange exchange) throws IOException {
    try (exchange) {
      HttpResponse<InputStream> answer =
          http.send(
              HttpRequest.newBuilder(etcd.resolve(exchange.getRequestURI().getPath()))
                  .header("Content-Type", "application/json")
                  .header("Grpc-Metadata-hasleader", "true")
                  .POST(
                      HttpRequest.BodyPublishers.ofByteArray(
                          exchange.getRequestBody().readAllBytes()))
                  .build(),
              BodyHandlers.ofInputStream());
      exchange.sendResponseHeaders(answer.statusCode(), 0);
      try (BufferedReader lines =
              new BufferedReader(new InputStreamReader(answer.body(), StandardCharsets.UTF_8));
          OutputStream out = exchange.getResponseBody()) {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          boolean isMessage =
              exchange.getRequestURI().getPath().equals("/v3/watch") && line.contains("\"events\"");
          if (isMessage && messages.incrementAndGet() % EVERY == 0) {
            dropped.incrementAndGet();
            continue;
          }
          out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
          out.flush();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
    http.shutdownNow();
  }
}
