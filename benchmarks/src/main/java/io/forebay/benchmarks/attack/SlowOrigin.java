package io.forebay.benchmarks.attack;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * An origin whose {@code /slow} paths answer after a while, that takes every offer of a WebSocket
 * and leaves it open, and answers all else at once, not to be stored.
 */
final class SlowOrigin implements AutoCloseable {

  /** The key that clients of this lab send, and its proof (RFC 6455 §1.3). */
  static final String KEY = "dGhlIHNhbXBsZSBub25jZQ==";

  private static final String PROOF = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

  private final ServerSocket socket;
  private final int slowSeconds;

  SlowOrigin(int slowSeconds) throws IOException {
    this.slowSeconds = slowSeconds;
    socket = new ServerSocket(0, 4096, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}));
    Thread.ofVirtual().start(this::accept);
  }

  int port() {
    return socket.getLocalPort();
  }

  private void accept() {
    while (!socket.isClosed()) {
      try {
        Socket client = socket.accept();
        Thread.ofVirtual().start(() -> serve(client));
      } catch (IOException closed) {
        return;
      }
    }
  }

  private void serve(Socket client) {
    try (client) {
      BufferedReader in =
          new BufferedReader(
              new InputStreamReader(client.getInputStream(), StandardCharsets.ISO_8859_1));
      for (String target = in.readLine(); target != null; target = in.readLine()) {
        boolean isOffer = false;
        for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
          isOffer |= line.toLowerCase(Locale.ROOT).startsWith("upgrade:");
        }
        if (isOffer) {
          send(
              client,
              "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n"
                  + "Sec-WebSocket-Accept: "
                  + PROOF
                  + "\r\n\r\n");
          // Open until the other side has enough.
          while (in.read() >= 0) {}
          return;
        }
        if (target.contains("/slow")) {
          TimeUnit.SECONDS.sleep(slowSeconds);
        }
        String kept = target.contains("/hit") ? "max-age=86400" : "no-store";
        send(
            client,
            "HTTP/1.1 200 OK\r\nCache-Control: " + kept + "\r\nContent-Length: 2\r\n\r\nok");
      }
    } catch (IOException gone) {
      return;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void send(Socket client, String text) throws IOException {
    client.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new IllegalStateException("a listening socket closes", e);
    }
  }
}
