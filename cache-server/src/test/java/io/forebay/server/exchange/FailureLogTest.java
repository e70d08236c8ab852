package io.forebay.server.exchange;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.forebay.core.http.SyntheticRequest;
import io.forebay.server.origin.call.OriginFailure;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class FailureLogTest {
  private long now = 5_000;
  private final List<String> lines = new ArrayList<>();
  private final FailureLog log = new FailureLog(() -> now, lines::add);

  @Test
  void aLineStartsWithTheIdAndNamesRequestAndReason() {
    refuse("id-1", "connection refused: a.test:80");
    assertEquals(
        List.of(
            "request id-1: 502 GET a.example/p: CONNECT_REFUSED: connection refused: a.test:80"),
        lines);
  }

  @Test
  void whatAnOriginSendsCannotForgeALine() {
    refuse("id-1", "bad\nrequest id-2: \u001b[31m" + "x".repeat(2000));
    assertEquals(1, lines.size());
    assertEquals(-1, lines.getFirst().indexOf('\n'));
    assertEquals(-1, lines.getFirst().indexOf('\u001b'));
    assertEquals(
        "request id-1: 502 GET a.example/p: CONNECT_REFUSED: ".length() + 512,
        lines.getFirst().length());
  }

  @Test
  void theLinesOfASecondAreBoundedAndTheRestIsCounted() {
    for (int i = 0; i < 25; i++) {
      refuse("id", "no");
    }
    assertEquals(FailureLog.LINES_PER_SECOND, lines.size());
    now += 1000;
    refuse("id", "no");
    assertEquals(FailureLog.LINES_PER_SECOND + 2, lines.size());
    assertEquals("15 further failed requests were not logged here", lines.get(10));
  }

  private void refuse(String id, String detail) {
    log.refused(
        id,
        SyntheticRequest.of("GET", "http://a.example/p"),
        502,
        new OriginFailure(OriginFailure.Kind.CONNECT_REFUSED, detail));
  }
}
