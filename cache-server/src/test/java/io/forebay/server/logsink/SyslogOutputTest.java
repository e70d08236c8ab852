package io.forebay.server.logsink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.LogConfig;
import io.forebay.testing.Await;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.Socket;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Over sockets, with receivers of the test. */
@Timeout(60)
final class SyslogOutputTest {
  private static final long NOW = 1_772_600_767_089L;
  private static final String HEADER =
      "<142>1 2026-03-04T05:06:07.089Z "
          + SyslogHeader.hostName()
          + " edge "
          + ProcessHandle.current().pid()
          + " - - ";

  @TempDir Path directory;

  private static LogOutput open(String output) throws IOException {
    return Objects.requireNonNull(
        LogOutputs.open(
            "access-log",
            output,
            LogConfig.Rotation.OFF,
            new LogConfig.Syslog(17, "edge"),
            false,
            () -> NOW));
  }

  private static ByteBuffer lines(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Writes all, however often the receiver is not ready. */
  private static void write(LogOutput output, String text) {
    ByteBuffer lines = lines(text);
    Await.until("all is taken", () -> output.write(lines));
    assertFalse(lines.hasRemaining());
  }

  @Test
  void overUdpEachLineIsADatagram() throws IOException {
    try (DatagramSocket receiver = new DatagramSocket(0, InetAddress.getLoopbackAddress());
        LogOutput output = open("syslog+udp://127.0.0.1:" + receiver.getLocalPort())) {
      write(output, "{\"a\":1}\n{\"a\":\"é\"}\n");
      for (String expected : List.of("{\"a\":1}", "{\"a\":\"é\"}")) {
        DatagramPacket packet = new DatagramPacket(new byte[2000], 2000);
        receiver.receive(packet);
        assertEquals(
            HEADER + expected,
            new String(packet.getData(), 0, packet.getLength(), StandardCharsets.UTF_8));
      }
      write(output, "x".repeat(70_000) + "\ny\n");
      assertEquals(1, output.lost());
      DatagramPacket packet = new DatagramPacket(new byte[2000], 2000);
      receiver.receive(packet);
      assertEquals(HEADER.length() + 1, packet.getLength());
    }
  }

  @Test
  void overUdpNobodyThereIsNoReasonToStop() throws IOException {
    int port;
    try (DatagramSocket free = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    try (LogOutput output = open("syslog+udp://127.0.0.1:" + port)) {
      for (int i = 0; i < 100; i++) {
        write(output, i + "\n");
      }
    }
  }

  @Test
  void overTcpMessagesStandBehindTheirLengths() throws IOException {
    try (ServerSocket receiver = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        LogOutput output = open("syslog+tcp://127.0.0.1:" + receiver.getLocalPort())) {
      write(output, "one\ntwo\n");
      try (java.net.Socket connection = receiver.accept()) {
        InputStream in = connection.getInputStream();
        assertEquals(HEADER + "one", message(in));
        assertEquals(HEADER + "two", message(in));
      }
    }
  }

  @Test
  void overTcpALineWaitsUntilTheReceiverIsThereAgain() throws IOException {
    ServerSocket receiver = new ServerSocket();
    receiver.setReuseAddress(true);
    receiver.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    int port = receiver.getLocalPort();
    try (LogOutput output = open("syslog+tcp://127.0.0.1:" + port)) {
      write(output, "one\n");
      try (java.net.Socket connection = receiver.accept()) {
        assertEquals(HEADER + "one", message(connection.getInputStream()));
        receiver.close();
        connection.setSoLinger(true, 0);
      }
      ByteBuffer lines = lines("two\n");
      Await.until("the end of the connection is seen", () -> !output.write(lines));
      assertEquals(0, lines.position());
      try (ServerSocket again = new ServerSocket()) {
        again.setReuseAddress(true);
        again.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        Await.until("the line is taken", () -> output.write(lines));
        try (java.net.Socket connection = again.accept()) {
          assertEquals(HEADER + "two", message(connection.getInputStream()));
        }
      }
    } finally {
      receiver.close();
    }
  }

  @Test
  void overTcpAReceiverThatReadsNothingIsWaitedForWithoutBlocking() throws IOException {
    try (ServerSocket receiver = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        LogOutput output = open("syslog+tcp://127.0.0.1:" + receiver.getLocalPort())) {
      String line = "x".repeat(8000) + "\n";
      ByteBuffer lines = lines(line);
      Await.until("connected", () -> output.write(lines));
      int sent = 1;
      boolean isTaken = true;
      try (java.net.Socket connection = receiver.accept()) {
        while (isTaken && sent < 100_000) {
          isTaken = output.write(lines(line));
          sent += isTaken ? 1 : 0;
        }
        assertFalse(isTaken, "the kernel takes without end");
        InputStream in = connection.getInputStream();
        for (int i = 0; i < sent; i++) {
          assertEquals(HEADER.length() + 8000, message(in).length());
        }
        // The one that was taken in part is still the one that is being sent.
        write(output, line);
        assertEquals(HEADER.length() + 8000, message(in).length());
      }
    }
  }

  @Test
  void overAUnixSocketEachLineIsADatagram() throws IOException {
    Path path = directory.resolve("log");
    try (LogOutput output = open("syslog+unix:" + path)) {
      ByteBuffer early = lines("early\n");
      assertFalse(output.write(early), "nobody is there");
      Socket receiver = Socket.newSocketDomainDgram();
      try {
        receiver.bind(new DomainSocketAddress(path.toString()));
        Await.until("the line is taken", () -> output.write(early));
        assertEquals(HEADER + "early", received(receiver));
        write(output, "one\ntwo\n");
        assertEquals(HEADER + "one", received(receiver));
        assertEquals(HEADER + "two", received(receiver));
        // A receiver that does not read: the writer is told, and nothing is lost.
        int taken = 0;
        ByteBuffer waiting = lines("0\n");
        while (taken < 100_000 && output.write(waiting)) {
          taken++;
          waiting = lines(taken + "\n");
        }
        assertTrue(taken < 100_000, "the kernel takes without end");
        List<String> all = new ArrayList<>();
        for (int i = 0; i < taken; i++) {
          all.add(received(receiver).substring(HEADER.length()));
        }
        assertEquals("0", all.getFirst());
        assertEquals(Integer.toString(taken - 1), all.getLast());
        ByteBuffer last = waiting;
        Await.until("the line is taken", () -> output.write(last));
        assertEquals(HEADER + taken, received(receiver));
      } finally {
        receiver.close();
      }
      Files.delete(path);
      assertFalse(output.write(lines("late\n")));
      Socket another = Socket.newSocketDomainDgram();
      try {
        another.bind(new DomainSocketAddress(path.toString()));
        write(output, "late\n");
        assertEquals(HEADER + "late", received(another));
      } finally {
        another.close();
      }
    }
  }

  private static String received(Socket receiver) {
    ByteBuffer packet = ByteBuffer.allocateDirect(4096);
    int[] length = new int[1];
    Await.until(
        "a datagram",
        () -> {
          length[0] = receiver.read(packet, 0, packet.capacity());
          return length[0] > 0;
        });
    byte[] bytes = new byte[length[0]];
    packet.get(0, bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static String message(InputStream in) throws IOException {
    int length = 0;
    for (int c = in.read(); c != ' '; c = in.read()) {
      assertTrue(c >= '0' && c <= '9', "no length");
      length = length * 10 + c - '0';
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.writeBytes(in.readNBytes(length));
    return bytes.toString(StandardCharsets.UTF_8);
  }
}
