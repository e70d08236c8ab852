package io.forebay.core.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** RFC 9211. */
final class CacheStatusTest {

  private final CacheStatus status = new CacheStatus("forebay");

  @Test
  void writesHits() {
    assertEquals("forebay; hit; ttl=123", status.hit(Reason.HIT_FRESH, 123));
    assertEquals("forebay; hit; ttl=0", status.hit(Reason.HIT_FRESH, 0));
    assertEquals(
        "forebay; hit; ttl=-7; detail=stale-while-revalidate",
        status.hit(Reason.HIT_STALE_WHILE_REVALIDATE, -7));
    assertEquals(
        "forebay; hit; ttl=-1; detail=stale-while-revalidate",
        status.hit(Reason.HIT_STALE_WHILE_REVALIDATE, 2_591_999));
    assertEquals("forebay; hit; ttl=-1; detail=max-stale", status.hit(Reason.HIT_MAX_STALE, 0));
    for (long ttl : List.of(Long.MIN_VALUE, Long.MAX_VALUE, 9L, 10L, 99L, 100L, -1L)) {
      assertEquals("forebay; hit; ttl=" + ttl, status.hit(Reason.HIT_FRESH, ttl));
    }
  }

  @Test
  void theRoomItAsksForSuffices() {
    for (Reason reason : Reason.values()) {
      if (reason.isHit()) {
        int length = status.hit(reason, Long.MIN_VALUE).length();
        assertTrue(length <= status.maxHitLength(), reason.name());
      }
    }
  }

  @Test
  void writesForwardedRequests() {
    assertEquals(
        "forebay; fwd=uri-miss; fwd-status=200; stored; collapsed",
        status.forwarded(Reason.MISS_URI, 200, true, true, null));
    assertEquals(
        "forebay; fwd=uri-miss; fwd-status=200; detail=set-cookie",
        status.forwarded(Reason.MISS_URI, 200, false, false, Reason.NOT_STORED_SET_COOKIE));
    assertEquals(
        "forebay; fwd=stale; fwd-status=304; stored; detail=no-cache",
        status.forwarded(Reason.STALE_NO_CACHE, 304, true, false, null));
    assertEquals(
        "forebay; fwd=method",
        status.forwarded(Reason.PASS_METHOD, CacheStatus.NO_STATUS, false, false, null));
  }

  @Test
  void standsBehindTheCachesNearerToTheOrigin() {
    assertEquals("a; hit, forebay; hit", CacheStatus.append("a; hit", "forebay; hit"));
    assertEquals("forebay; hit", CacheStatus.append(null, "forebay; hit"));
    assertThrows(IllegalArgumentException.class, () -> new CacheStatus("a b"));
  }

  @Test
  void tokensAreThoseOfTheRfc() {
    List<String> known =
        List.of("bypass", "method", "uri-miss", "vary-miss", "miss", "request", "stale", "partial");
    for (Reason reason : Reason.values()) {
      String fwd = reason.fwd();
      assertTrue(fwd == null || known.contains(fwd), reason.name());
      String detail = reason.detail();
      assertTrue(detail == null || detail.matches("[a-z][a-z-]*"), reason.name());
    }
  }
}
