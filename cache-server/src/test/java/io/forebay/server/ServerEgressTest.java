package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Bytes;
import io.forebay.testing.RawClient;
import io.forebay.testing.ScriptedOrigin;
import io.forebay.testing.ScriptedOrigin.Connection;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A node that tells its origin by the PROXY protocol for whom it asks. */
@Timeout(60)
@Tag("slow")
final class ServerEgressTest {
  private static final int LOCAL_LENGTH = 16;
  private static final int TCP4_LENGTH = 28;

  @TempDir Path directory;

  @Test
  void aFetchIsTheNodesOwnAndAPassedRequestTheClients() throws Exception {
    String yaml = "origins: {main: {url: \"URL\", proxy-protocol: v2}}\n";
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Edge edge = Edge.start(directory, "32MiB", yaml.replace("URL", origin.url()));
        RawClient client = edge.connect()) {
      client.request("GET", "/x");
      Connection shared = origin.accept();
      byte[] local = shared.bytes(LOCAL_LENGTH);
      assertEquals(0x20, local[12]);
      assertTrue(shared.head().startsWith("GET /x "));
      shared.send("HTTP/1.1 200 OK\r\ncache-control: max-age=60\r\ncontent-length: 1\r\n\r\nx");
      assertEquals("x", client.reply().text());

      client.request("POST", "/p", "Content-Length: 0");
      Connection own = origin.accept();
      byte[] header = own.bytes(TCP4_LENGTH);
      assertEquals(0x21, header[12]);
      Bytes.assertEquals(new byte[] {127, 0, 0, 1}, Arrays.copyOfRange(header, 16, 20));
      assertTrue(own.head().startsWith("POST /p "));
      own.send("HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\np");
      assertEquals("p", client.reply().text());
      own.awaitClose();
    }
  }
}
