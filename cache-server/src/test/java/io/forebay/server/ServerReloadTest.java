package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.admin.Node.Reload;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A new configuration for new requests; the old one for those that began with it. */
final class ServerReloadTest {

  @TempDir Path directory;
  private final TestOrigin before = new TestOrigin();
  private final TestOrigin after = new TestOrigin();
  private final CountDownLatch asked = new CountDownLatch(1);
  private final CountDownLatch gate = new CountDownLatch(1);
  private Edge edge;

  @BeforeEach
  void start() throws IOException {
    edge = Edge.before(before, directory);
    after.on("/a", TestOrigin.ok("cache-control: no-store\r\n", TestOrigin.ascii("after")));
  }

  @AfterEach
  void stop() throws IOException {
    gate.countDown();
    edge.close();
    before.close();
    after.close();
  }

  private String next() {
    return "origins: {other: {url: \"" + after.url() + "\", keep-alive: 5s}}\n";
  }

  @Test
  void newRequestsGoTheNewWayWhileOldOnesFinish() throws Exception {
    byte[] body = Edge.bytes(1, 500_000);
    before.on(
        "/a",
        (request, connection) -> {
          TestOrigin.sendHead(connection, "cache-control: no-store\r\n", body.length)
              .send(Arrays.copyOf(body, 1000));
          asked.countDown();
          TestOrigin.await(gate);
          connection.send(Arrays.copyOfRange(body, 1000, body.length));
        });
    try (WireClient old = edge.connect();
        WireClient fresh = edge.connect()) {
      old.request("GET", "/a");
      TestOrigin.await(asked);
      edge.configure(next());
      Reload reload = edge.server().reload();
      assertEquals(List.of(), reload.errors());
      assertFalse(reload.changed().isEmpty());
      assertEquals("after", fresh.get("/a").text());
      gate.countDown();
      assertArrayEquals(body, old.reply().body());
      assertEquals("after", old.get("/a").text());
    }
    assertEquals(1, before.count("/a"));
  }

  @Test
  void whoBeganWithTheOldRoutesMayStillAskTheirOrigin() throws Exception {
    before.on(
        "/a",
        (request, connection) -> {
          if (request.number() == 1) {
            asked.countDown();
            TestOrigin.await(gate);
          }
          TestOrigin.sendOk(
              connection,
              "cache-control: private\r\n",
              TestOrigin.ascii("before " + request.number()));
        });
    try (WireClient first = edge.connect();
        WireClient second = edge.connect()) {
      first.request("GET", "/a");
      TestOrigin.await(asked);
      second.request("GET", "/a");
      Edge.await("it has joined", () -> edge.sum(c -> c.joined) == 1);
      edge.configure(next());
      assertEquals(List.of(), edge.server().reload().errors());
      gate.countDown();
      assertEquals("before 1", first.reply().text());
      // It followed in vain, and now has to ask for itself.
      assertEquals("before 2", second.reply().text());
    }
  }

  @Test
  void aBadConfigurationChangesNothing() throws Exception {
    before.on("/a", TestOrigin.ok("cache-control: no-store\r\n", TestOrigin.ascii("before")));
    try (WireClient client = edge.connect()) {
      assertEquals("before", client.get("/a").text());
      for (String bad :
          List.of(
              "origins: {other: {url: \"ftp://x\"}}\n",
              "origins: {}\n",
              next() + "no-such-key: 1\n",
              next() + "routes: [{origin: missing}]\n")) {
        edge.configure(bad);
        Reload reload = edge.server().reload();
        assertFalse(reload.errors().isEmpty(), bad);
        assertEquals(List.of(), reload.changed());
        assertEquals("before", client.get("/a").text());
      }
      edge.configure(next());
      assertEquals(List.of(), edge.server().reload().errors());
      assertEquals("after", client.get("/a").text());
    }
    assertTrue(after.count("/a") > 0);
  }
}
