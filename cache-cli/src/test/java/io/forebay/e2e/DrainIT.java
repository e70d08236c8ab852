package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.PathOrigin;
import io.forebay.testing.Ports;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * SIGTERM: no new requests, requests in progress are finished up to a limit, and the exit code is
 * 0. A second one ends what the first one waits for.
 */
@Tag("full")
final class DrainIT {

  @TempDir private Path directory;

  @Test
  void aStopFinishesWhatRunsAndTakesNothingNew() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch gate = new CountDownLatch(1);
    try (PathOrigin origin = PathOrigin.start()) {
      origin.on(
          "/slow",
          exchange -> {
            asked.countDown();
            awaited(gate);
            exchange.respond(200, "Cache-Control: max-age=60\r\n", "at last");
          });
      try (EdgeProcess edge = EdgeProcess.in(directory.resolve("edge"), origin.url()).start();
          RawClient idle = new RawClient(edge.port());
          RawClient client = new RawClient(edge.port())) {
        idle.send("GET /none HTTP/1.1\r\nHost: h.test\r\n\r\n");
        assertEquals(404, idle.reply(false).status());
        client.send("GET /slow HTTP/1.1\r\nHost: h.test\r\n\r\n");
        assertTrue(asked.await(10, TimeUnit.SECONDS));
        edge.signal("TERM");
        assertEquals(0, idle.readToEnd().length, "an idle connection is closed");
        Await.until("it is not ready", () -> edge.admin("/readyz").statusCode() == 503);
        assertEquals(200, edge.admin("/healthz").statusCode(), "but alive");
        assertThrows(IOException.class, () -> edge.get("/new"));
        gate.countDown();
        Response last = client.reply(false);
        assertEquals("at last", last.text());
        assertEquals("close", last.field("connection"));
        assertEquals(0, edge.terminateAlreadyTold());
      }
    }
  }

  @Test
  void aStopDoesNotWaitForeverForARequest() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch gate = new CountDownLatch(1);
    try (PathOrigin origin = PathOrigin.start()) {
      origin.on(
          "/never",
          exchange -> {
            asked.countDown();
            awaited(gate);
          });
      EdgeProcess.Settings settings =
          EdgeProcess.in(directory.resolve("edge"), origin.url()).config("timeouts: {drain: 1s}\n");
      try (EdgeProcess edge = settings.start();
          RawClient client = new RawClient(edge.port())) {
        client.send("GET /never HTTP/1.1\r\nHost: h.test\r\n\r\n");
        assertTrue(asked.await(10, TimeUnit.SECONDS));
        assertEquals(0, edge.terminate());
        gate.countDown();
      }
    }
  }

  @Test
  void aSecondSignalEndsTheLameDuckAndFinishesWhatRuns() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch gate = new CountDownLatch(1);
    try (PathOrigin origin = PathOrigin.start()) {
      origin.on(
          "/slow",
          exchange -> {
            asked.countDown();
            awaited(gate);
            exchange.respond(200, "Cache-Control: max-age=60\r\n", "at last");
          });
      EdgeProcess.Settings settings =
          EdgeProcess.in(directory.resolve("edge"), origin.url())
              .config("timeouts: {lame-duck: 1h}\n");
      try (EdgeProcess edge = settings.start();
          RawClient client = new RawClient(edge.port())) {
        client.send("GET /slow HTTP/1.1\r\nHost: h.test\r\n\r\n");
        assertTrue(asked.await(10, TimeUnit.SECONDS));
        edge.signal("TERM");
        Await.until("it is not ready", () -> edge.admin("/readyz").statusCode() == 503);
        assertEquals(404, edge.get("/new").status(), "but accepts");
        settings.config("timeouts: {lame-duck: 1h, drain: 20s}\n");
        edge.signal("HUP");
        Await.until("it reloads", () -> edge.errText().contains("; changed timeouts.drain"));
        assertEquals(404, edge.get("/new").status(), "and accepts still");

        edge.signal("INT");
        Await.until("it accepts no more", () -> !Ports.isListening(edge.port()));
        assertTrue(edge.isAlive());
        gate.countDown();
        assertEquals("at last", client.reply(false).text());
        assertEquals(0, edge.terminateAlreadyTold());
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"0s", "1h"})
  void aSignalDuringTheDrainEndsTheProcessAtOnce(String lameDuck) throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch gate = new CountDownLatch(1);
    try (PathOrigin origin = PathOrigin.start()) {
      origin.on(
          "/never",
          exchange -> {
            asked.countDown();
            awaited(gate);
          });
      EdgeProcess.Settings settings =
          EdgeProcess.in(directory.resolve("edge"), origin.url())
              .config("timeouts: {lame-duck: " + lameDuck + ", drain: 1h}\n");
      try (EdgeProcess edge = settings.start();
          RawClient client = new RawClient(edge.port())) {
        client.send("GET /never HTTP/1.1\r\nHost: h.test\r\n\r\n");
        assertTrue(asked.await(10, TimeUnit.SECONDS));
        edge.signal("TERM");
        if (!lameDuck.equals("0s")) {
          Await.until("it is not ready", () -> edge.admin("/readyz").statusCode() == 503);
          edge.signal("TERM");
        }
        Await.until("it accepts no more", () -> !Ports.isListening(edge.port()));
        assertTrue(edge.isAlive());
        edge.signal("TERM");
        assertEquals(1, edge.terminateAlreadyTold());
        gate.countDown();
      }
    }
  }

  private static void awaited(CountDownLatch gate) throws IOException {
    try {
      assertTrue(gate.await(30, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }
}
