package io.forebay.server.cluster.member;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.ClusterConfig.CutOff;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class FenceTest {
  private static final Duration AFTER = Duration.ofSeconds(10);
  private static final long NANOS = AFTER.toNanos();

  @ParameterizedTest
  @EnumSource
  void isPastUntilTheFirstProof(CutOff cutOff) {
    Fence fence = new Fence(cutOff, AFTER);
    assertTrue(fence.isPast(System.nanoTime()));
    assertTrue(fence.isProofOld(System.nanoTime()));
  }

  @ParameterizedTest
  @EnumSource
  void lastsFromBeforeTheProofOn(CutOff cutOff) {
    Fence fence = new Fence(cutOff, AFTER);
    long now = System.nanoTime();
    fence.extend(now);
    assertFalse(fence.isPast(now + NANOS - 1));
    assertFalse(fence.isProofOld(now + NANOS - 1));
    assertEquals(cutOff != CutOff.SERVE, fence.isPast(now + NANOS));
    assertTrue(fence.isProofOld(now + NANOS));
    fence.close();
    assertTrue(fence.isPast(System.nanoTime()), "purges are known to be missing");
  }

  @Test
  void countsAcrossTheEndOfTheClock() {
    Fence fence = new Fence(CutOff.FENCE, AFTER);
    long now = Long.MAX_VALUE - 5;
    fence.extend(now);
    assertFalse(fence.isPast(now + NANOS - 1));
    assertTrue(fence.isPast(now + NANOS));
  }

  @Test
  void aMemberIsFencedWhoseLeaseHasEndedUnlessItServesOn() {
    assertTrue(member(CutOff.FENCE, false).isFenced());
    assertTrue(member(CutOff.REFUSE, false).isFenced());
    assertFalse(member(CutOff.SERVE, false).isFenced());
    assertFalse(member(CutOff.FENCE, true).isFenced());
  }

  private static Member member(CutOff cutOff, boolean isAlive) {
    return new Member("n", "g", "a:1", cutOff, "1", isAlive);
  }

  @Test
  void membersAreReadAsTheyWereWritten() {
    Member member = member(CutOff.REFUSE, true);
    assertEquals(member, MemberJson.read("n", MemberJson.member(member), true, false));
    NodeIdentity identity = new NodeIdentity("d", "b");
    assertEquals(identity, MemberJson.identity(MemberJson.alive(identity, "")));
    assertEquals(null, MemberJson.read("n", "{}", true, false));
    assertEquals(null, MemberJson.read("n", "no JSON", true, false));
    assertEquals(null, MemberJson.identity("[]"));
    Member unknown =
        MemberJson.read(
            "n", "{\"group\":\"g\",\"address\":\"a:1\",\"cutOff\":\"later\"}", false, false);
    assertEquals(CutOff.SERVE, unknown == null ? null : unknown.cutOff(), "the weakest");
  }
}
