package io.forebay.server.origin.health;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.ServerConfig.EjectionConfig;
import io.forebay.server.config.ServerConfig.SlowConfig;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Endpoints that are slower than the others, by latencies that the test makes up. */
class SlowEndpointsTest {
  private static final SlowConfig CONFIG =
      new SlowConfig(3, Duration.ofSeconds(30), Duration.ofMillis(100));
  private static final EjectionConfig EJECTION =
      new EjectionConfig(5, 5, Duration.ofSeconds(10), 50, 50, CONFIG);

  private final AtomicLong clock = new AtomicLong(-7);
  private final List<String> log = new ArrayList<>();
  private final OriginHealth health = new OriginHealth(clock::get, () -> 1, log::add);

  @Test
  void anEndpointThatIsSlowForTheWholeTimeIsFound() {
    List<EndpointHealth> group = group(4);
    assertEquals(List.of(), window(group, 10, 900, 50, 60, 70));
    assertEquals(List.of(), window(group, 10, 500, 50, 60, 70));
    List<SlowEndpoint> found = window(group, 10, 700, 50, 60, 70);
    assertEquals(
        List.of(
            new SlowEndpoint(
                group.getFirst(), "latency of 700 ms, median of the others 60 ms, for 30000 ms")),
        found);
    assertEquals(List.of(), window(group, 10, 700, 50, 60, 70), "it begins anew");
  }

  @Test
  void anEndpointThatIsFastMeanwhileIsNot() {
    List<EndpointHealth> group = group(3);
    for (int i = 0; i < 5; i++) {
      assertEquals(List.of(), window(group, 10, 900, 50, 50));
      assertEquals(List.of(), window(group, 10, 900, 50, 50));
      assertEquals(List.of(), window(group, 10, 140, 50, 50));
    }
  }

  @Test
  void aLatencyBelowTheLeastIsNeverTooHigh() {
    List<EndpointHealth> group = group(3);
    for (int i = 0; i < 5; i++) {
      assertEquals(List.of(), window(group, 10, 99, 1, 1));
    }
  }

  @Test
  void fewResponsesDoNotCount() {
    List<EndpointHealth> group = group(3);
    for (int i = 0; i < 5; i++) {
      assertEquals(List.of(), window(group, SlowEndpoints.MIN_RESPONSES - 1, 900, 1, 1));
    }
  }

  @Test
  void anEndpointWithoutPeersHasNothingToBeSlowerThan() {
    List<EndpointHealth> group = group(1);
    for (int i = 0; i < 5; i++) {
      assertEquals(List.of(), window(group, 10, 900));
    }
  }

  @Test
  void whereAllAreSlowNoneIsFound() {
    List<EndpointHealth> group = group(3);
    for (int i = 0; i < 5; i++) {
      assertEquals(List.of(), window(group, 10, 5_000, 6_000, 7_000));
    }
  }

  @Test
  void oneCallerIsToldOfTheEndOfAWindow() {
    EndpointHealth one = group(1).getFirst();
    assertFalse(health.onLatency(one, CONFIG, 1));
    clock.addAndGet(TimeUnit.SECONDS.toNanos(10));
    assertTrue(health.onLatency(one, CONFIG, 1));
    assertFalse(health.onLatency(one, CONFIG, 1));
  }

  @Test
  void anOutlierIsEjectedWithinTheShareThatMayBe() {
    List<EndpointHealth> group = group(4);
    for (int i = 0; i < 3; i++) {
      assertTrue(
          health.onSlow(new SlowEndpoint(group.get(i), "slow"), group, EJECTION, "main") == i < 2);
    }
    assertEquals(
        List.of(true, true, false, false), group.stream().map(EndpointHealth::isAvoided).toList());
    assertFalse(health.onSlow(new SlowEndpoint(group.getFirst(), "slow"), group, EJECTION, "main"));
    assertEquals(
        List.of(
            "main: 10.0.0.0:80 gets no requests for 10000 ms: slow",
            "main: 10.0.0.1:80 gets no requests for 10000 ms: slow"),
        log);
  }

  private List<EndpointHealth> group(int count) {
    List<EndpointHealth> group = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      group.add(
          health.acquire(new InetSocketAddress(InetAddress.ofLiteral("10.0.0." + i), 80), false));
    }
    return group;
  }

  /** What is found at the end of a window in which each endpoint had responses of that latency. */
  private List<SlowEndpoint> window(List<EndpointHealth> group, int responses, int... millis) {
    for (int i = 0; i < millis.length; i++) {
      for (int j = 0; j < responses; j++) {
        assertFalse(
            health.onLatency(group.get(i), CONFIG, TimeUnit.MILLISECONDS.toNanos(millis[i])));
      }
    }
    return health.findSlow(group, CONFIG);
  }
}
