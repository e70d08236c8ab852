package io.forebay.server.listen;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import org.jspecify.annotations.Nullable;

/**
 * A UDP relay between one client and a server that changes its source port, like a NAT that loses
 * its state.
 */
public final class ForgetfulNat implements AutoCloseable {

  private static final int BUFFER_BYTES = 4 << 20;

  private final InetSocketAddress server;
  private final DatagramSocket inside;
  private volatile @Nullable SocketAddress client;
  private volatile DatagramSocket outside;

  public ForgetfulNat(int serverPort) throws IOException {
    server = new InetSocketAddress(InetAddress.getLoopbackAddress(), serverPort);
    inside = open();
    outside = open();
    carry(
        inside,
        packet -> {
          client = packet.getSocketAddress();
          packet.setSocketAddress(server);
          outside.send(packet);
        });
    carry(outside, this::toClient);
  }

  private static DatagramSocket open() throws IOException {
    DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress());
    socket.setReceiveBufferSize(BUFFER_BYTES);
    return socket;
  }

  /** The port that the client is to take for the server's. */
  public int port() {
    return inside.getLocalPort();
  }

  /** What the server sends to where the client was until now is lost. */
  public void forget() throws IOException {
    DatagramSocket before = outside;
    DatagramSocket next = open();
    carry(next, this::toClient);
    outside = next;
    before.close();
  }

  private void toClient(DatagramPacket packet) throws IOException {
    packet.setSocketAddress(client);
    inside.send(packet);
  }

  private interface Hop {
    void pass(DatagramPacket packet) throws IOException;
  }

  private static void carry(DatagramSocket from, Hop hop) {
    Thread ignored =
        Thread.ofVirtual()
            .start(() -> {
              byte[] bytes = new byte[65_536];
              while (!from.isClosed()) {
                DatagramPacket packet = new DatagramPacket(bytes, bytes.length);
                try {
                  from.receive(packet);
                  hop.pass(packet);
                } catch (SocketException e) {
                  // One of the two was closed; what was under way between them is lost.
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              }
            });
  }

  @Override
  public void close() {
    inside.close();
    outside.close();
  }
}
