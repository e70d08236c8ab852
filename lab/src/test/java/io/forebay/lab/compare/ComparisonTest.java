package io.forebay.lab.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.lab.result.Figure;
import io.forebay.lab.result.ResultFixture;
import io.forebay.lab.result.RunResult;
import io.forebay.lab.result.StepResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class ComparisonTest {

  private static final long SEED = 20261126;

  /** Of the bootstrap; verdicts do not depend on it. */
  private static final int ROUNDS = 100;

  @Test
  void noiseRaisesAtMostOneAlarmInTwoHundredFigures() {
    // 20 repetitions of two scenarios, 10 on each side, until there are 200 figures.
    assertAlarms(SEED, 13, 10);
  }

  @Test
  @Tag("full")
  void noiseRaisesAtMostOneAlarmInTwoHundredFiguresWhateverTheRepetitions() {
    for (int repetitions : new int[] {3, 4, 5, 7, 10}) {
      assertAlarms(SEED + repetitions, 1_000, repetitions);
    }
  }

  @Test
  void tenMillisecondsInALoopAreFound() {
    assertFound(20, 10, 10, 1, Figure.LAST_BYTE_P99, "one-byte");
  }

  @Test
  void fivePercentFewerHitsAreFound() {
    assertFound(20, 5, 0, 0.95, Figure.HIT_RATIO, "one-byte");
    assertFound(20, 5, 0, 0.95, Figure.HIT_RATIO, "xeon6-live");
  }

  @Test
  @Tag("full")
  void plantedRegressionsAreFoundMostOfTheTime() {
    assertFound(500, 5, 10, 1, Figure.LAST_BYTE_P99, "one-byte");
    assertFound(500, 10, 10, 1, Figure.LAST_BYTE_P99, "one-byte");
    for (int repetitions : new int[] {3, 5, 10}) {
      assertFound(500, repetitions, 0, 0.95, Figure.HIT_RATIO, "one-byte");
      assertFound(500, repetitions, 0, 0.95, Figure.HIT_RATIO, "xeon6-live");
    }
  }

  @Test
  void theIntervalHoldsWhatWasPlanted() {
    SplittableRandom random = new SplittableRandom(SEED);
    int held = 0;
    for (int i = 0; i < 20; i++) {
      Difference hits =
          compare(random, 5, 0, 0.95).stream()
              .filter(one -> one.figure() == Figure.HIT_RATIO)
              .findFirst()
              .orElseThrow();
      held += hits.low() <= 0.95 && 0.95 <= hits.high() ? 1 : 0;
    }
    assertTrue(held >= 16, held + " of 20, seed " + SEED);
  }

  @Test
  void aChangeForTheBetterIsBetter() {
    List<RunResult> slow = machine(new SplittableRandom(SEED), 10, 1).runs(10);
    List<RunResult> fast = machine(new SplittableRandom(SEED + 1), 0, 1).runs(10);

    Comparison comparison = Comparison.of(slow, fast, OptionalDouble.empty(), 1);

    assertTrue(comparison.count(Verdict.BETTER) > 0, comparison.toString());
    assertEquals(0, comparison.count(Verdict.WORSE), comparison.toString());
  }

  @Test
  void theSameResultsAreTheSameAndTheSameSeedGivesTheSameInterval() {
    List<RunResult> runs = machine(new SplittableRandom(SEED), 0, 1).runs(3);

    Comparison comparison = Comparison.of(runs, runs, OptionalDouble.empty(), 1);

    assertEquals(16, comparison.count(Verdict.SAME), comparison.toString());
    assertEquals(comparison, Comparison.of(runs, runs, OptionalDouble.empty(), 1));
    for (Difference one : comparison.differences()) {
      assertEquals(1, one.ratio(), 1e-9);
      assertTrue(one.low() <= 1 && 1 <= one.high(), one.toString());
    }
  }

  @Test
  void twoRepetitionsAreTooFewAndVoidOnesDoNotCount() {
    List<StepResult> three = new ArrayList<>();
    List<StepResult> withVoid = new ArrayList<>();
    for (int repetition = 1; repetition <= 3; repetition++) {
      three.add(ResultFixture.step("a", repetition, Map.of(), 2));
      withVoid.add(
          repetition == 2
              ? ResultFixture.step("a", repetition, Map.of(), 0.1, "Busy.")
              : ResultFixture.step("a", repetition, Map.of(), 1));
    }

    Comparison comparison =
        Comparison.of(
            List.of(ResultFixture.run("s", three)),
            List.of(ResultFixture.run("s", withVoid)),
            OptionalDouble.empty(),
            1);

    assertEquals(8, comparison.count(Verdict.TOO_FEW), comparison.toString());
    assertEquals(2, comparison.differences().getFirst().repetitionsAfter());
    assertEquals(0.5, comparison.differences().getFirst().ratio(), 0.01);
  }

  @Test
  void stepsThatOneSideLacksAreNamed() {
    Comparison comparison =
        Comparison.of(
            List.of(ResultFixture.run("s", List.of(ResultFixture.step("a", 1, Map.of(), 1)))),
            List.of(ResultFixture.run("s", List.of(ResultFixture.step("b", 1, Map.of(), 1)))),
            OptionalDouble.empty(),
            1);

    assertEquals(List.of(), comparison.differences());
    assertEquals(List.of("s a with forebay (profile here)"), comparison.onlyBefore());
    assertEquals(List.of("s b with forebay (profile here)"), comparison.onlyAfter());
  }

  @Test
  void aChangeBelowTheThresholdIsNoChange() {
    List<RunResult> before = runs(1.0);
    List<RunResult> after = runs(0.8);

    assertEquals(Verdict.WORSE, requests(Comparison.of(before, after, OptionalDouble.of(0.10), 1)));
    assertEquals(Verdict.SAME, requests(Comparison.of(before, after, OptionalDouble.of(0.50), 1)));
  }

  private static Verdict requests(Comparison comparison) {
    return comparison.differences().stream()
        .filter(one -> one.figure() == Figure.REQUESTS)
        .findFirst()
        .orElseThrow()
        .verdict();
  }

  /** Five repetitions that differ by a little. */
  private static List<RunResult> runs(double gigabits) {
    List<StepResult> steps = new ArrayList<>();
    for (int i = 1; i <= 5; i++) {
      steps.add(ResultFixture.step("a", i, Map.of(), gigabits * (1 + 0.01 * i)));
    }
    return List.of(ResultFixture.run("s", steps));
  }

  private static NoisyMachine machine(
      SplittableRandom random, double addedMillis, double hitFactor) {
    return new NoisyMachine(random, addedMillis, hitFactor);
  }

  private static List<Difference> compare(
      SplittableRandom random, int repetitions, double addedMillis, double hitFactor) {
    return Comparison.of(
            machine(random.split(), 0, 1).runs(repetitions),
            machine(random.split(), addedMillis, hitFactor).runs(repetitions),
            OptionalDouble.empty(),
            ROUNDS,
            1)
        .differences();
  }

  private static void assertAlarms(long seed, int comparisons, int repetitions) {
    SplittableRandom random = new SplittableRandom(seed);
    int figures = 0;
    List<Difference> alarms = new ArrayList<>();
    for (int i = 0; i < comparisons; i++) {
      List<Difference> differences = compare(random, repetitions, 0, 1);
      figures += differences.size();
      differences.stream().filter(one -> one.verdict() != Verdict.SAME).forEach(alarms::add);
    }
    assertTrue(figures >= 200, figures + " figures");
    assertTrue(
        alarms.size() <= Math.max(1, figures / 200),
        () ->
            alarms.size()
                + " alarms with "
                + repetitions
                + " repetitions, seed "
                + seed
                + ": "
                + alarms.stream().map(Difference::toString).collect(Collectors.joining("\n")));
    System.out.println(
        repetitions + " repetitions: " + alarms.size() + " alarms in " + figures + " figures");
  }

  private static void assertFound(
      int times,
      int repetitions,
      double addedMillis,
      double hitFactor,
      Figure figure,
      String scenario) {
    SplittableRandom random = new SplittableRandom(SEED);
    int found = 0;
    for (int i = 0; i < times; i++) {
      found +=
          (int)
              compare(random, repetitions, addedMillis, hitFactor).stream()
                  .filter(one -> one.figure() == figure && one.scenario().equals(scenario))
                  .filter(one -> one.verdict() == Verdict.WORSE)
                  .count();
    }
    assertTrue(
        found >= times * 0.8,
        figure + " of " + scenario + ": " + found + " of " + times + ", seed " + SEED);
    System.out.println(
        figure
            + " of "
            + scenario
            + ", "
            + repetitions
            + " repetitions: "
            + found
            + " of "
            + times);
  }
}
