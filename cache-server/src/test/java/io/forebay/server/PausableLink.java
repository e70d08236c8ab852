package io.forebay.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A port that leads to another one of loopback, until it is paused: then it takes bytes and
 * connections, and passes nothing on.
 */
final class PausableLink implements AutoCloseable {
  private final ServerSocket listener;
  private final int target;
  private final Queue<Socket> sockets = new ConcurrentLinkedQueue<>();
  private final AtomicLong answers = new AtomicLong();
  private volatile boolean isPaused;

  PausableLink(int target) throws IOException {
    this.target = target;
    this.listener = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::accept);
  }

  int port() {
    return listener.getLocalPort();
  }

  /** How often bytes have come from the other port. */
  long answers() {
    return answers.get();
  }

  void pause() {
    isPaused = true;
  }

  private void accept() {
    while (true) {
      try {
        Socket client = listener.accept();
        sockets.add(client);
        Socket server = new Socket();
        sockets.add(server);
        server.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), target));
        Thread.ofVirtual().start(() -> pass(client, server, new AtomicLong()));
        Thread.ofVirtual().start(() -> pass(server, client, answers));
      } catch (SocketException e) {
        if (listener.isClosed()) {
          return;
        }
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private void pass(Socket from, Socket to, AtomicLong count) {
    try (from;
        to;
        InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream()) {
      byte[] bytes = new byte[1 << 14];
      for (int read = in.read(bytes); read >= 0; read = in.read(bytes)) {
        count.incrementAndGet();
        if (!isPaused) {
          out.write(bytes, 0, read);
        }
      }
    } catch (IOException e) {
      // One of the two has ended the connection.
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
