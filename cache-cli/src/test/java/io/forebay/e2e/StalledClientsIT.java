package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.RawClient.Response;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A stalled reader pins no region, and uses no more than its share of anything. */
@Tag("full")
@Tag("alone")
final class StalledClientsIT {
  private static final int STALLED = 2_000;
  private static final int CHURN = 128;
  private static final int CONNECTIONS_A_BACKLOG_TAKES = 100;
  private static final int MIB = 1 << 20;

  @TempDir Path directory;

  @Test
  void twoThousandClientsThatStopReadingHoldNothingBack() throws Exception {
    try (NginxOrigin origin = NginxOrigin.start(directory.resolve("nginx"));
        EdgeProcess edge =
            EdgeProcess.in(directory.resolve("edge"), origin.url())
                .memory("64MiB")
                // However busy the machine is, nothing is given back because somebody was closed.
                .config("timeouts:\n  no-progress: 1h\n")
                // Pools of buffers grow to what was once needed; leak detection would count too.
                .jvm("-Xmx512m")
                .start()) {
      Tree tree = origin.tree(13);
      // Large ones of which much is still to come, and small ones that are in their last chunk.
      List<Tree.Entry> wanted = new ArrayList<>();
      wanted.add(tree.write("/wanted/large", 12 * MIB));
      for (int i = 0; i < 8; i++) {
        wanted.add(tree.write("/wanted/" + i, 450_000));
      }
      for (Tree.Entry file : wanted) {
        file.assertSame(edge.get(file.path()));
      }
      Tree.Entry hot = tree.write("/hot", 50_000);
      hot.assertSame(edge.get(hot.path()));
      Await.until("nobody is connected", () -> gauge(edge, "forebay_connections") == 0);
      long descriptors = edge.descriptors();

      List<SocketChannel> stalled = new ArrayList<>();
      try {
        stall(stalled, edge, wanted);

        Await.until("no region is pinned", () -> gauge(edge, "forebay_store_pins") == 0);

        // Twice the memory tier goes through it: every region is wanted back at least once.
        for (int i = 0; i < CHURN; i++) {
          Tree.Entry file = tree.write("/churn/" + i, MIB);
          // The reclaimer may be late for some fills; a region with a leaked pin stays pinned.
          Await.until(file.path() + " is kept", () -> isHit(edge, file));
          hot.assertSame(edge.get(hot.path()));
        }
        Await.until("the hot one is kept", () -> isHit(edge, hot));
      } finally {
        for (SocketChannel client : stalled) {
          client.close();
        }
      }
      Await.until("all of them are gone", () -> gauge(edge, "forebay_connections") == 0);
      Await.until("no region is pinned", () -> gauge(edge, "forebay_store_pins") == 0);
      Await.until(
          "its descriptors are back where they were",
          // Connections to the origin may have come.
          () -> edge.descriptors() <= descriptors + 8);
      for (Tree.Entry file : wanted) {
        file.assertSame(edge.get(file.path()));
        file.assertSame(edge.get(file.path()));
      }
    }
  }

  /** Beyond the limit of private copies, the connections that have stalled longest are closed. */
  @Test
  void aSlowReaderIsNotThrownOutForThoseThatStall() throws Exception {
    try (NginxOrigin origin = NginxOrigin.start(directory.resolve("nginx"));
        EdgeProcess edge =
            EdgeProcess.in(directory.resolve("edge"), origin.url())
                .config("limits:\n  private-copies: 8MiB\n")
                .jvm("-Xmx512m")
                .start()) {
      Tree tree = origin.tree(15);
      Tree.Entry wanted = tree.write("/wanted", 24 * MIB);
      wanted.assertSame(edge.get(wanted.path()));
      List<SocketChannel> stalled = new ArrayList<>();
      stall(stalled, edge, List.of(wanted));
      try (SocketChannel slow = stall(edge.port(), wanted.path())) {
        ByteBuffer received = ByteBuffer.allocate(wanted.length() + 4096);
        for (int pause = 0; pause < 6; pause++) {
          // It pauses until the edge has put aside what it does not take. A quick client has up to
          // 1 MiB in the kernel and 1 MiB in a chunk, so after 3 MB there is a next chunk.
          double copies = edge.metrics().sum("forebay_private_copies_total");
          read(slow, received, 3_000_000);
          Await.until(
              "its next chunk is put aside",
              () -> edge.metrics().sum("forebay_private_copies_total") > copies);
        }
        int headLength = headLength(received);
        read(slow, received, headLength + wanted.length() - received.position());
        byte[] body = new byte[wanted.length()];
        received.get(headLength, body);
        assertEquals(wanted.sha256(), Curl.sha256(body));
      } finally {
        for (SocketChannel client : stalled) {
          client.close();
        }
      }
      assertTrue(
          edge.metrics().sum("forebay_responses_aborted_total") > 0, "others did have to go");
    }
  }

  @Test
  void aClientThatTakesNothingAtAllIsClosedAfterAWhile() throws Exception {
    try (NginxOrigin origin = NginxOrigin.start(directory.resolve("nginx"));
        EdgeProcess edge =
            EdgeProcess.in(directory.resolve("edge"), origin.url())
                .config("timeouts:\n  no-progress: 1s\n")
                .start()) {
      Tree.Entry file = origin.tree(14).write("/wanted", 30 * MIB);
      file.assertSame(edge.get(file.path()));
      try (SocketChannel client = stall(edge.port(), file.path())) {
        readStatus(client);
        Await.until(
            "it is closed",
            () -> edge.metrics().sum("forebay_stalled_connections_closed_total") >= 1);
        Await.until("it is gone", () -> gauge(edge, "forebay_connections") == 0);
        assertTrue(client.isOpen(), "it was not its own doing");
      }
      file.assertSame(edge.get(file.path()));
    }
  }

  /** Connects all of them, each for one of the files in turn. */
  private static void stall(List<SocketChannel> into, EdgeProcess edge, List<Tree.Entry> files)
      throws Exception {
    double accepted = edge.metrics().sum("forebay_connections_accepted_total");
    for (int i = 1; i <= STALLED; i++) {
      into.add(stall(edge.port(), files.get(i % files.size()).path()));
      if (i % CONNECTIONS_A_BACKLOG_TAKES == 0) {
        double expected = accepted + i;
        Await.until(
            "the edge has taken them",
            () -> edge.metrics().sum("forebay_connections_accepted_total") >= expected);
      }
    }
    int answered = 0;
    for (SocketChannel client : into) {
      answered += readStatus(client) ? 1 : 0;
    }
    assertTrue(answered > 0, "some hold on");
    System.out.println(STALLED + " stalled clients, " + answered + " still connected");
  }

  private static SocketChannel stall(int port, String path) throws IOException {
    SocketChannel client = SocketChannel.open();
    client.setOption(StandardSocketOptions.SO_RCVBUF, 4096);
    client.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    client.write(
        ByteBuffer.wrap(
            ("GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + port + "\r\n\r\n")
                .getBytes(StandardCharsets.ISO_8859_1)));
    return client;
  }

  /**
   * Reads a dozen bytes, enough to know that the answer has begun, and no more.
   *
   * @return false when the edge had too many of its kind and broke it off
   */
  private static boolean readStatus(SocketChannel client) {
    ByteBuffer start = ByteBuffer.allocate("HTTP/1.1 200".length());
    try {
      while (start.hasRemaining()) {
        if (client.read(start) < 0) {
          return false;
        }
      }
    } catch (IOException reset) {
      return false;
    }
    assertEquals("HTTP/1.1 200", new String(start.array(), StandardCharsets.ISO_8859_1));
    return true;
  }

  private static void read(SocketChannel client, ByteBuffer into, int length) throws IOException {
    int end = into.position() + length;
    while (into.position() < end) {
      ByteBuffer part = into.slice(into.position(), end - into.position());
      if (client.read(part) < 0) {
        throw new EOFException("broken off after " + into.position());
      }
      into.position(into.position() + part.position());
    }
  }

  private static boolean isHit(EdgeProcess edge, Tree.Entry file) throws Exception {
    Response response = edge.get(file.path());
    file.assertSame(response);
    return response.isFromCache();
  }

  private static int headLength(ByteBuffer received) {
    byte[] start = new byte[4096];
    received.get(0, start);
    return new String(start, StandardCharsets.ISO_8859_1).indexOf("\r\n\r\n") + 4;
  }

  private static double gauge(EdgeProcess edge, String name) throws Exception {
    return edge.metrics().sum(name);
  }
}
