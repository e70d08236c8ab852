package io.forebay.lab.origin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import io.forebay.testing.RawClient;
import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Starts processes, each of which takes a second. */
@Tag("full")
class OriginProcessTest {
  private static final Behaviour ALL_ERRORS =
      new Behaviour(1, 1, 1_000_000, 1, 599, 0.5, 1, -1, true);

  @Test
  void aProcessServesTellsItsFiguresAndEndsWhenClosed() throws Exception {
    ProcessHandle handle;
    try (OriginProcess origin =
        OriginProcess.start(
            new OriginOptions(
                "127.0.0.1", 0, 2, null, ALL_ERRORS, new SegmentWindow(true, 2, 5), 9))) {
      handle = origin.process();
      int port = origin.address().getPort();
      assertEquals(599, RawClient.get(port, "/o/1/a").status());
      assertEquals(200, RawClient.get(port, "/o/1/a?errors=0&flap=0s&cut=0").status());
      OriginStats stats = origin.stats();
      assertEquals(2, stats.requests());
      assertTrue(stats.cpuSeconds() > 0, stats.toString());
    }
    Await.until("the process has ended", () -> !handle.isAlive());
  }

  @Test
  void aProcessEndsWithItsParent() throws Exception {
    Process orphan = OriginProcess.builder(OriginOptions.DEFAULT).start();
    try {
      assertTrue(String.valueOf(orphan.inputReader().readLine()).contains("started"));
      orphan.outputWriter().close();
      Await.until("the orphan has ended", () -> !orphan.isAlive());
      assertEquals(0, orphan.exitValue());
    } finally {
      orphan.destroyForcibly();
    }
  }

  @Test
  void aProcessThatCannotListenIsAnError() throws Exception {
    try (OriginProcess origin = OriginProcess.start(OriginOptions.DEFAULT)) {
      OriginOptions same = new OriginOptions(origin.address().getPort(), 1, 0, 0, 0, 60, false, 1);
      assertThrows(IOException.class, () -> OriginProcess.start(same).close());
    }
  }
}
