package io.forebay.testing;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Free loopback ports below those that the kernel gives to outgoing connections, from another range
 * in each fork that runs tests at the same time.
 */
public final class Ports {
  private static final int COUNT = 1_500;
  private static final int FIRST = 15_000 + Integer.getInteger("forebay.test.fork", 0) % 10 * COUNT;
  private static final AtomicInteger NEXT =
      new AtomicInteger(ThreadLocalRandom.current().nextInt(COUNT));

  private Ports() {}

  /** A port that nothing listens on now. */
  public static int free() throws IOException {
    for (int attempt = 0; attempt < COUNT; attempt++) {
      int port = FIRST + Math.floorMod(NEXT.getAndIncrement(), COUNT);
      try (ServerSocket socket = new ServerSocket()) {
        socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        return port;
      } catch (IOException taken) {
        // the next one
      }
    }
    throw new IOException("no free port");
  }

  /** Whether a connection to the port on loopback is taken. */
  public static boolean isListening(int port) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (ConnectException refused) {
      return false;
    }
  }
}
