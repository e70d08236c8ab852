package io.forebay.lab.target;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Ports of loopback that nothing listens on, below those that the kernel gives to outgoing
 * connections: a client under load cannot take one before its server has it.
 */
final class FreePorts {
  private static final int FIRST = 10_000;
  private static final int COUNT = 5_000;

  private static final AtomicInteger NEXT =
      new AtomicInteger(ThreadLocalRandom.current().nextInt(COUNT));

  private FreePorts() {}

  /** Free for TCP and for UDP, and another one each time. */
  static int take() throws IOException {
    for (int attempt = 0; attempt < COUNT; attempt++) {
      int port = FIRST + Math.floorMod(NEXT.getAndIncrement(), COUNT);
      if (isFree(port)) {
        return port;
      }
    }
    throw new IOException("no port is free from " + FIRST + " to " + (FIRST + COUNT - 1));
  }

  private static boolean isFree(int port) {
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    try (ServerSocket tcp = new ServerSocket(port, 1, address.getAddress());
        DatagramSocket udp = new DatagramSocket(address)) {
      return tcp.isBound() && udp.isBound();
    } catch (IOException taken) {
      return false;
    }
  }
}
