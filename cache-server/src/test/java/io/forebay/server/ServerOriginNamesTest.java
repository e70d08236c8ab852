package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.RawClient;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A name that leads back to this node is no origin, whichever listener it leads to. */
@Tag("slow")
final class ServerOriginNamesTest {

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();
  private Edge edge;

  @BeforeEach
  void start() throws IOException {
    edge = Edge.before(origin, directory);
  }

  @AfterEach
  void stop() throws IOException {
    edge.close();
    origin.close();
  }

  @Test
  void aNameOfAnOwnListenerIsRefused() throws Exception {
    List<String> own =
        List.of(
            "http://localhost:" + edge.port(),
            "https://localhost:" + edge.tlsPort(),
            "http://localhost:" + URI.create(edge.server().adminUrl()).getPort());
    for (String url : own) {
      edge.configure("origins: {self: {url: \"" + url + "\"}}\n");
      assertEquals(List.of(), edge.server().reload().errors());
      try (RawClient client = edge.connect()) {
        RawClient.Response reply = client.get("/metrics");
        assertEquals(502, reply.status(), url);
        assertEquals("edge; error=destination_ip_prohibited", reply.field("proxy-status"), url);
        assertTrue(
            reply.text().startsWith("The node cannot connect to the origin.\n"), reply.text());
      }
    }
  }

  @Test
  void aNameOfAnotherServerOnThisMachineIsNot() throws Exception {
    origin.on("/a", TestOrigin.ok("", TestOrigin.ascii("a")));
    edge.configure(
        "origins: {main: {url: \"" + origin.url().replace("127.0.0.1", "localhost") + "\"}}\n");
    assertEquals(List.of(), edge.server().reload().errors());
    try (RawClient client = edge.connect()) {
      assertEquals("a", client.get("/a").text());
    }
  }
}
