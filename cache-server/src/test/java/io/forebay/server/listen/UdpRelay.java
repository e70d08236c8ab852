package io.forebay.server.listen;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/** Stands between a client and a server like a NAT, which may give the client another port. */
final class UdpRelay implements AutoCloseable {

  private static final int PACKET_BYTES = 2048;

  private final InetSocketAddress server;
  private final DatagramSocket front;
  private volatile DatagramSocket back;
  private volatile @Nullable SocketAddress client;

  UdpRelay(int serverPort) throws IOException {
    server = new InetSocketAddress(InetAddress.getLoopbackAddress(), serverPort);
    front = socket();
    back = socket();
    Thread.ofVirtual().start(this::toServer);
    startToClient();
  }

  private static DatagramSocket socket() throws IOException {
    return new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
  }

  int port() {
    return front.getLocalPort();
  }

  /** From now on the server sees another port; what it still sends to the old one is lost. */
  void changeAddress() throws IOException {
    DatagramSocket old = back;
    back = socket();
    old.close();
    startToClient();
  }

  private void startToClient() {
    DatagramSocket from = back;
    Thread.ofVirtual().start(() -> toClient(from));
  }

  private void toServer() {
    DatagramPacket packet = new DatagramPacket(new byte[PACKET_BYTES], PACKET_BYTES);
    while (!front.isClosed()) {
      try {
        packet.setLength(PACKET_BYTES);
        front.receive(packet);
        client = packet.getSocketAddress();
        packet.setSocketAddress(server);
        back.send(packet);
      } catch (IOException e) {
        // Lost, as packets are.
        continue;
      }
    }
  }

  private void toClient(DatagramSocket from) {
    DatagramPacket packet = new DatagramPacket(new byte[PACKET_BYTES], PACKET_BYTES);
    while (!from.isClosed()) {
      try {
        packet.setLength(PACKET_BYTES);
        from.receive(packet);
        packet.setSocketAddress(client);
        front.send(packet);
      } catch (IOException e) {
        continue;
      }
    }
  }

  @Override
  public void close() {
    front.close();
    back.close();
  }
}
