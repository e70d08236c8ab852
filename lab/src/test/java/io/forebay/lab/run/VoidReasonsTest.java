package io.forebay.lab.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.lab.result.LoadTotals;
import io.forebay.lab.result.ServerTotals;
import io.forebay.lab.scenario.Load;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Figures that do not count say why. */
final class VoidReasonsTest {
  private static final Load CLOSED = load("hit-ratio: {wanted: 98%}\n");
  private static final Load OPEN = load("hit-ratio: {wanted: 98%}\nload: {rate: 100}\n");
  private static final ServerTotals SERVER = Examples.server(980, 1, 0.1);

  private static Load load(String lines) {
    return Examples.step(lines).load();
  }

  private static List<String> voids(Load wanted, LoadTotals load, ServerTotals server) {
    return voids(wanted, load, server, VoidReasons.Capacity.shared(2, server, 1), 0.09);
  }

  private static List<String> voids(
      Load wanted,
      LoadTotals load,
      ServerTotals server,
      VoidReasons.Capacity capacity,
      double others) {
    return VoidReasons.of(
        wanted, new VoidReasons.Evidence(load, server, List.of(), capacity, others, null));
  }

  @Test
  void aStepCountsWhenTheServerWasTheBound() {
    assertEquals(List.of(), voids(CLOSED, Examples.load(), SERVER));
    assertEquals(List.of(), voids(OPEN, Examples.load(), SERVER));
  }

  @Test
  void aClientThatUsedMoreThanFourFifthsOfWhatOthersLeftWasTheBound() {
    // Two cores, of which server and origin used 1.1.
    assertEquals(List.of(), voids(CLOSED, Examples.load(10, Map.of(), 4, 0, 0.71), SERVER));
    assertEquals(
        List.of(
            "the client was the bound: it used 0.73 of the 0.90 cores that it can use, more than"
                + " 80 %"),
        voids(CLOSED, Examples.load(10, Map.of(), 4, 0, 0.73), SERVER));
  }

  @Test
  void aClientOnOtherHostsIsJudgedByTheirCores() {
    LoadTotals busy = Examples.load(10, Map.of(), 4, 0, 7);

    assertEquals(
        List.of(
            "the client was the bound: it used 7.00 of the 8.00 cores that it can use, more than"
                + " 80 %"),
        voids(CLOSED, busy, SERVER, new VoidReasons.Capacity(8, 1), 0));
  }

  @Test
  void aBusyMachineMeasuresNothing() {
    VoidReasons.Capacity capacity = VoidReasons.Capacity.shared(2, SERVER, 1);

    assertEquals(
        List.of("other programs used 31 % of the CPUs, more than 10 %: stop them and run again"),
        voids(CLOSED, Examples.load(), SERVER, capacity, 0.31));
    assertEquals(List.of(), voids(CLOSED, Examples.load(), SERVER, capacity, Double.NaN));
  }

  @Test
  void anOriginWithOneThreadIsTheBoundBelowOneCore() {
    assertEquals(
        List.of(
            "the origin was the bound: it used 0.85 of the 1.00 cores that it can use, more than"
                + " 80 %"),
        voids(CLOSED, Examples.load(), Examples.server(980, 0.5, 0.85)));
  }

  @Test
  void aHitRatioMayBeOffByHalfAPoint() {
    assertEquals(List.of(), voids(CLOSED, Examples.load(), Examples.server(100_000, 97_600, 1, 0)));
    assertEquals(List.of(), voids(CLOSED, Examples.load(), Examples.server(100_000, 98_400, 1, 0)));
    assertEquals(
        List.of("the hit ratio was 97.4 % where 98.0 % is wanted, off by more than half a point"),
        voids(CLOSED, Examples.load(), Examples.server(100_000, 97_400, 1, 0)));
    assertEquals(
        List.of(
            "the byte hit ratio was 90.0 % where 85.0 % is wanted, off by more than half a point"),
        voids(
            load("hit-ratio: {wanted: 85%, of: bytes}\n"),
            Examples.load(),
            Examples.server(100_000, 90_000, 1, 0)));
    assertEquals(
        List.of("the hit ratio is not known: the program does not count it"),
        voids(CLOSED, Examples.load(), Totals.NO_SERVER));
  }

  /** 98 % of 1,000 requests: a standard error of 0.44 points. */
  @Test
  void aHitRatioOfFewRequestsMayBeOffByWhatChanceExplains() {
    assertEquals(List.of(), voids(CLOSED, Examples.load(), Examples.server(967, 1, 0)));
    assertEquals(
        List.of(
            "the hit ratio was 96.6 % where 98.0 % is wanted, off by more than the 1.3 points that"
                + " chance explains in 1000 requests"),
        voids(CLOSED, Examples.load(), Examples.server(966, 1, 0)));
    // Chance would explain 4.2 points.
    assertEquals(List.of(), voids(CLOSED, Examples.load(), Examples.server(100, 97, 1, 0)));
    assertEquals(
        List.of(
            "the hit ratio was 95.0 % where 98.0 % is wanted, off by more than the 2.0 points that"
                + " chance explains in 100 requests"),
        voids(CLOSED, Examples.load(), Examples.server(100, 95, 1, 0)));
  }

  @Test
  void missesThatTheOriginDidNotSeeOrSawBesidesAreNoHitRatio() {
    // 200 misses. One in a hundred may be off, and one for the connection.
    assertEquals(List.of(), counted(200 + 101, 400));
    assertEquals(List.of(), counted(0, 200 - 101));
    assertEquals(
        List.of(
            "the program counted 200 misses, the origin 302 to 400 requests: its hit ratio is not"
                + " known"),
        counted(302, 400));
    assertEquals(
        List.of(
            "the program counted 200 misses, the origin 90 to 98 requests: its hit ratio is not"
                + " known"),
        counted(90, 98));
  }

  @Test
  void aMissMayTakeSeveralRequestsWhereTheProgramCountsThem() {
    assertEquals(List.of(), counted(350, 352, 351));
    assertEquals(
        List.of(
            "the program counted 200 requests to the origin, the origin 350 to 352 requests: its"
                + " hit ratio is not known"),
        counted(350, 352, 200));
  }

  private static List<String> counted(long min, long max) {
    return counted(min, max, -1);
  }

  private static List<String> counted(long min, long max, long counted) {
    ServerTotals server = Examples.server(10_000, 9_800, 1, 0);
    return VoidReasons.of(
        CLOSED,
        new VoidReasons.Evidence(
            Examples.load(),
            server,
            List.of(),
            VoidReasons.Capacity.shared(2, server, 1),
            0,
            new VoidReasons.Fetches(min, max, counted)));
  }

  @Test
  void withoutAWantedHitRatioAnyCounts() {
    assertEquals(List.of(), voids(load(""), Examples.load(), Examples.server(3, 1, 0)));
  }

  @Test
  void aLateClientOfAnOpenLoopDistortsTheTimes() {
    // p99 of the last byte is 8 ms, or 80 ms.
    assertEquals(List.of(), voids(OPEN, Examples.load(10, Map.of(), 4, 0.9, 0), SERVER));
    assertEquals(
        List.of(
            "the client was late by 1.2 ms at p99, more than 5 % of the response time's p99 of"
                + " 8.0 ms"),
        voids(OPEN, Examples.load(10, Map.of(), 4, 1.2, 0), SERVER));
    assertEquals(List.of(), voids(OPEN, Examples.load(10, Map.of(), 40, 3.9, 0), SERVER));
    assertEquals(List.of(), voids(CLOSED, Examples.load(10, Map.of(), 4, 50, 0), SERVER));
  }

  @Test
  void oneRequestInAThousandMayFail() {
    assertEquals(List.of(), voids(CLOSED, Examples.load(10, Map.of("reset", 1L), 4, 0, 0), SERVER));
    assertEquals(
        List.of("0.30 % of requests failed: 1 reset, 2 timeout"),
        voids(CLOSED, Examples.load(10, Map.of("timeout", 2L, "reset", 1L), 4, 0, 0), SERVER));
  }

  @Test
  void aLoadThatEndedEarlyOrAnsweredNothingDoesNotCount() {
    assertEquals(
        List.of("the load ended after 8.5 of 10.0 seconds"),
        voids(CLOSED, Examples.load(8.5, Map.of(), 4, 0, 0), SERVER));
    List<String> nothing = voids(CLOSED, Totals.NO_LOAD, SERVER);
    assertEquals(List.of("no request ended well"), nothing);
  }

  @Test
  void severalReasonsAreAllNamed() {
    assertTrue(
        voids(CLOSED, Examples.load(5, Map.of("reset", 100L), 4, 0, 2), Examples.server(1, 1, 1))
                .size()
            == 5);
  }
}
