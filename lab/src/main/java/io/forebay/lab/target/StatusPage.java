package io.forebay.lab.target;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/** What programs answer about themselves on loopback. */
final class StatusPage {
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final long MAX_BYTES = 16L << 20;

  private static final HttpClient CLIENT =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(5))
          .build();

  private StatusPage() {}

  /** The text of a page. */
  static String get(int port, String path) throws IOException, InterruptedException {
    URI page = URI.create("http://127.0.0.1:" + port + path);
    HttpResponse<String> response =
        CLIENT.send(
            HttpRequest.newBuilder(page).timeout(LIMIT).build(),
            BodyHandlers.limiting(BodyHandlers.ofString(), MAX_BYTES));
    if (response.statusCode() != 200) {
      throw new IOException(page + " was answered with " + response.statusCode());
    }
    return response.body();
  }

  /** Whether a connection is taken on loopback. */
  static boolean isListening(int port) throws IOException {
    return isListening(TargetSpec.LOOPBACK, port);
  }

  static boolean isListening(InetAddress address, int port) throws IOException {
    try (Socket socket = new Socket(address, port)) {
      return socket.isConnected();
    } catch (ConnectException refused) {
      return false;
    }
  }
}
