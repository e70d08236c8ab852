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
    assertEquals(4, tally.failuresInARow());
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
