package io.forebay.server.origin.dns;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * A name server on a loopback address that answers with the records of a script, over TCP if they
 * are more than a datagram holds, and NXDOMAIN for names that it does not have.
 */
final class ScriptedNameServer implements AutoCloseable {
  static final int A = 1;
  static final int CNAME = 5;
  static final int AAAA = 28;
  static final int SRV = 33;
  private static final int MAX_DATAGRAM = 512;
  private static final int TRUNCATED = 0x0200;

  /** Types and names that were asked for, such as {@code 33 _http._tcp.a.test}. */
  final List<String> questions = new CopyOnWriteArrayList<>();

  private final Map<String, List<Rec>> records = new ConcurrentHashMap<>();
  private final DatagramSocket datagrams;
  private final ServerSocket connections;

  private static final class Rec {
    final int type;
    final int ttlSeconds;
    final byte[] data;

    Rec(int type, int ttlSeconds, byte[] data) {
      this.type = type;
      this.ttlSeconds = ttlSeconds;
      this.data = data;
    }
  }

  ScriptedNameServer() throws IOException {
    InetAddress loopback = InetAddress.getLoopbackAddress();
    ServerSocket tcp = new ServerSocket(0, 50, loopback);
    DatagramSocket udp = bind(loopback, tcp.getLocalPort());
    while (udp == null) {
      tcp.close();
      tcp = new ServerSocket(0, 50, loopback);
      udp = bind(loopback, tcp.getLocalPort());
    }
    datagrams = udp;
    connections = tcp;
    Thread.ofVirtual().start(this::receive);
    Thread.ofVirtual().start(this::accept);
  }

  /** Null if another process has the port for datagrams. */
  private static @Nullable DatagramSocket bind(InetAddress address, int port) {
    try {
      return new DatagramSocket(new InetSocketAddress(address, port));
    } catch (SocketException e) {
      return null;
    }
  }

  InetSocketAddress address() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), datagrams.getLocalPort());
  }

  ScriptedNameServer add(String name, int type, int ttlSeconds, byte[] data) {
    records
        .computeIfAbsent(name, key -> new CopyOnWriteArrayList<>())
        .add(new Rec(type, ttlSeconds, data));
    return this;
  }

  ScriptedNameServer address(String name, int ttlSeconds, String address) throws IOException {
    byte[] data = InetAddress.getByName(address).getAddress();
    return add(name, data.length == 4 ? A : AAAA, ttlSeconds, data);
  }

  ScriptedNameServer service(
      String name, int ttlSeconds, int priority, int weight, int port, String target) {
    return add(name, SRV, ttlSeconds, service(priority, weight, port, name(target)));
  }

  /** The data of an SRV record. */
  static byte[] service(int priority, int weight, int port, byte[] target) {
    return bytes(out -> {
      out.writeShort(priority);
      out.writeShort(weight);
      out.writeShort(port);
      out.write(target);
    });
  }

  /** A name as messages have it. */
  static byte[] name(String name) {
    return bytes(out -> {
      for (String label : name.split("\\.", -1)) {
        byte[] text = label.getBytes(StandardCharsets.ISO_8859_1);
        out.writeByte(text.length);
        out.write(text);
      }
      if (!name.isEmpty()) {
        out.writeByte(0);
      }
    });
  }

  void forget(String name) {
    records.remove(name);
  }

  private void receive() {
    byte[] buffer = new byte[1500];
    while (!datagrams.isClosed()) {
      try {
        DatagramPacket packet = new DatagramPacket(buffer, buffer.length);
        datagrams.receive(packet);
        byte[] answer = answer(buffer, false);
        if (answer.length > MAX_DATAGRAM) {
          answer = answer(buffer, true);
        }
        datagrams.send(new DatagramPacket(answer, answer.length, packet.getSocketAddress()));
      } catch (IOException e) {
        return;
      }
    }
  }

  private void accept() {
    while (!connections.isClosed()) {
      try (Socket socket = connections.accept()) {
        DataInputStream in = new DataInputStream(socket.getInputStream());
        byte[] query = in.readNBytes(in.readUnsignedShort());
        byte[] answer = answer(query, false);
        DataOutputStream out = new DataOutputStream(socket.getOutputStream());
        out.writeShort(answer.length);
        out.write(answer);
        out.flush();
        in.read();
      } catch (IOException e) {
        if (connections.isClosed()) {
          return;
        }
      }
    }
  }

  /**
   * One answer:
   *
   * <pre>
   *   id 2 | flags 2 | counts 2 2 2 2 | question | (pointer 2 type 2 class 2 ttl 4 length 2 data)*
   * </pre>
   */
  private byte[] answer(byte[] query, boolean isTruncated) {
    List<String> labels = new ArrayList<>();
    int at = 12;
    while (query[at] != 0) {
      labels.add(new String(query, at + 1, query[at], StandardCharsets.US_ASCII));
      at += query[at] + 1;
    }
    int type = query[at + 2];
    int end = at + 5;
    String name = String.join(".", labels).toLowerCase(Locale.ROOT);
    questions.add(type + " " + name);
    List<Rec> known = records.get(name);
    List<Rec> wanted =
        known == null || isTruncated
            ? List.of()
            : known.stream().filter(rec -> rec.type == type || rec.type == CNAME).toList();
    return bytes(out -> {
      out.write(query, 0, 2);
      out.writeShort(0x8180 | (known == null ? 3 : 0) | (isTruncated ? TRUNCATED : 0));
      out.writeShort(1);
      out.writeShort(wanted.size());
      out.writeInt(0);
      out.write(query, 12, end - 12);
      for (Rec rec : wanted) {
        out.writeShort(0xc00c);
        out.writeShort(rec.type);
        out.writeShort(1);
        out.writeInt(rec.ttlSeconds);
        out.writeShort(rec.data.length);
        out.write(rec.data);
      }
    });
  }

  private interface Writing {
    void to(DataOutputStream out) throws IOException;
  }

  private static byte[] bytes(Writing writing) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try {
      writing.to(new DataOutputStream(bytes));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  @Override
  public void close() throws IOException {
    datagrams.close();
    connections.close();
  }
}
