package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Bytes;
import io.forebay.testing.RawClient;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The sizes of TLS records on the wire. */
@Timeout(120)
@Tag("slow")
final class ServerTlsRecordsTest {
  private static final int APPLICATION_DATA = 23;
  private static final int SMALL = 4096 + 64;

  @TempDir Path directory;

  @Test
  void recordsBeginSmallAndGrow() throws Exception {
    byte[] body = Edge.bytes(5, 1 << 20);
    try (TestOrigin origin = new TestOrigin()) {
      origin.on("/big", TestOrigin.ok("cache-control: max-age=60\r\n", body));
      try (Edge edge = Edge.before(origin, directory);
          RawClient warm = edge.connectTls()) {
        Bytes.assertEquals(body, warm.get("/big").body());
        List<Integer> lengths = lengthsOf(edge, body);
        int sent = 0;
        int small = 0;
        for (int length : lengths) {
          if (sent + length > 32 * 1024) {
            break;
          }
          assertTrue(length <= SMALL, lengths::toString);
          sent += length;
          small++;
        }
        assertTrue(small >= 4, lengths::toString);
        long large = lengths.stream().filter(length -> length > 16 * 1024).count();
        assertTrue(large >= 40, lengths::toString);
      }
    }
  }

  /**
   * Fetches it by a connection that is listened in on: the lengths of what carried application
   * data.
   */
  private static List<Integer> lengthsOf(Edge edge, byte[] body) throws Exception {
    List<Integer> lengths = Collections.synchronizedList(new ArrayList<>());
    try (ServerSocket tap = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket client = new Socket(InetAddress.getLoopbackAddress(), tap.getLocalPort());
        Socket near = tap.accept();
        Socket far = new Socket(InetAddress.getLoopbackAddress(), edge.tlsPort())) {
      Thread up = Thread.ofVirtual().start(() -> copy(near, far));
      Thread down = Thread.ofVirtual().start(() -> records(far, near, lengths));
      SSLSocket tls =
          (SSLSocket)
              edge.tlsClientContext()
                  .getSocketFactory()
                  .createSocket(client, "127.0.0.1", edge.tlsPort(), false);
      try (RawClient wire = new RawClient(tls)) {
        Bytes.assertEquals(body, wire.get("/big").body());
      }
      far.close();
      near.close();
      up.join();
      down.join();
    }
    return List.copyOf(lengths);
  }

  private static void copy(Socket from, Socket to) {
    try {
      from.getInputStream().transferTo(to.getOutputStream());
    } catch (IOException e) {
      // One of the two has ended.
      return;
    }
  }

  private static void records(Socket from, Socket to, List<Integer> lengths) {
    try {
      DataInputStream in = new DataInputStream(from.getInputStream());
      OutputStream out = to.getOutputStream();
      while (true) {
        byte[] head = in.readNBytes(5);
        if (head.length < 5) {
          throw new EOFException();
        }
        int length = ((head[3] & 0xFF) << 8) | (head[4] & 0xFF);
        if (head[0] == APPLICATION_DATA) {
          lengths.add(length);
        }
        out.write(head);
        out.write(in.readNBytes(length));
        out.flush();
      }
    } catch (IOException e) {
      // One of the two has ended.
      return;
    }
  }
}
