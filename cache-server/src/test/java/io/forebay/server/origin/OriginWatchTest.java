package io.forebay.server.origin;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.forebay.server.config.ServerConfig.OriginServerConfig;
import io.forebay.server.origin.group.BasePath;
import io.forebay.server.origin.group.Origin;
import io.forebay.server.origin.group.OriginServer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class OriginWatchTest {
  private static final String LABEL = "origin main (http://127.0.0.1:1)";

  private final Origin origin =
      new Origin(
          Lab.origin("http://127.0.0.1:1"),
          List.of(
              new OriginServer(
                  Lab.origin("http://127.0.0.1:1"),
                  OriginServerConfig.of("http://127.0.0.1:1"),
                  "127.0.0.1",
                  1,
                  null,
                  null,
                  null,
                  BasePath.NONE,
                  null,
                  null,
                  false)),
          "",
          null);
  private final List<String> lines = new ArrayList<>();
  private long nanos;
  private final OriginWatch watch = new OriginWatch(() -> nanos, lines::add);

  private void after(long seconds) {
    nanos += TimeUnit.SECONDS.toNanos(seconds);
  }

  @Test
  void nothingIsSaidOfAHealthyOrigin() {
    for (int i = 0; i < 100; i++) {
      watch.onAnswer(origin);
      after(1);
    }
    assertEquals(List.of(), lines);
  }

  @Test
  void aDeadOriginHasALineAtOnceAndOneInTenSeconds() {
    for (int i = 0; i < 25; i++) {
      watch.onProblem(origin, LABEL + ": connection refused");
      after(1);
    }
    assertEquals(
        List.of(
            LABEL + ": connection refused",
            LABEL
                + ": 11 of 11 requests failed or were slow in 10 s; the latest: "
                + LABEL
                + ": connection refused",
            LABEL
                + ": 10 of 10 requests failed or were slow in 10 s; the latest: "
                + LABEL
                + ": connection refused"),
        lines);
  }

  @Test
  void aFlappingOriginIsShownByItsShareOfFailures() {
    for (int i = 0; i < 11; i++) {
      watch.onProblem(origin, LABEL + ": closed");
      watch.onAnswer(origin);
      after(1);
    }
    assertEquals(2, lines.size());
    assertEquals(
        LABEL
            + ": 11 of 21 requests failed or were slow in 10 s; the latest: "
            + LABEL
            + ": closed",
        lines.getLast());
  }

  @Test
  void aRecoveredOriginIsNamedOnce() {
    watch.onProblem(origin, LABEL + ": closed");
    for (int i = 0; i < 50; i++) {
      after(1);
      watch.onAnswer(origin);
    }
    assertEquals(List.of(LABEL + ": closed", LABEL + ": answers again"), lines);
  }

  @Test
  void controlCharactersDoNotReachTheLog() {
    watch.onProblem(origin, LABEL + ": a\r\nb");
    assertEquals(1, lines.size());
    assertEquals(-1, lines.getFirst().indexOf('\n'));
  }
}
