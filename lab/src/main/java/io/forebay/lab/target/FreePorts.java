package io.forebay.lab.target;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Ports that nothing listens on, below those that the kernel gives to outgoing connections: a
 * client under load cannot take one before its server has it.
 */
final class FreePorts {
  private static final int FIRST = 10_000;
  private static final int COUNT = 5_000;

  private static final AtomicInteger NEXT =
      new AtomicInteger(ThreadLocalRandom.current().nextInt(COUNT));

  private FreePorts() {}

  /** A port of loopback. */
  static int take() throws IOException {
    return take(TargetSpec.LOOPBACK);
  }

  /** Free for TCP and for UDP, and another one each time. */
  static int take(InetAddress address) throws IOException {
    for (int attempt = 0; attempt < COUNT; attempt++) {
      int port = FIRST + Math.floorMod(NEXT.getAndIncrement(), COUNT);
      if (isFree(address, port)) {
        return port;
      }
    }
    throw new IOException("no port is free from " + FIRST + " to " + (FIRST + COUNT - 1));
  }

  private static boolean isFree(InetAddress address, int port) {
    try (ServerSocket tcp = new ServerSocket(port, 1, address);
        DatagramSocket udp = new DatagramSocket(port, address)) {
      return tcp.isBound() && udp.isBound();
    } catch (IOException taken) {
      return false;
    }
  }
}
