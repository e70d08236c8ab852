package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.PathOrigin;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** S17: resources after clients half-close or reset connections. */
@Tag("full")
@Tag("alone")
final class GoneClientsIT {
  private static final int CONNECTIONS = 10_000;

  /** Those that go last stay half-closed until so many have come after them. */
  private static final int HELD = 1_000;

  private static final int BODY = 3 << 20;
  private static final long KIB_MORE = 64 * 1024;

  @TempDir Path directory;

  /** How a client goes: what it has said by then, and whether by a reset. */
  private record Way(String said, boolean isReset) {}

  private static List<Way> ways() {
    String hit = "GET /hit HTTP/1.1\r\nHost: a\r\n\r\n";
    List<Way> ways = new ArrayList<>();
    for (boolean isReset : new boolean[] {false, true}) {
      ways.add(new Way("", isReset));
      ways.add(new Way("GET /half", isReset));
      // A body of which most is still to be sent when it goes.
      ways.add(new Way(hit, isReset));
      ways.add(new Way(hit + hit + hit, isReset));
      ways.add(
          new Way("POST /post HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nhalf", isReset));
    }
    return ways;
  }

  @Test
  void s17TenThousandThatHalfCloseOrResetLeaveNothingBehind() throws Exception {
    try (PathOrigin origin = PathOrigin.start();
        EdgeProcess edge =
            EdgeProcess.in(directory.resolve("edge"), origin.url())
                .config(
                    "timeouts: {request-header: 2s, no-progress: 2s, request-body-idle: 2s}\n"
                        // A machine that is busy with other tests turns nobody away.
                        + "overload: {delay: 0s}\n")
                // Pools of buffers grow to what was once needed; leak detection would count too.
                .jvm("-Xmx256m")
                .start()) {
      byte[] body = new byte[BODY];
      Arrays.fill(body, (byte) 'h');
      origin.on("/hit", exchange -> exchange.respond(200, "Cache-Control: max-age=3600\r\n", body));
      assertEquals(200, edge.get("/hit").status());
      // Once as a rehearsal, so that what is made for the first of a kind is there.
      go(edge, 2_000);
      settle(edge);
      long descriptors = edge.descriptors();
      long rss = edge.rssKib();

      go(edge, CONNECTIONS);
      settle(edge);
      Await.until("its descriptors are back", () -> edge.descriptors() <= descriptors + 8);
      long after = edge.rssKib();
      assertTrue(after <= rss + KIB_MORE, rss + " KiB before, " + after + " after");
      Response response = edge.get("/hit");
      assertTrue(response.isFromCache(), response::toString);
      assertEquals(BODY, response.body().length);
    }
  }

  private static void settle(EdgeProcess edge) throws Exception {
    Await.until("nobody is connected", () -> edge.metrics().sum("forebay_connections") == 0);
    Await.until("no region is pinned", () -> edge.metrics().sum("forebay_store_pins") == 0);
  }

  private static void go(EdgeProcess edge, int count) throws IOException {
    List<Way> ways = ways();
    ArrayDeque<SocketChannel> open = new ArrayDeque<>();
    try {
      for (int i = 0; i < count; i++) {
        SocketChannel client = SocketChannel.open();
        open.add(client);
        client.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), edge.port()));
        Way way = ways.get(i % ways.size());
        ByteBuffer said = ByteBuffer.wrap(way.said().getBytes(StandardCharsets.US_ASCII));
        while (said.hasRemaining()) {
          client.write(said);
        }
        if (way.isReset()) {
          client.setOption(StandardSocketOptions.SO_LINGER, 0);
          client.close();
        } else {
          client.shutdownOutput();
        }
        if (open.size() > HELD) {
          open.remove().close();
        }
      }
    } finally {
      for (SocketChannel client : open) {
        client.close();
      }
    }
  }
}
