package io.forebay.e2e.storm;

import io.forebay.e2e.storm.Nemesis.Trace;
import java.time.Duration;
import java.time.Instant;

/** Time of day that steps by up to an hour, either way. */
final class ClockFaults {
  private static final int MOST_SECONDS = 3_600;

  private ClockFaults() {}

  static Trace move(Scene scene) throws Exception {
    StormClock clock = scene.cluster().clock(scene.node());
    int steps = 2 + scene.random().nextInt(3);
    StringBuilder seen = new StringBuilder();
    boolean isShown = true;
    try {
      for (int i = 0; i < steps; i++) {
        int seconds =
            (scene.random().nextBoolean() ? 1 : -1)
                * (MOST_SECONDS - scene.random().nextInt(MOST_SECONDS / 2));
        clock.step(seconds);
        // The library looks once a second.
        long ignored = scene.hold(scene.millis(1_300, 3_000));
        long off =
            Duration.between(Instant.now(), scene.cluster().timeOf(scene.node())).toSeconds();
        isShown &= Math.abs(off - seconds) <= 3;
        seen.append(i == 0 ? "" : ", ").append(off);
      }
    } finally {
      clock.step(0);
    }
    return new Trace(isShown, "of %s: off by %s s".formatted(scene.name(), seen));
  }
}
