package io.forebay.server.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.counters.PluginCounters;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What becomes of calls that fail or take long, by a clock that the test moves. */
final class CallGuardTest {
  private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 5_000_000_000L);
  private final PluginCounters counters = new PluginCounters();
  private final List<String> log = new ArrayList<>();
  private final CallGuard guard =
      new CallGuard("slow", Duration.ofMillis(10), clock::get, counters, log::add);

  private void advance(Duration time) {
    clock.addAndGet(time.toNanos());
  }

  private String answer(Duration taking) throws PluginFailureException {
    return guard.run(
        "request",
        () -> {
          advance(taking);
          return "said";
        });
  }

  private String failure() {
    return String.valueOf(
        assertThrows(PluginFailureException.class, () -> answer(Duration.ZERO)).getMessage());
  }

  @Test
  void aCallWithinItsBudgetGivesWhatWasSaid() throws Exception {
    assertEquals("said", answer(Duration.ofMillis(10)));
    assertEquals(1, counters.calls());
    assertEquals(10_000_000, counters.nanos());
    assertEquals(0, counters.overruns());
    assertEquals(List.of(), log);
  }

  @Test
  void aCallBeyondItsBudgetIsCountedAndWhatItSaysHolds() throws Exception {
    assertEquals("said", answer(Duration.ofMillis(11)));
    assertEquals(1, counters.overruns());
    assertEquals(0, counters.errors());
    assertEquals(List.of("plugin slow took 11000 us; its budget is 10000 us (request)"), log);
  }

  @Test
  void afterEightOverrunsItIsNotCalledForAMinute() throws Exception {
    for (int i = 0; i < 8; i++) {
      assertEquals("said", answer(Duration.ofMillis(20)));
    }
    assertTrue(log.getLast().contains("; it is not called for 60 s"), log::toString);
    assertTrue(failure().contains("is suspended"));
    advance(Duration.ofMillis(59_900));
    assertTrue(failure().contains("is suspended"));
    assertEquals(8, counters.calls());
    assertEquals(2, counters.suspended());
    advance(Duration.ofMillis(200));
    assertEquals("said", answer(Duration.ZERO));
  }

  @Test
  void overrunsFarApartDoNotSuspendIt() throws Exception {
    for (int i = 0; i < 30; i++) {
      assertEquals("said", answer(Duration.ofMillis(20)));
      advance(Duration.ofSeconds(10));
    }
    assertEquals(0, counters.suspended());
  }

  @Test
  void whatIsThrownIsAFailureOfWhateverKind() {
    for (Throwable thrown :
        List.of(
            new IllegalStateException("a"),
            new NoClassDefFoundError("b"),
            new StackOverflowError("c"),
            new AssertionError("d"))) {
      assertThrows(
          PluginFailureException.class,
          () ->
              guard.run(
                  "request",
                  () -> {
                    CallGuardTest.<RuntimeException>sneak(thrown);
                    return "";
                  }));
    }
    assertEquals(4, counters.errors());
    assertThrows(
        OutOfMemoryError.class,
        () ->
            guard.run(
                "request",
                () -> {
                  throw new OutOfMemoryError("the node's own");
                }));
  }

  @SuppressWarnings("unchecked")
  private static <T extends Throwable> void sneak(Throwable thrown) throws T {
    throw (T) thrown;
  }

  @Test
  void nothingSaidIsAFailure() {
    assertThrows(PluginFailureException.class, () -> guard.run("delivery", () -> null));
    assertEquals(1, counters.errors());
    assertEquals(List.of("plugin slow returned null (delivery)"), log);
  }

  @Test
  void failuresAreLoggedOnceInTenSeconds() {
    for (int i = 0; i < 3; i++) {
      assertThrows(PluginFailureException.class, () -> guard.run("request", () -> null));
    }
    assertEquals(1, log.size());
    advance(Duration.ofSeconds(11));
    assertThrows(PluginFailureException.class, () -> guard.run("request", () -> null));
    assertEquals(
        "plugin slow returned null (request); 2 lines before were left out", log.getLast());
    assertEquals(2, log.size());
  }
}
