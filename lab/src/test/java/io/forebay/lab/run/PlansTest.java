package io.forebay.lab.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.forebay.lab.load.LoadPlan;
import java.net.URI;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The plan that a step becomes. */
final class PlansTest {
  private static final List<URI> SERVERS = List.of(URI.create("http://127.0.0.1:8080"));

  @Test
  void aClosedLoopHasAWarmUpAndAMeasuredPhaseWithoutARate() {
    LoadPlan plan =
        Plans.plan(
            Examples.step(
                """
                load: {clients: 4, connections: 48, requests-per-connection: 100, timeout: 5s}
                time: {warm-up: 3s, measured: 20s}
                hit-ratio: {wanted: 98.8%}
                """),
            SERVERS,
            null,
            5);

    assertEquals(192, plan.connections());
    assertEquals(100, plan.requestsPerConnection());
    assertEquals(5000, plan.timeoutMillis());
    assertEquals(
        List.of(new LoadPlan.Phase(3, 0, 0, false), new LoadPlan.Phase(20, 0, 0, true)),
        plan.phases());
    assertEquals(0.012, plan.freshShare(), 1e-9);
    assertEquals(5, plan.seed());
    assertNull(plan.trust());
    assertEquals(
        List.of(new LoadPlan.ObjectClass("page", 10_000, 1, 7, "/o/{bytes}/page-{n}")),
        plan.objects());
  }

  @Test
  void aWarmUpEndsWithASecondSoThatClientAndServerAreMeasuredAtTheSameTime() {
    assertEquals(
        List.of(new LoadPlan.Phase(1, 0, 0, false), new LoadPlan.Phase(2.5, 0, 0, true)),
        Plans.plan(Examples.step("time: {warm-up: 400ms, measured: 2500ms}\n"), SERVERS, null, 1)
            .phases());
    assertEquals(
        List.of(new LoadPlan.Phase(10, 0, 0, true)),
        Plans.plan(Examples.step("time: {warm-up: 0s}\n"), SERVERS, null, 1).phases());
  }

  @Test
  void ratesOfConnectionsAndRampsAreOpenLoops() {
    assertEquals(
        List.of(new LoadPlan.Phase(1, 33, 33, false), new LoadPlan.Phase(10, 33, 33, true)),
        Plans.plan(
                Examples.step("load: {connections: 100, rate-per-connection: 0.33}\n"),
                SERVERS,
                null,
                1)
            .phases());
    assertEquals(
        List.of(
            new LoadPlan.Phase(2, 50, 50, false),
            new LoadPlan.Phase(240, 50, 50, true),
            new LoadPlan.Phase(60, 50, 100, true)),
        Plans.plan(
                Examples.step(
                    """
                    load: {ramps: [{time: 240s, rate: 50}, {time: 60s, rate: 50, to: 100}]}
                    time: {warm-up: 2s}
                    """),
                SERVERS,
                null,
                1)
            .phases());
  }

  @Test
  void oneObjectOfManyIsAskedForWhereTheStepIsOfThatAlone() {
    LoadPlan plan =
        Plans.plan(
            Examples.file(
                    """
                    objects: [{name: a, size: 1KB, count: 2}, {name: b, size: 2KB, count: 2}]
                    objects-apart: true
                    protocol: http2
                    popularity: zipf
                    tls: true
                    steps: [{name: size}]
                    """)
                .steps()
                .getLast(),
            SERVERS,
            "a certificate",
            1);

    assertEquals(List.of("b"), plan.objects().stream().map(LoadPlan.ObjectClass::name).toList());
    assertEquals(LoadPlan.Protocol.HTTP2, plan.protocol());
    assertEquals(LoadPlan.Popularity.ZIPF, plan.popularity());
    assertEquals("a certificate", plan.trust());
  }
}
