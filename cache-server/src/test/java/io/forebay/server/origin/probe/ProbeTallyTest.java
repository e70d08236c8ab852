package io.forebay.server.origin.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.origin.health.ProbeStatus;
import io.forebay.server.origin.health.ProbeStatus.Verdict;
import org.junit.jupiter.api.Test;

class ProbeTallyTest {

  @Test
  void anAddressFailsAfterFailuresInARow() {
    ProbeTally tally = new ProbeTally(ProbeDraft.http().thresholds(2, 3).config(), 10);
    tally.onResult(null, 11);
    tally.onResult("a", 12);
    tally.onResult("b", 13);
    tally.onResult(null, 14);
    tally.onResult("c", 15);
    tally.onResult("d", 16);
    assertEquals(new ProbeStatus(Verdict.PASSING, true, 11, "d", 16), tally.status());
    tally.onResult("e", 17);
    assertEquals(new ProbeStatus(Verdict.FAILING, false, 17, "e", 17), tally.status());
    tally.onResult("f", 18);
    assertEquals(new ProbeStatus(Verdict.FAILING, false, 17, "f", 18), tally.status());
    assertEquals("4 probes in a row", tally.failuresText());
  }

  @Test
  void anAddressFailsAfterFailuresAmongItsLatestResults() {
    ProbeTally tally = new ProbeTally(ProbeDraft.http().thresholds(2, 3).window(5).config(), 10);
    results(tally, "+-++-+-+");
    assertEquals(Verdict.PASSING, tally.status().verdict());
    results(tally, "--");
    assertEquals(Verdict.FAILING, tally.status().verdict());
    assertEquals("3 of the latest 5 probes", tally.failuresText());
    results(tally, "++");
    assertEquals(Verdict.PASSING, tally.status().verdict());
    // What failed it before counts no longer.
    results(tally, "--");
    assertEquals(Verdict.PASSING, tally.status().verdict());
    results(tally, "-");
    assertEquals(Verdict.FAILING, tally.status().verdict());
  }

  @Test
  void theLargestWindowHasAsManyResultsAsItSays() {
    ProbeTally tally = new ProbeTally(ProbeDraft.http().thresholds(1, 2).window(64).config(), 10);
    results(tally, "+-" + "+".repeat(63) + "-");
    assertEquals(Verdict.PASSING, tally.status().verdict());
    results(tally, "+".repeat(62) + "-");
    assertEquals(Verdict.FAILING, tally.status().verdict());
  }

  private static void results(ProbeTally tally, String all) {
    all.chars().forEach(one -> tally.onResult(one == '-' ? "failed" : null, 20));
  }

  @Test
  void itPassesAgainAfterSuccessesInARow() {
    ProbeTally tally = new ProbeTally(ProbeDraft.http().thresholds(2, 1).config(), 10);
    tally.onResult("a", 11);
    tally.onResult(null, 12);
    tally.onResult("b", 13);
    tally.onResult(null, 14);
    assertEquals(Verdict.FAILING, tally.status().verdict());
    tally.onResult(null, 15);
    assertEquals(new ProbeStatus(Verdict.PASSING, true, 15, "b", 13), tally.status());
  }

  @Test
  void anUntestedAddressIsWhatItIsConfiguredToBe() {
    ProbeTally usable = new ProbeTally(ProbeDraft.http().thresholds(3, 2).config(), 10);
    assertEquals(ProbeStatus.untested(true, 10), usable.status());
    usable.onResult("a", 11);
    assertTrue(usable.status().isUsable());
    usable.onResult("b", 12);
    assertFalse(usable.status().isUsable());

    ProbeTally unusable =
        new ProbeTally(ProbeDraft.http().thresholds(3, 2).unusableAtFirst().config(), 10);
    unusable.onResult("a", 11);
    assertEquals(new ProbeStatus(Verdict.UNTESTED, false, 10, "a", 11), unusable.status());
    unusable.onResult(null, 12);
    assertEquals(new ProbeStatus(Verdict.PASSING, true, 12, "a", 11), unusable.status());
  }
}
