package io.forebay.cli;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.forebay.cli.console.Output;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import tools.jackson.databind.JsonNode;

/**
 * An admin API that sends scripted responses in order, whatever the path, and records the requests;
 * {@code PathOrigin} has an answer for each path.
 */
final class ScriptedAdmin implements AutoCloseable {
  /** The answer to a purge of a URL that matched three objects. */
  static final String PURGED =
      """
      {"purges":[{"id":7,"kind":"url","text":"http://a/x","soft":false,"sequence":9,"matched":3,
      "tookMillis":0.8}],"tookMillis":1.2}\
      """;

  private final HttpServer server;
  private final Deque<Answer> answers = new ArrayDeque<>();
  private final List<Asked> asked = new ArrayList<>();

  private record Answer(int status, String body) {}

  /** A request as it came. */
  record Asked(String method, String target, String authorization, String body) {
    JsonNode json() {
      return Output.mapper().readTree(body);
    }
  }

  ScriptedAdmin() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
  }

  ScriptedAdmin answers(int status, String body) {
    synchronized (this) {
      answers.add(new Answer(status, body));
    }
    return this;
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  List<Asked> asked() {
    synchronized (this) {
      return List.copyOf(asked);
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      String authorization = exchange.getRequestHeaders().getFirst("Authorization");
      Answer answer;
      synchronized (this) {
        asked.add(
            new Asked(
                exchange.getRequestMethod(),
                exchange.getRequestURI().toString(),
                authorization == null ? "" : authorization,
                body));
        answer =
            answers.isEmpty() ? new Answer(500, "{\"error\":\"not scripted\"}") : answers.poll();
      }
      byte[] bytes = answer.body().getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(answer.status(), bytes.length == 0 ? -1 : bytes.length);
      exchange.getResponseBody().write(bytes);
    }
  }
}
