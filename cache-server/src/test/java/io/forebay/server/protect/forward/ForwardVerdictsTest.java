package io.forebay.server.protect.forward;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.core.http.HeaderFields;
import io.forebay.server.protect.forward.ForwardVerdicts.Joining;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The bounds of what is remembered and awaited, by a clock that the test moves. */
final class ForwardVerdictsTest {
  private static final ForwardVerdict ADMITTED = new ForwardVerdict.Admitted(HeaderFields.EMPTY);

  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
  private final ForwardVerdicts verdicts = new ForwardVerdicts(nanos::get);
  private final List<ForwardVerdict> told = new ArrayList<>();

  @Test
  void whoeverJoinsIsToldOnce() {
    assertEquals(Joining.FIRST, verdicts.join("a", told::add));
    assertEquals(Joining.JOINED, verdicts.join("a", told::add));
    assertEquals(Joining.FIRST, verdicts.join("b", told::add));
    verdicts.settled("a", ADMITTED, 0);
    assertEquals(List.of(ADMITTED, ADMITTED), told);
    verdicts.settled("a", ADMITTED, 0);
    assertEquals(2, told.size());
    assertEquals(Joining.FIRST, verdicts.join("a", told::add));
  }

  @Test
  void soManyMayWaitForOneVerdict() {
    for (int i = 0; i < ForwardVerdicts.MAX_WAITING; i++) {
      assertEquals(i == 0 ? Joining.FIRST : Joining.JOINED, verdicts.join("a", told::add));
    }
    assertEquals(Joining.FULL, verdicts.join("a", told::add));
    verdicts.settled("a", ADMITTED, 0);
    assertEquals(ForwardVerdicts.MAX_WAITING, told.size());
  }

  @Test
  void soManyQuestionsAreUnderWay() {
    for (int i = 0; i < ForwardVerdicts.MAX_SUBREQUESTS; i++) {
      assertTrue(verdicts.begin());
    }
    assertFalse(verdicts.begin());
    verdicts.end();
    assertTrue(verdicts.begin());
    assertFalse(verdicts.begin());
  }

  @Test
  void whatAdmitsIsRememberedForItsTimeAndNothingElse() {
    verdicts.settled("a", ADMITTED, 10);
    assertNotNull(verdicts.remembered("a"));
    nanos.addAndGet(9);
    assertNotNull(verdicts.remembered("a"));
    nanos.addAndGet(1);
    assertNull(verdicts.remembered("a"));
    verdicts.settled("b", ADMITTED, 0);
    assertNull(verdicts.remembered("b"));
    verdicts.settled("c", new ForwardVerdict.Refused(401, ""), 10);
    verdicts.settled("c", new ForwardVerdict.Failed(), 10);
    assertNull(verdicts.remembered("c"));
  }

  @Test
  void theTableIsBounded() {
    for (int i = 0; i <= ForwardVerdicts.MAX_REMEMBERED; i++) {
      verdicts.settled("a" + i, ADMITTED, 10);
    }
    assertNull(verdicts.remembered("a0"));
    assertNotNull(verdicts.remembered("a" + ForwardVerdicts.MAX_REMEMBERED));
  }

  @Test
  void aFailureIsLoggedEveryTenSeconds() {
    assertTrue(verdicts.logs());
    assertFalse(verdicts.logs());
    nanos.addAndGet(10_000_000_000L);
    assertTrue(verdicts.logs());
  }
}
