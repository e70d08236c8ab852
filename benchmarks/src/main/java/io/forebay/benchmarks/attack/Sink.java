package io.forebay.benchmarks.attack;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/**
 * Takes connections and throws away what they bring. What attackers cost that talk to this is what
 * the programs cost themselves.
 */
final class Sink implements AutoCloseable {

  private static final int BACKLOG = 4096;

  private final Selector selector;
  private final ServerSocketChannel server;
  private final ByteBuffer into = ByteBuffer.allocateDirect(64 * 1024);

  Sink() throws IOException {
    selector = Selector.open();
    server = ServerSocketChannel.open();
    server.bind(new InetSocketAddress(loopback(), 0), BACKLOG);
    server.configureBlocking(false);
    server.register(selector, SelectionKey.OP_ACCEPT);
    Thread.ofPlatform().daemon().name("sink").start(this::run);
  }

  private static InetAddress loopback() throws IOException {
    byte[] address = new byte[16];
    address[15] = 1;
    return InetAddress.getByAddress(address);
  }

  String address() throws IOException {
    return "[::1]:" + ((InetSocketAddress) server.getLocalAddress()).getPort();
  }

  private void run() {
    try {
      while (selector.isOpen()) {
        selector.select(this::serve);
      }
    } catch (IOException | java.nio.channels.ClosedSelectorException closed) {
      // Over.
      return;
    }
  }

  private void serve(SelectionKey key) {
    try {
      if (key.isAcceptable()) {
        SocketChannel client = server.accept();
        if (client != null) {
          client.configureBlocking(false);
          client.register(selector, SelectionKey.OP_READ);
        }
      } else if (((SocketChannel) key.channel()).read(into.clear()) < 0) {
        key.channel().close();
      }
    } catch (IOException gone) {
      key.cancel();
    }
  }

  @Override
  public void close() throws IOException {
    for (SelectionKey key : selector.keys()) {
      key.channel().close();
    }
    selector.close();
  }
}
