package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Between the signal to stop and the drain the node continues to serve, but reports that it is not
 * ready.
 */
@Timeout(180)
final class ServerLameDuckTest {
  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();

  @AfterEach
  void stop() throws IOException {
    origin.close();
  }

  private static HttpResponse<String> get(String url) {
    // A client of its own for each request, so that each makes a new connection.
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(
          HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void newConnectionsAreServedWhileTheNodeIsNotReady() throws Exception {
    origin.on("/a", TestOrigin.ok("cache-control: max-age=60\r\n", TestOrigin.ascii("body")));
    try (Edge edge = Edge.before(origin, directory)) {
      Await.until("ready", () -> get(edge.server().adminUrl() + "/readyz").statusCode() == 200);
      edge.server().beginLameDuck();
      HttpResponse<String> readiness = get(edge.server().adminUrl() + "/readyz");
      assertEquals(503, readiness.statusCode());
      assertTrue(readiness.body().contains("draining"));
      HttpResponse<String> answer = get(edge.url("/a"));
      assertEquals(200, answer.statusCode());
      assertEquals("body", answer.body());
      assertEquals(200, get(edge.server().adminUrl() + "/healthz").statusCode());

      int port = edge.port();
      edge.stop();
      assertThrows(
          ConnectException.class, () -> new Socket(InetAddress.getLoopbackAddress(), port).close());
    }
  }
}
