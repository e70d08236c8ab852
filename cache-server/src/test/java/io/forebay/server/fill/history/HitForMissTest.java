package io.forebay.server.fill.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.RequestView;
import io.forebay.core.http.SyntheticRequest;
import io.forebay.core.http.TargetUri;
import io.forebay.core.policy.Reason;
import io.forebay.server.fill.history.HitForMiss.Kind;
import org.junit.jupiter.api.Test;

final class HitForMissTest {

  private static final long NOW = 1_700_000_000_500L;
  private static final FillKey KEY = new FillKey(0x1234_5678_9abc_def0L, 0x0fed_cba9_8765_4321L);

  private final HitForMiss table = new HitForMiss(1 << 16);
  private final RequestView plain = request(HeaderFields.EMPTY);
  private final RequestView authorized =
      request(HeaderFields.builder().add("authorization", "Basic YQ==").build());

  private final RequestView withCookies =
      request(HeaderFields.builder().add("cookie", "sid=1").build());

  private static RequestView request(HeaderFields fields) {
    return SyntheticRequest.of("GET", new TargetUri("http", "a.example", "/", null), fields);
  }

  @Test
  void remembersUntilTheTimeIsOver() {
    assertFalse(table.isKnown(KEY, plain, NOW));
    table.remember(KEY, plain, NOW, 60_000, Kind.UNCACHEABLE, Reason.NOT_STORED_PRIVATE);
    assertTrue(table.isKnown(KEY, plain, NOW));
    assertTrue(table.isKnown(KEY, plain, NOW + 59_999));
    assertFalse(table.isKnown(KEY, plain, NOW + 61_000));
  }

  @Test
  void remembersNothingForNoTime() {
    table.remember(KEY, plain, NOW, 60_000, Kind.UNCACHEABLE, Reason.NOT_STORED_PRIVATE);
    table.remember(KEY, plain, NOW, 0, Kind.UNCACHEABLE, Reason.NOT_STORED_PRIVATE);
    assertNull(table.find(KEY, plain, NOW));
  }

  @Test
  void forgetsWhatIsStorableAgain() {
    table.remember(KEY, plain, NOW, 60_000, Kind.UNCACHEABLE, Reason.NOT_STORED_PRIVATE);
    table.forget(KEY, plain);
    assertFalse(table.isKnown(KEY, plain, NOW));
  }

  @Test
  void whatAnAuthorizedClientGotSaysNothingOfTheOthers() {
    table.remember(KEY, authorized, NOW, 60_000, Kind.UNCACHEABLE, Reason.NOT_STORED_PRIVATE);
    assertTrue(table.isKnown(KEY, authorized, NOW));
    assertFalse(table.isKnown(KEY, plain, NOW));
    table.forget(KEY, plain);
    assertTrue(table.isKnown(KEY, authorized, NOW));
  }

  @Test
  void whatAClientWithCookiesGotSaysNothingOfThoseWithout() {
    FillKey key = HitForMiss.withCookies(KEY);
    table.remember(key, withCookies, NOW, 60_000, Kind.UNCACHEABLE, Reason.NOT_STORED_PRIVATE);
    assertTrue(table.isKnown(KEY, withCookies, NOW));
    assertFalse(table.isKnown(KEY, plain, NOW));
    table.forget(KEY, withCookies);
    assertFalse(table.isKnown(KEY, withCookies, NOW));
  }

  @Test
  void concernsWhoeverHasTheSameCredentials() {
    assertTrue(HitForMiss.concerns(plain, withCookies));
    assertTrue(HitForMiss.concerns(withCookies, withCookies));
    assertFalse(HitForMiss.concerns(withCookies, plain));
    assertFalse(HitForMiss.concerns(authorized, plain));
    assertFalse(HitForMiss.concerns(authorized, withCookies));
  }

  @Test
  void whatIsNeverFreshIsNoPass() {
    table.remember(KEY, plain, NOW, 60_000, Kind.NEVER_FRESH, null);
    assertFalse(table.isKnown(KEY, plain, NOW));
    assertEquals(Kind.NEVER_FRESH, table.find(KEY, plain, NOW + 59_999));
    assertNull(table.find(KEY, plain, NOW + 61_000));
    table.remember(KEY, plain, NOW, 60_000, Kind.UNCACHEABLE, Reason.NOT_STORED_PRIVATE);
    assertEquals(Kind.UNCACHEABLE, table.find(KEY, plain, NOW));
  }

  @Test
  void keysThatShareASlotAreToldApart() {
    table.remember(KEY, plain, NOW, 60_000, Kind.UNCACHEABLE, Reason.NOT_STORED_PRIVATE);
    FillKey other = new FillKey(~KEY.hi(), KEY.lo());
    assertFalse(table.isKnown(other, plain, NOW));
    table.forget(other, plain);
    assertTrue(table.isKnown(KEY, plain, NOW), "forgotten with another one");
    assertTrue(
        table.remember(other, plain, NOW, 60_000, Kind.UNCACHEABLE, Reason.NOT_STORED_PRIVATE),
        "pushed out");
    assertFalse(table.isKnown(KEY, plain, NOW));
    assertFalse(
        table.remember(other, plain, NOW, 60_000, Kind.UNCACHEABLE, Reason.NOT_STORED_PRIVATE),
        "its own");
    assertFalse(
        table.remember(
            KEY, plain, NOW + 61_000, 60_000, Kind.UNCACHEABLE, Reason.NOT_STORED_PRIVATE),
        "over anyway");
  }

  @Test
  void hasAPowerOfTwoOfEntries() {
    assertThrows(IllegalArgumentException.class, () -> new HitForMiss(1000));
  }
}
