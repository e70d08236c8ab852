package io.forebay.server.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DeadlineWheelTest {

  private static final long TICK = DeadlineWheel.TICK_NANOS;

  private long clock = -5 * TICK;
  private final DeadlineWheel wheel = new DeadlineWheel(() -> clock);
  private final List<String> fired = new ArrayList<>();

  private DeadlineWheel.Entry entry(String name) {
    return wheel.entry(now -> fired.add(name));
  }

  private void pass(long nanos) {
    clock += nanos;
    wheel.tick();
  }

  @Test
  void firesOnceWhenTheTimeHasCome() {
    entry("a").in(3 * TICK);
    pass(2 * TICK);
    assertEquals(List.of(), fired);
    pass(2 * TICK);
    assertEquals(List.of("a"), fired);
    pass(1000 * TICK);
    assertEquals(List.of("a"), fired);
  }

  @Test
  void canBeMovedLaterAndEarlier() {
    DeadlineWheel.Entry a = entry("a");
    a.in(2 * TICK);
    a.in(100 * TICK);
    pass(50 * TICK);
    assertEquals(List.of(), fired);
    a.in(2 * TICK);
    pass(3 * TICK);
    assertEquals(List.of("a"), fired);
  }

  @Test
  void canBeClearedAndRemoved() {
    DeadlineWheel.Entry a = entry("a");
    DeadlineWheel.Entry b = entry("b");
    a.in(2 * TICK);
    b.in(2 * TICK);
    a.clear();
    b.remove();
    pass(10 * TICK);
    assertEquals(List.of(), fired);
    a.in(TICK);
    pass(3 * TICK);
    assertEquals(List.of("a"), fired);
  }

  @Test
  void reachesBeyondATurnOfTheWheel() {
    entry("a").in(3000 * TICK);
    for (int i = 0; i < 2999; i++) {
      pass(TICK);
    }
    assertEquals(List.of(), fired);
    pass(2 * TICK);
    assertEquals(List.of("a"), fired);
  }

  @Test
  void oneThatFiresMaySetItselfAgainAndRemoveOthers() {
    DeadlineWheel.Entry[] both = new DeadlineWheel.Entry[2];
    both[1] = entry("b");
    both[0] =
        wheel.entry(now -> {
          fired.add("a");
          both[1].remove();
          both[0].in(TICK);
        });
    both[0].in(TICK);
    both[1].in(TICK);
    pass(2 * TICK);
    pass(2 * TICK);
    assertEquals(List.of("a", "a"), fired);
  }

  @Test
  void agreesWithAPlainMap() {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    Map<Integer, Long> model = new HashMap<>();
    List<DeadlineWheel.Entry> entries = new ArrayList<>();
    List<Integer> rung = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      int id = i;
      entries.add(wheel.entry(now -> rung.add(id)));
    }
    for (int step = 0; step < 20_000; step++) {
      int id = random.nextInt(50);
      switch (random.nextInt(4)) {
        case 0, 1 -> {
          long nanos = random.nextLong(700 * TICK);
          entries.get(id).in(nanos);
          model.put(id, wheel.nowNanos() + nanos);
        }
        case 2 -> {
          entries.get(id).clear();
          model.remove(id);
        }
        default -> {
          rung.clear();
          pass(random.nextLong(random.nextInt(100) == 0 ? 900 * TICK : 3 * TICK));
          for (int each : rung) {
            Long deadline = model.remove(each);
            assertTrue(deadline != null && deadline <= clock, "rang early, step " + step);
          }
          // One that is overdue by a tick or more must have rung.
          model.forEach(
              (each, deadline) -> assertTrue(deadline > clock - 2 * TICK, "did not ring"));
        }
      }
    }
  }
}
