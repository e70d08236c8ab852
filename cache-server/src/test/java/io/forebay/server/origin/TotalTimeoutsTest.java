package io.forebay.server.origin;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.forebay.server.origin.TotalTimeouts.Timed;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Calls of one total timeout have one timer, and each its own time. */
final class TotalTimeoutsTest {
  private final EmbeddedChannel time = new EmbeddedChannel();
  private final TotalTimeouts timeouts =
      new TotalTimeouts(time.eventLoop(), Duration.ofSeconds(10));
  private final List<String> over = new ArrayList<>();

  @BeforeEach
  void freeze() {
    time.freezeTime();
  }

  @AfterEach
  void close() {
    time.finishAndReleaseAll();
  }

  private Timed call(String name) {
    Timed call =
        new Timed() {
          @Override
          void onTotalTimeout(Duration timeout) {
            over.add(name + " after " + timeout.toSeconds());
            if (name.startsWith("failing")) {
              throw new IllegalStateException(name);
            }
          }
        };
    timeouts.add(call, time.eventLoop().ticker().nanoTime());
    return call;
  }

  private void begin(String name) {
    Timed ignored = call(name);
  }

  private void advance(int seconds) {
    time.advanceTimeBy(seconds, TimeUnit.SECONDS);
    time.runScheduledPendingTasks();
  }

  @Test
  void eachCallHasItsWholeTime() {
    Timed first = call("first");
    advance(4);
    Timed second = call("second");
    advance(5);
    assertEquals(List.of(), over);
    advance(1);
    assertEquals(List.of("first after 10"), over);
    advance(3);
    assertEquals(1, over.size());
    advance(1);
    assertEquals(List.of("first after 10", "second after 10"), over);
    first.leaveTimeouts();
    second.leaveTimeouts();
    advance(100);
    assertEquals(2, over.size());
  }

  @Test
  void aCallThatEndsInTimeIsNotTold() {
    Timed first = call("first");
    advance(1);
    Timed second = call("second");
    advance(1);
    Timed third = call("third");
    second.leaveTimeouts();
    first.leaveTimeouts();
    first.leaveTimeouts();
    advance(9);
    assertEquals(List.of(), over);
    third.leaveTimeouts();
    advance(5);
    Timed fourth = call("fourth");
    advance(9);
    assertEquals(List.of(), over);
    advance(1);
    assertEquals(List.of("fourth after 10"), over);
    fourth.leaveTimeouts();
  }

  @Test
  void theOneThatLeavesLastLeavesItsPlaceToTheNext() {
    begin("first");
    Timed second = call("second");
    second.leaveTimeouts();
    advance(1);
    begin("third");
    advance(9);
    assertEquals(List.of("first after 10"), over);
    advance(1);
    assertEquals(List.of("first after 10", "third after 10"), over);
  }

  @Test
  void allThatBeganTogetherAreTold() {
    for (int i = 0; i < 5; i++) {
      begin("call " + i);
    }
    advance(10);
    assertEquals(5, over.size());
  }

  @Test
  void aDefectOfOneCostsNoOther() {
    begin("failing");
    begin("second");
    advance(10);
    assertEquals(List.of("failing after 10", "second after 10"), over);
  }
}
