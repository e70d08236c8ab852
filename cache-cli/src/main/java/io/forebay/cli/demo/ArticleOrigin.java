package io.forebay.cli.demo;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The origin of a cluster: articles {@code /article/N}, tagged {@code article-N}, whose text is
 * their version. Listens on loopback and counts requests.
 */
final class ArticleOrigin implements AutoCloseable {
  private static final String PATH = "/article/";

  private final AtomicIntegerArray versions;
  private final AtomicLong requests = new AtomicLong();
  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  /**
   * @param articles how many there are; each has version 1
   */
  ArticleOrigin(int articles) throws IOException {
    // Read once when the server's classes load: without it each answer waits for a delayed ACK.
    System.setProperty("sun.net.httpserver.nodelay", "true");
    this.versions = new AtomicIntegerArray(articles);
    for (int i = 0; i < articles; i++) {
      versions.set(i, 1);
    }
    this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", this::answer);
    server.start();
  }

  static String path(int article) {
    return PATH + article;
  }

  static String tag(int article) {
    return "article-" + article;
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  long requests() {
    return requests.get();
  }

  /** Publishes the next version of an article; its number. */
  int publish(int article) {
    return versions.incrementAndGet(article);
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      requests.incrementAndGet();
      exchange.getRequestBody().readAllBytes();
      String path = exchange.getRequestURI().getPath();
      int article = path.matches(PATH + "[0-9]{1,6}") ? number(path) : versions.length();
      if (article >= versions.length()) {
        exchange.sendResponseHeaders(404, -1);
        return;
      }
      byte[] body = Integer.toString(versions.get(article)).getBytes(StandardCharsets.US_ASCII);
      exchange.getResponseHeaders().set("Content-Type", "text/plain");
      exchange.getResponseHeaders().set("Cache-Control", "max-age=3600");
      exchange.getResponseHeaders().set("Cache-Tag", tag(article));
      exchange.sendResponseHeaders(200, body.length);
      exchange.getResponseBody().write(body);
    }
  }

  private static int number(String path) {
    return Integer.parseInt(path.substring(PATH.length()));
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
