package io.forebay.lab.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.lab.result.LoadTotals;
import io.forebay.lab.result.ServerTotals;
import io.forebay.lab.result.StepResult;
import io.forebay.lab.scenario.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Which steps searches ask for. */
final class PoliciesTest {

  private static List<Step> steps(Step entry, Function<Step, StepResult> server) {
    StepPolicy policy = StepPolicy.of(entry);
    List<Step> steps = new ArrayList<>();
    for (Step step = policy.next(null); step != null; step = policy.next(server.apply(step))) {
      steps.add(step);
      assertTrue(steps.size() < 100, "a search that does not end");
    }
    return steps;
  }

  private static List<String> names(List<Step> steps) {
    return steps.stream().map(Step::name).toList();
  }

  private static StepResult result(Step step, LoadTotals load, ServerTotals server) {
    return new StepResult(step.name(), 1, Map.of(), load, server, List.of(), List.of());
  }

  /** A server whose response time grows with connections: 1 ms alone. */
  private static StepResult slower(Step step, double millisPerConnection) {
    double mean = 1 + millisPerConnection * (step.load().allConnections() - 1);
    return result(step, Examples.load(10, Map.of(), mean, 0, 0), Examples.server(1000, 1, 0));
  }

  @Test
  void aStepWithoutASearchRunsOnce() {
    Step only = Examples.step("");

    assertEquals(List.of(only), steps(only, step -> slower(step, 0)));
  }

  @Test
  void thePeakIsFoundFromBelowAndHeld() {
    Step entry =
        Examples.step(
            """
            load: {rate-per-connection: 0.5, connections: 3}
            time: {measured: 10s}
            search: {by: connections, from: 8, growth: 2, refinements: 2, limit: 1.2, held: 300s}
            """);

    // 1.2 times the response time of 8 connections is reached at 59.
    List<Step> steps = steps(entry, step -> slower(step, 0.004));

    assertEquals(
        List.of(
            "only-unloaded",
            "only-8",
            "only-16",
            "only-32",
            "only-64",
            "only-48",
            "only-56",
            "only-held-56"),
        names(steps));
    assertEquals(8, steps.getFirst().load().allConnections());
    assertEquals(4, steps.getFirst().load().rate());
    assertEquals(32, steps.get(4).load().rate());
    assertEquals(10, steps.get(4).load().measuredSeconds());
    assertEquals(300, steps.getLast().load().measuredSeconds());
    assertEquals(56, steps.getLast().load().allConnections());
  }

  @Test
  void aClosedLoopIsUnloadedWithOneConnection() {
    Step entry = Examples.step("search: {by: connections, from: 8, refinements: 0}\n");

    Step unloaded = steps(entry, step -> slower(step, 1)).getFirst();

    assertEquals(1, unloaded.load().allConnections());
    assertEquals(0, unloaded.load().rate());
  }

  @Test
  void errorsEndTheClimbAsSlownessDoes() {
    Step entry = Examples.step("search: {by: connections, from: 8, refinements: 0}\n");

    List<Step> steps =
        steps(
            entry,
            step ->
                result(
                    step,
                    Examples.load(
                        10,
                        step.load().allConnections() > 20 ? Map.of("timeout", 50L) : Map.of(),
                        1,
                        0,
                        0),
                    Examples.server(1000, 1, 0)));

    assertEquals(List.of("only-unloaded", "only-8", "only-16", "only-32"), names(steps));
  }

  @Test
  void theClimbEndsAtTheMost() {
    Step entry = Examples.step("search: {by: connections, from: 8, most: 20, held: 5s}\n");

    assertEquals(
        List.of("only-unloaded", "only-8", "only-16", "only-20", "only-held-20"),
        names(steps(entry, step -> slower(step, 0))));
  }

  @Test
  void nothingIsHeldWhereEvenTheFirstIsTooMuch() {
    Step entry = Examples.step("search: {by: connections, from: 8, refinements: 1, held: 5s}\n");

    assertEquals(
        List.of("only-unloaded", "only-8", "only-4"), names(steps(entry, step -> slower(step, 9))));
  }

  @Test
  void channelsAreAddedUntilTooFewBytesAreHits() {
    Step entry =
        Examples.file(
                """
                objects: [{name: segment, size: 1MB}]
                channels: 10
                segments: 6
                search: {by: channels, from: 10, growth: 2, refinements: 1, limit: 85%}
                steps: [{name: channels}]
                """)
            .steps()
            .getFirst();

    List<Step> steps =
        steps(
            entry,
            step ->
                result(
                    step,
                    Examples.load(),
                    Examples.server(step.setup().channels() <= 30 ? 846 : 840, 1, 0)));

    assertEquals(List.of("channels-10", "channels-20", "channels-40", "channels-30"), names(steps));
    assertEquals(40 * 6, steps.get(2).setup().objects().getFirst().count());
    assertEquals(40 * 6_000_000L, steps.get(2).setup().footprintBytes());
  }
}
