package io.forebay.testing;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Free loopback ports below those that the kernel gives to outgoing connections.
 *
 * <p>Each process that runs tests has a block of ports of its own, so that none takes a port that
 * another one has found free and not bound yet. Who listens on the first port of a block owns it
 * until the process ends.
 */
public final class Ports {
  private static final int FIRST = 15_000;
  private static final int BLOCKS = 34;
  private static final int BLOCK_PORTS = 500;

  private static final ServerSocket CLAIM = claim();
  private static final AtomicInteger NEXT =
      new AtomicInteger(ThreadLocalRandom.current().nextInt(BLOCK_PORTS - 1));

  private Ports() {}

  private static ServerSocket claim() {
    int begin = ThreadLocalRandom.current().nextInt(BLOCKS);
    for (int i = 0; i < BLOCKS; i++) {
      try {
        return listen(FIRST + (begin + i) % BLOCKS * BLOCK_PORTS);
      } catch (IOException taken) {
        // the next one
      }
    }
    throw new IllegalStateException(BLOCKS + " processes run tests on this machine");
  }

  private static ServerSocket listen(int port) throws IOException {
    return new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
  }

  /** A port that nothing listens on now. */
  public static int free() throws IOException {
    for (int attempt = 1; attempt < BLOCK_PORTS; attempt++) {
      int port = CLAIM.getLocalPort() + 1 + Math.floorMod(NEXT.getAndIncrement(), BLOCK_PORTS - 1);
      try (ServerSocket socket = listen(port)) {
        return socket.getLocalPort();
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
