package io.forebay.server.origin.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.AdaptiveLimitConfig;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What becomes of the limit, by a simulation. Requests come three times as fast as can be served.
 */
class GradientLimitTest {
  private static final AdaptiveLimitConfig CONFIG =
      new AdaptiveLimitConfig(1000, 2, 25, Duration.ofSeconds(30));

  private static SimulatedOrigin overloaded(int workers, double millis) {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    SimulatedOrigin origin = new SimulatedOrigin(seed, CONFIG, workers, millis);
    origin.arrivals = 3 * workers / (millis / 1e3);
    return origin;
  }

  /** What was seen since a moment ago; for messages. */
  private static String seen(SimulatedOrigin origin) {
    return "limit %d, in progress %.1f, latency %.1f ms, utilisation %.2f"
        .formatted(
            origin.limit.limit(),
            origin.meanInProgress(),
            origin.meanLatencyMillis(),
            origin.utilisation());
  }

  private static void runFor(SimulatedOrigin origin, double seconds) {
    origin.forget();
    origin.run(seconds);
  }

  private static void assertNearKnee(SimulatedOrigin origin) {
    double most = 2.2 * origin.workers + 4;
    assertTrue(origin.meanInProgress() < most, () -> seen(origin));
    assertTrue(origin.utilisation() > 0.85, () -> seen(origin));
  }

  @ParameterizedTest
  @CsvSource({
    "4, 20, 1",
    "20, 2, 1",
    "20, 20, 0.1",
    "100, 20, 1",
    "100, 20, 0",
    "400, 40, 0.5",
    "20, 300, 1"
  })
  void overloadSettlesWhereTheOriginIsBusyAndHardlyQueues(
      int workers, double millis, double variation) {
    SimulatedOrigin origin = overloaded(workers, millis);
    origin.variation = variation;
    origin.run(120);
    runFor(origin, 120);
    assertNearKnee(origin);
  }

  @Test
  void aFreshLimitFindsTheOriginWithinSeconds() {
    SimulatedOrigin origin = overloaded(100, 20);
    origin.run(5);
    runFor(origin, 10);
    assertNearKnee(origin);
  }

  @Test
  void whenCapacityIsLostTheLimitFollows() {
    SimulatedOrigin origin = overloaded(100, 20);
    origin.run(60);
    origin.workers = 25;
    origin.run(20);
    runFor(origin, 60);
    assertNearKnee(origin);
  }

  @Test
  void whenCapacityIsAddedTheLimitFollows() {
    SimulatedOrigin origin = overloaded(25, 20);
    origin.run(60);
    origin.workers = 100;
    origin.arrivals *= 4;
    origin.run(20);
    runFor(origin, 60);
    assertNearKnee(origin);
  }

  @Test
  void anOriginThatBecomesSlowerForOtherReasonsKeepsItsShare() {
    SimulatedOrigin origin = overloaded(100, 20);
    origin.run(60);
    origin.serviceNanos *= 3;
    origin.run(60);
    runFor(origin, 60);
    assertNearKnee(origin);
  }

  @Test
  void anOriginThatBecomesFasterIsMeasuredAgain() {
    SimulatedOrigin origin = overloaded(100, 60);
    origin.run(60);
    origin.serviceNanos /= 3;
    origin.arrivals *= 3;
    origin.run(90);
    runFor(origin, 60);
    assertNearKnee(origin);
  }

  @Test
  void withoutOverloadNothingIsHeldBack() {
    SimulatedOrigin origin = overloaded(100, 20);
    origin.arrivals = 0.6 * 100 / 0.02;
    origin.run(20);
    runFor(origin, 120);
    assertEquals(0.6, origin.utilisation(), 0.03, () -> seen(origin));
    assertTrue(origin.meanLatencyMillis() < 22, () -> seen(origin));
  }

  @Test
  void littleTrafficDoesNotShrinkTheLimit() {
    SimulatedOrigin origin = overloaded(100, 20);
    origin.run(60);
    int before = origin.limit.limit();
    origin.arrivals = 0.02 * 100 / 0.02;
    runFor(origin, 600);
    assertTrue(origin.limit.limit() >= before / 2, () -> before + " before; " + seen(origin));
    origin.arrivals = 3 * 100 / 0.02;
    origin.run(1);
    runFor(origin, 5);
    assertNearKnee(origin);
  }

  @Test
  void anOriginThatRejectsRequestsGetsFewer() {
    SimulatedOrigin origin = overloaded(100, 20);
    origin.rejectsAbove = 40;
    origin.arrivals = 1.2 * 100 / 0.02;
    origin.run(60);
    runFor(origin, 60);
    assertTrue(origin.limit.limit() < 80, () -> seen(origin));
  }

  @Test
  void anOriginOfWhichNothingComesGetsTheLeast() {
    GradientLimit limit = new GradientLimit(CONFIG, 0);
    LatencySamples samples = new LatencySamples();
    long now = 0;
    for (int i = 0; i < 100; i++) {
      now += Duration.ofSeconds(11).toNanos();
      for (int j = 0; j < 20; j++) {
        samples.addRejected(1000);
      }
      assertTrue(limit.isWindowOver(20, now));
      limit.onWindow(samples, CONFIG, now);
      samples.clear();
    }
    assertTrue(limit.limit() <= 4, () -> "limit " + limit.limit());
  }

  @Test
  void theLimitStaysWithinItsBounds() {
    AdaptiveLimitConfig narrow = new AdaptiveLimitConfig(12, 10, 25, Duration.ofSeconds(30));
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    for (int workers : new int[] {1, 100}) {
      SimulatedOrigin origin = new SimulatedOrigin(seed, narrow, workers, 20);
      origin.arrivals = 3 * workers / 0.02;
      for (int i = 0; i < 200; i++) {
        origin.run(1);
        int least = origin.limit.isMeasuring() ? 5 : 10;
        int limit = origin.limit.limit();
        assertTrue(limit >= least && limit <= 12, () -> "limit " + limit);
      }
    }
  }
}
