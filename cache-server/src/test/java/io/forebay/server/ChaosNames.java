package io.forebay.server;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;

/** A name server that gives one answer to every question, until it is told another one. */
final class ChaosNames implements AutoCloseable {
  private static final int SERVFAIL = 2;
  private static final int TYPE_A = 1;

  /**
   * What is answered.
   *
   * @param rcode of DNS; negative for no answer at all
   */
  record Answer(int rcode, List<String> addresses) {
    static final Answer EMPTY = new Answer(0, List.of());
    static final Answer FAILURE = new Answer(SERVFAIL, List.of());
    static final Answer SILENCE = new Answer(-1, List.of());

    static Answer of(String... addresses) {
      return new Answer(0, List.of(addresses));
    }
  }

  private final DatagramSocket socket;
  private volatile Answer answer;

  ChaosNames(Answer first) throws IOException {
    answer = first;
    socket = new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    Thread.ofVirtual().start(this::run);
  }

  InetSocketAddress address() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), socket.getLocalPort());
  }

  void answer(Answer next) {
    answer = next;
  }

  private void run() {
    byte[] query = new byte[1500];
    while (!socket.isClosed()) {
      try {
        DatagramPacket packet = new DatagramPacket(query, query.length);
        socket.receive(packet);
        Answer now = answer;
        if (now.rcode >= 0) {
          byte[] reply = reply(query, now);
          socket.send(new DatagramPacket(reply, reply.length, packet.getSocketAddress()));
        }
      } catch (IOException e) {
        // The test is over.
      }
    }
  }

  /**
   * One reply, with a TTL of a second:
   *
   * <pre>
   *   id 2 | flags 2 | counts 2 2 2 2 | question | (pointer 2 type 2 class 2 ttl 4 length 2 data)*
   * </pre>
   */
  private static byte[] reply(byte[] query, Answer now) throws IOException {
    int at = 12;
    while (query[at] != 0) {
      at += query[at] + 1;
    }
    List<String> addresses = query[at + 2] == TYPE_A ? now.addresses : List.of();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.write(query, 0, 2);
    out.writeShort(0x8180 | now.rcode);
    out.writeShort(1);
    out.writeShort(addresses.size());
    out.writeInt(0);
    out.write(query, 12, at + 5 - 12);
    for (String address : addresses) {
      out.writeShort(0xc00c);
      out.writeShort(TYPE_A);
      out.writeShort(1);
      out.writeInt(1);
      out.writeShort(4);
      out.write(InetAddress.getByName(address).getAddress());
    }
    return bytes.toByteArray();
  }

  @Override
  public void close() {
    socket.close();
  }
}
