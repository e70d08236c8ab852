package io.forebay.lab.origin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.junit.jupiter.api.Test;

class BehaviourQueryTest {

  @Test
  void everyKeyChangesItsPart() {
    assertSame(Behaviour.PLAIN, BehaviourQuery.apply(Behaviour.PLAIN, ""));
    assertEquals(
        new Behaviour(20, 1000, 1_000_000, 0.1, 502, 0.5, 30, 60, true),
        BehaviourQuery.apply(
            Behaviour.PLAIN,
            "latency=20ms&jitter=1s&rate=1MB&status=502&errors=0.1&cut=0.5&flap=30s&max-age=60"
                + "&chunked"));
    assertEquals(-1, BehaviourQuery.apply(Behaviour.PLAIN, "max-age=no-store").maxAgeSeconds());
  }

  @Test
  void aStatusAloneMakesEveryResponseAnError() {
    Behaviour behaviour = BehaviourQuery.apply(Behaviour.PLAIN, "status=404");
    assertEquals(1, behaviour.errorShare());
    assertEquals(404, behaviour.errorStatus());
  }

  @Test
  void wrongQueriesAreToldWhatToWrite() {
    Map.ofEntries(
            Map.entry("latancy=1s", "write latency, jitter"),
            Map.entry("latency=1s&", "write latency, jitter"),
            Map.entry("latency=20", "such as 20ms"),
            Map.entry("latency=601s", "write 0 to 600000"),
            Map.entry("jitter=-1ms", "such as 20ms"),
            Map.entry("rate=fast", "write bytes, KB or MB"),
            Map.entry("status=200", "write 400 to 599"),
            Map.entry("status=x", "such as 60"),
            Map.entry("errors=1.1", "write 0 to 1"),
            Map.entry("errors=NaN", "such as 0.1"),
            Map.entry("cut=2", "such as 0.1"),
            Map.entry("max-age=9999999999", "such as 60"),
            Map.entry("chunked=yes", "write true or false"))
        .forEach((query, message) -> {
          String told =
              String.valueOf(
                  assertThrows(
                          IllegalArgumentException.class,
                          () -> BehaviourQuery.apply(Behaviour.PLAIN, query),
                          query)
                      .getMessage());
          assertTrue(told.contains(message), query + ": " + told);
        });
  }
}
