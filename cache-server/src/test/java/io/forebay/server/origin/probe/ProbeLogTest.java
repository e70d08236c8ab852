package io.forebay.server.origin.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ProbeLogTest {

  @Test
  void linesBeyondTheBoundAreCounted() {
    AtomicLong now = new AtomicLong();
    List<String> out = new ArrayList<>();
    ProbeLog log = new ProbeLog(now::get, out::add);
    for (int i = 0; i < ProbeLog.MAX_LINES + 7; i++) {
      log.line("line " + i);
    }
    assertEquals(ProbeLog.MAX_LINES, out.size());
    now.addAndGet(ProbeLog.WINDOW_NANOS);
    log.line("later");
    assertEquals(
        List.of("probes: 7 further changes were not logged", "later"),
        out.subList(ProbeLog.MAX_LINES, out.size()));
  }
}
