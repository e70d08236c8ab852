package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import io.forebay.testing.Bytes;
import io.forebay.testing.Http3Client;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Long bodies over HTTP/3, from the origin and from the store, for fast and slow clients. */
@Timeout(300)
@Tag("slow")
final class ServerHttp3BodyTest {

  private static final int MIB = 1 << 20;
  private static final String FRESH = "cache-control: max-age=1000\r\netag: \"1\"\r\n";

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();

  @SuppressWarnings("NullAway.Init")
  private Edge edge;

  private byte[] start(int length) throws IOException {
    byte[] body = Edge.bytes(64, length);
    origin.on("/large", TestOrigin.ok(FRESH, body));
    edge = Edge.before(origin, directory, "32MiB", "http3: {listeners: [secure]}\n");
    return body;
  }

  @AfterEach
  void stop() throws IOException {
    edge.close();
    origin.close();
  }

  @Test
  void aLongBodyIsTheSameFromTheOriginAndFromTheStore() throws Exception {
    byte[] body = start(2 * MIB + 321);
    try (Http3Client client = connect(MIB)) {
      Bytes.assertEquals(body, fetch(client));
      Bytes.assertEquals(body, fetch(client));
    }
    assertEquals(1, origin.count("/large"));
    edge.awaitIdle();
  }

  /** Twice what memory holds of it. */
  @Test
  @Tag("campaign")
  void aBodyBeyondMemoryIsTheSame() throws Exception {
    byte[] body = start(64 * MIB + 321);
    try (Http3Client client = connect(MIB)) {
      Bytes.assertEquals(body, fetch(client));
      Bytes.assertEquals(body, fetch(client));
    }
    edge.awaitIdle();
  }

  @Test
  void aClientThatStopsReadingHoldsNoRegionAndLittleMemory() throws Exception {
    byte[] body = start(2 * MIB + 321);
    try (Http3Client client = connect(64 * 1024)) {
      Bytes.assertEquals(body, fetch(client));
      Http3Client.Answer slow = client.get("/large");
      client.reads(slow, false);
      assertEquals("200", slow.status());
      Await.until("what it does not take is copied", () -> edge.server().privateCopyBytes() > 0);
      Await.until("and no region is pinned", () -> edge.server().store().pins() == 0);
      assertTrue(edge.server().privateCopyBytes() <= 64 * 1024);
      client.reads(slow, true);
      assertEquals("end", slow.end());
      Bytes.assertEquals(body, bytes(slow));
    }
    edge.awaitIdle();
  }

  private Http3Client connect(int window) throws Exception {
    return new Http3Client(edge.tlsPort(), edge.authority(), window);
  }

  private static byte[] fetch(Http3Client client) throws Exception {
    Http3Client.Answer answer = client.get("/large");
    assertEquals("200", answer.status());
    assertEquals("end", answer.end());
    return bytes(answer);
  }

  private static byte[] bytes(Http3Client.Answer answer) {
    return answer.body.toString().getBytes(StandardCharsets.ISO_8859_1);
  }
}
