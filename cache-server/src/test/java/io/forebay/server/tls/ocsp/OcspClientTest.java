package io.forebay.server.tls.ocsp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Hostile and faulty OCSP responders. */
@Timeout(60)
final class OcspClientTest {
  private final CountDownLatch isOver = new CountDownLatch(1);
  private @Nullable HttpServer responder;

  private URI responder(HttpHandler handler) throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    responder = server;
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/", handler);
    server.start();
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/ocsp");
  }

  @AfterEach
  void stop() {
    isOver.countDown();
    HttpServer running = responder;
    if (running != null) {
      running.stop(0);
    }
  }

  @Test
  void questionsShareAConnection() throws Exception {
    Set<InetSocketAddress> clients = ConcurrentHashMap.newKeySet();
    URI uri =
        responder(exchange -> {
          try (exchange) {
            clients.add(exchange.getRemoteAddress());
            byte[] question = exchange.getRequestBody().readAllBytes();
            exchange.sendResponseHeaders(200, question.length);
            exchange.getResponseBody().write(question);
          }
        });
    try (OcspClient client = new OcspClient()) {
      for (byte i = 0; i < 5; i++) {
        assertArrayEquals(new byte[] {i, 7}, client.ask(uri, new byte[] {i, 7}));
      }
    }
    assertEquals(1, clients.size());
  }

  @Test
  void anAnswerThatDripsIsNotWaitedFor() throws Exception {
    URI uri =
        responder(exchange -> {
          try (exchange) {
            exchange.sendResponseHeaders(200, 2);
            exchange.getResponseBody().write(1);
            exchange.getResponseBody().flush();
            isOver.await();
          } catch (InterruptedException e) {
            throw new IOException(e);
          }
        });
    try (OcspClient client = new OcspClient(Duration.ofMillis(300))) {
      String said =
          assertThrows(IOException.class, () -> client.ask(uri, new byte[0])).getMessage();
      assertEquals("no complete response within 300 ms", said);
    }
  }

  @Test
  void anAnswerWithoutEndIsNotCollected() throws Exception {
    URI uri =
        responder(exchange -> {
          try (exchange) {
            exchange.sendResponseHeaders(200, 0);
            byte[] piece = new byte[8192];
            while (true) {
              exchange.getResponseBody().write(piece);
            }
          }
        });
    try (OcspClient client = new OcspClient()) {
      String said =
          String.valueOf(
              assertThrows(IOException.class, () -> client.ask(uri, new byte[0])).getMessage());
      assertTrue(said.contains("65536"), said);
    }
  }

  @Test
  void whatIsNoAnswerIsNone() throws Exception {
    URI uri =
        responder(exchange -> {
          try (exchange) {
            exchange.sendResponseHeaders(301, -1);
          }
        });
    OcspClient client = new OcspClient();
    assertEquals(
        "status 301",
        assertThrows(IOException.class, () -> client.ask(uri, new byte[0])).getMessage());
    client.close();
    assertEquals(
        "this node is stopping",
        assertThrows(IOException.class, () -> client.ask(uri, new byte[0])).getMessage());
  }
}
