package io.forebay.server.cluster.purge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.cluster.member.Member;
import io.forebay.server.cluster.purge.ReceiptRule.State;
import io.forebay.server.config.ClusterConfig.CutOff;
import io.forebay.server.config.ClusterConfig.Wait;
import org.junit.jupiter.api.Test;

final class ReceiptRuleTest {

  private static Member member(String name, String group, CutOff cutOff, boolean isAlive) {
    return new Member(name, group, "a:1", cutOff, "1", isAlive);
  }

  @Test
  void waitsForItselfItsGroupOrAll() {
    Member self = member("a", "g", CutOff.FENCE, true);
    Member same = member("b", "g", CutOff.FENCE, true);
    Member other = member("c", "h", CutOff.FENCE, true);
    assertTrue(ReceiptRule.isWaitedFor(Wait.SELF, self, self));
    assertFalse(ReceiptRule.isWaitedFor(Wait.SELF, self, same));
    assertTrue(ReceiptRule.isWaitedFor(Wait.GROUP, self, same));
    assertFalse(ReceiptRule.isWaitedFor(Wait.GROUP, self, other));
    assertTrue(ReceiptRule.isWaitedFor(Wait.ALL, self, other));
  }

  @Test
  void aNodeIsConfirmedFencedOrPending() {
    Member alive = member("b", "g", CutOff.FENCE, true);
    Member gone = member("b", "g", CutOff.FENCE, false);
    Member goneAndServing = member("b", "g", CutOff.SERVE, false);
    assertEquals(State.CONFIRMED, ReceiptRule.state(true, alive));
    assertEquals(State.CONFIRMED, ReceiptRule.state(true, goneAndServing));
    assertEquals(State.PENDING, ReceiptRule.state(false, alive));
    assertEquals(State.FENCED, ReceiptRule.state(false, gone));
    assertEquals(State.PENDING, ReceiptRule.state(false, goneAndServing));
    assertEquals(State.FENCED, ReceiptRule.state(false, null), "forgotten");
  }
}
