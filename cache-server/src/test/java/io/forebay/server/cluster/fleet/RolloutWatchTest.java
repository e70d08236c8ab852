package io.forebay.server.cluster.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.cluster.fleet.RolloutWatch.Decision;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class RolloutWatchTest {
  private static final long OLD = 3;
  private static final long NEW = 4;

  private final RolloutWatch watch = new RolloutWatch(Duration.ofSeconds(60));
  private Rollout rollout = Rollout.NONE;
  private long seconds = Long.MAX_VALUE / 1_000_000_000 - 10;

  @BeforeEach
  void begin() throws FleetException {
    rollout =
        new Rollout(
                "x",
                OLD,
                2,
                0,
                List.of(),
                0,
                RolloutGuard.DEFAULT,
                TrafficCounts.NONE,
                0,
                "",
                "",
                "")
            .begin(
                "y",
                NEW,
                List.of(RolloutStage.parse("a@300s"), RolloutStage.parse("all")),
                RolloutGuard.DEFAULT,
                "ops",
                "");
  }

  /** A node that is alive and ready. */
  private NodeReport node(String name, long version) {
    return node(name, version, TrafficCounts.NONE);
  }

  private NodeReport node(String name, long version, TrafficCounts traffic) {
    return new NodeReport(
        name,
        "g",
        true,
        version,
        0,
        null,
        true,
        RolloutPlan.mark(rollout, version),
        traffic,
        TrafficCounts.NONE);
  }

  private NodeReport other(
      String name,
      boolean isAlive,
      long version,
      long failed,
      @Nullable String why,
      boolean isReady) {
    return new NodeReport(
        name,
        "g",
        isAlive,
        version,
        failed,
        why,
        isReady,
        "",
        TrafficCounts.NONE,
        TrafficCounts.NONE);
  }

  /** The clock may pass the end of its numbers. */
  private Decision after(long more, NodeReport... nodes) {
    seconds += more;
    return watch.step(rollout, List.of(nodes), TimeUnit.SECONDS.toNanos(1) * seconds);
  }

  private void assertWaits(String why, Decision decision) {
    assertTrue(
        assertInstanceOf(Decision.Wait.class, decision).why().contains(why), decision.toString());
  }

  private void assertGivesUp(String why, Decision decision) {
    assertTrue(
        assertInstanceOf(Decision.GiveUp.class, decision).why().contains(why), decision.toString());
  }

  @Test
  void nothingIsDecidedWithoutARollout() {
    rollout = Rollout.NONE;
    assertWaits("no version", after(0, node("a", OLD)));
  }

  @Test
  void aStageBakesFromTheMomentThatAllOfItHaveTheVersion() {
    assertWaits("a has not taken", after(0, node("a", OLD), node("b", OLD)));
    assertWaits("bakes for 301 s", after(50, node("a", NEW), node("b", OLD)));
    assertWaits("bakes", after(299, node("a", NEW), node("b", OLD)));
    assertInstanceOf(Decision.Advance.class, after(1, node("a", NEW), node("b", OLD)));
  }

  @Test
  void theLastStageEndsWhenAllHaveIt() {
    rollout = rollout.advance(TrafficCounts.NONE, "", "", "");
    assertWaits("b has not taken", after(0, node("a", NEW), node("b", OLD)));
    assertInstanceOf(Decision.Advance.class, after(1, node("a", NEW), node("b", NEW)));
    Rollout settled = rollout.advance(TrafficCounts.NONE, "", "", "");
    assertEquals(NEW, settled.version());
    assertEquals(OLD, settled.previous());
    assertEquals(0, settled.candidate());
  }

  @Test
  void aNodeThatRefusesTheVersionRollsItBack() {
    assertGivesUp(
        "a: no such origin",
        after(0, other("a", true, OLD, NEW, "no such origin", true), node("b", OLD)));
    Rollout back = rollout.giveUp("why", "", "");
    assertEquals(OLD, back.version());
    assertEquals(NEW, back.failed());
    assertEquals(0, back.candidate());
    assertEquals(OLD, RolloutPlan.wanted(back, "a", "g"));
  }

  @Test
  void aRefusalOfANodeThatTheStageHasNotReachedOrOfAnotherVersionIsNone() {
    assertWaits(
        "bakes", after(0, node("a", NEW), other("b", true, OLD, NEW, "why", true), node("c", OLD)));
    assertWaits(
        "a has not taken", after(0, other("a", true, OLD, NEW - 1, "why", true), node("b", OLD)));
  }

  @Test
  void aNodeThatDoesNotTakeItInTimeRollsItBack() {
    assertWaits("a has not taken", after(0, node("a", OLD)));
    assertWaits("a has not taken", after(59, node("a", OLD)));
    assertGivesUp("a has not taken the document for 60 s", after(1, node("a", OLD)));
  }

  @Test
  void aNodeThatIsNotReadyForLongRollsItBackAndForAShortTimeBakesAnew() {
    assertWaits("bakes", after(0, node("a", NEW)));
    assertWaits("not ready", after(200, other("a", true, NEW, 0, null, false)));
    assertWaits("bakes for 301 s", after(30, node("a", NEW)));
    assertWaits("bakes", after(299, node("a", NEW)));
    assertWaits("not ready", after(0, other("a", true, NEW, 0, null, false)));
    assertGivesUp("a is not ready", after(60, other("a", true, NEW, 0, null, false)));
  }

  @Test
  void aNodeThatGoesAwayWithTheVersionRollsItBackUnlessItReturns() {
    assertWaits("bakes", after(0, node("a", NEW), node("b", OLD)));
    NodeReport gone = other("a", false, -1, 0, null, false);
    assertWaits("a is gone", after(10, gone, node("b", OLD)));
    assertWaits("bakes for 301 s", after(30, node("a", NEW), node("b", OLD)));
    assertWaits("a is gone", after(10, gone, node("b", OLD)));
    assertGivesUp("a is gone since it took the document", after(60, gone, node("b", OLD)));
  }

  @Test
  void aNodeThatWasGoneBeforeIsLeftOut() {
    rollout = rollout.advance(TrafficCounts.NONE, "", "", "");
    NodeReport gone = other("b", false, -1, 0, null, false);
    assertInstanceOf(Decision.Advance.class, after(0, node("a", NEW), gone));
  }

  @Test
  void aStageOfNobodyRollsBack() {
    assertWaits("no node of the stage", after(0, node("b", OLD)));
    assertGivesUp("no node of the stage is alive", after(60, node("b", OLD)));
  }

  @Test
  void errorsBesideTheOthersRollBackBeforeTheStageHasBaked() {
    TrafficCounts bad = new TrafficCounts(1_000, 30, 1_000, 900);
    TrafficCounts good = new TrafficCounts(1_000, 10, 1_000, 900);
    assertGivesUp(
        "3.0 % of responses are 5xx", after(0, node("a", NEW, bad), node("b", OLD, good)));
    assertWaits("bakes", after(0, node("a", NEW, bad), node("b", OLD, bad)));
    assertWaits("bakes", after(0, node("a", NEW, good), node("b", OLD, good)));
  }

  @Test
  void errorsOfOneNodeRollBackWhileAnotherOneHasNotTakenIt() {
    rollout = rollout.advance(TrafficCounts.NONE, "", "", "");
    TrafficCounts bad = new TrafficCounts(1_000, 900, 1_000, 900);
    TrafficCounts good = new TrafficCounts(1_000, 10, 1_000, 900);
    assertGivesUp("90.0 %", after(0, node("a", NEW, bad), node("b", OLD, good)));
  }

  @Test
  void aLowerHitRatioRollsBack() {
    TrafficCounts cold = new TrafficCounts(1_000, 0, 1_000, 700);
    TrafficCounts warm = new TrafficCounts(1_000, 0, 1_000, 900);
    assertGivesUp("the hit ratio is 70.0 %", after(0, node("a", NEW, cold), node("b", OLD, warm)));
    assertWaits("bakes", after(0, node("a", NEW, warm), node("b", OLD, cold)));
  }

  @Test
  void idleNodesTripNothing() {
    TrafficCounts few =
        new TrafficCounts(RolloutGuard.MIN_REQUESTS - 1, RolloutGuard.MIN_REQUESTS - 1, 100, 0);
    TrafficCounts fewErrors = new TrafficCounts(300, RolloutGuard.MIN_ERRORS - 1, 300, 0);
    TrafficCounts good = new TrafficCounts(1_000, 0, 1_000, 900);
    assertWaits("bakes", after(0, node("a", NEW, few), node("b", OLD, good)));
    assertWaits("bakes", after(0, node("a", NEW, fewErrors), node("b", OLD, good)));
  }

  @Test
  void whereNoOthersAreLeftAnEarlierStageIsComparedWith() {
    TrafficCounts good = new TrafficCounts(1_000, 10, 1_000, 900);
    TrafficCounts bad = new TrafficCounts(1_000, 100, 1_000, 900);
    rollout = rollout.advance(good, "", "", "");
    assertGivesUp("10.0 %", after(0, node("a", NEW, bad), node("b", NEW, bad)));
    assertInstanceOf(Decision.Advance.class, after(0, node("a", NEW, good), node("b", NEW, good)));
  }

  @Test
  void aNodeAloneIsComparedWithItselfBefore() {
    NodeReport report = node("a", NEW, new TrafficCounts(1_000, 100, 0, 0));
    NodeReport before =
        new NodeReport(
            "a",
            "g",
            true,
            NEW,
            0,
            null,
            true,
            report.mark(),
            report.traffic(),
            new TrafficCounts(5_000, 460, 0, 0));
    assertWaits("bakes", after(0, before));
    NodeReport worse =
        new NodeReport(
            "a",
            "g",
            true,
            NEW,
            0,
            null,
            true,
            report.mark(),
            report.traffic(),
            new TrafficCounts(5_000, 400, 0, 0));
    assertGivesUp("8.0 % without", after(0, worse));
  }

  @Test
  void whereNothingIsKnownOnlyMostlyErrorsRollBack() {
    assertWaits("bakes", after(0, node("a", NEW, new TrafficCounts(1_000, 500, 0, 0))));
    assertGivesUp(
        "nothing to compare", after(0, node("a", NEW, new TrafficCounts(1_000, 501, 0, 0))));
  }

  @Test
  void trafficOfAnotherStageOrVersionDoesNotCount() {
    NodeReport late =
        new NodeReport(
            "a",
            "g",
            true,
            NEW,
            0,
            null,
            true,
            RolloutPlan.mark(rollout, OLD),
            new TrafficCounts(1_000, 900, 0, 0),
            TrafficCounts.NONE);
    assertWaits("bakes", after(0, late, node("b", OLD, new TrafficCounts(1_000, 0, 0, 0))));
  }

  @Test
  void timeThatNobodyHasSeenTheNodesDoesNotCount() {
    assertWaits("bakes for 301 s", after(0, node("a", NEW), node("b", OLD)));
    watch.pause();
    assertWaits("bakes for 301 s", after(1_000, node("a", NEW), node("b", OLD)));
    assertWaits("not ready", after(1, other("a", true, NEW, 0, null, false)));
    watch.pause();
    assertWaits("not ready", after(1_000, other("a", true, NEW, 0, null, false)));
  }

  @Test
  void aStageIsWrittenAsItCanBeRead() throws FleetException {
    String longest = "a,".repeat(998) + "a";
    assertThrows(FleetException.class, () -> RolloutStage.parse(longest + "@7h"));
    Rollout rolling =
        rollout.begin(
            "z", NEW, List.of(RolloutStage.parse(longest)), RolloutGuard.DEFAULT, "ops", "");
    assertEquals(rolling, FleetJson.rollout(FleetJson.text(FleetJson.json(rolling))));
  }

  @Test
  void stagesReachNodesByNameByGroupAndAll() throws FleetException {
    List<RolloutStage> stages = new ArrayList<>();
    for (String text : List.of("a,b", "group:g2@1m", "all@1h")) {
      stages.add(RolloutStage.parse(text));
    }
    Rollout rolling = rollout.begin("z", NEW, stages, RolloutGuard.DEFAULT, "", "");
    assertEquals(NEW, RolloutPlan.wanted(rolling, "b", "g1"));
    assertEquals(OLD, RolloutPlan.wanted(rolling, "c", "g2"));
    rolling = rolling.advance(TrafficCounts.NONE, "", "", "");
    assertEquals(NEW, RolloutPlan.wanted(rolling, "a", "g1"));
    assertEquals(NEW, RolloutPlan.wanted(rolling, "c", "g2"));
    assertEquals(OLD, RolloutPlan.wanted(rolling, "d", "g1"));
    rolling = rolling.advance(TrafficCounts.NONE, "", "", "");
    assertEquals(NEW, RolloutPlan.wanted(rolling, "d", "g1"));
    assertEquals(
        List.of("a,b", "group:g2@60s", "all@3600s"),
        rolling.stages().stream().map(RolloutStage::text).toList());
  }
}
