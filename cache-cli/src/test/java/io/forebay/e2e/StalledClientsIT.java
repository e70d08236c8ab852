package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A stalled reader holds no region, and no more of anything than its share. */
final class StalledClientsIT {
  private static final int STALLED = 2_000;
  private static final int CONNECTIONS_A_BACKLOG_TAKES = 100;
  private static final int MIB = 1 << 20;

  @TempDir Path directory;

  @Test
  void twoThousandClientsThatStopReadingHoldNothingBack() throws Exception {
    try (NginxOrigin origin = NginxOrigin.start(directory.resolve("nginx"));
        EdgeProcess edge =
            EdgeProcess.in(directory.resolve("edge"), origin.url())
                .memory("64MiB")
                // Pools of buffers grow to what was once needed; leak detection would count too.
                .jvm("-Xmx512m")
                .start()) {
      Tree tree = origin.tree(13);
      Tree.Entry wanted = tree.write("/wanted", 12 * MIB);
      wanted.assertSame(edge.get(wanted.path()));
      Tree.Entry hot = tree.write("/hot", 50_000);
      hot.assertSame(edge.get(hot.path()));
      Await.until("nobody is connected", () -> gauge(edge, "forebay_connections") == 0);
      long descriptors = edge.descriptors();
      double unstored = unstored(edge);

      List<SocketChannel> stalled = new ArrayList<>();
      try {
        for (int i = 0; i < STALLED; i++) {
          stalled.add(stall(edge.port(), wanted.path()));
          if (i % CONNECTIONS_A_BACKLOG_TAKES == 0) {
            int expected = i;
            Await.until(
                "the edge has taken them", () -> gauge(edge, "forebay_connections") >= expected);
          }
        }
        for (SocketChannel client : stalled) {
          readStatus(client);
        }
        assertEquals(STALLED, gauge(edge, "forebay_connections"));

        // Twice the memory tier goes through it: every region is wanted back at least once.
        for (int i = 0; i < 128; i++) {
          Tree.Entry file = tree.write("/churn/" + i, MIB);
          file.assertSame(edge.get(file.path()));
          Response again = edge.get(file.path());
          file.assertSame(again);
          assertTrue(again.isHit(), () -> "it found room: " + again);
          Response hit = edge.get(hot.path());
          hot.assertSame(hit);
        }
        assertEquals(unstored, unstored(edge), "every fill found a region");
        assertTrue(edge.get(hot.path()).isHit());
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
      wanted.assertSame(edge.get(wanted.path()));
      wanted.assertSame(edge.get(wanted.path()));
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
        Await.until("it is closed", () -> edge.metrics().sum("forebay_stalled_closed_total") >= 1);
        Await.until("it is gone", () -> gauge(edge, "forebay_connections") == 0);
        assertTrue(client.isOpen(), "it was not its own doing");
      }
      file.assertSame(edge.get(file.path()));
    }
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

  /** Reads a dozen bytes, enough to know that the answer has begun, and no more. */
  private static void readStatus(SocketChannel client) throws IOException {
    ByteBuffer start = ByteBuffer.allocate("HTTP/1.1 200".length());
    while (start.hasRemaining()) {
      if (client.read(start) < 0) {
        throw new EOFException("closed before an answer");
      }
    }
    assertEquals("HTTP/1.1 200", new String(start.array(), StandardCharsets.ISO_8859_1));
  }

  private static double unstored(EdgeProcess edge) throws Exception {
    return edge.metrics().sum("forebay_fills_ended_total", "outcome=\"unstored\"");
  }

  private static double gauge(EdgeProcess edge, String name) throws Exception {
    return edge.metrics().sum(name);
  }
}
