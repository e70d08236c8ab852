package io.forebay.server.fill.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.RequestView;
import io.forebay.core.http.SyntheticRequest;
import io.forebay.core.http.TargetUri;
import java.util.List;
import org.junit.jupiter.api.Test;

final class BackoffTest {

  private static final long NOW = 1_700_000_000_000L;
  private static final FillKey KEY = new FillKey(0x1234_5678_9abc_def0L, 0x0fed_cba9_8765_4321L);

  private final Backoff table = new Backoff(1 << 10, 0, 1_000, 30_000);
  private final RequestView plain = request(HeaderFields.EMPTY);
  private final RequestView authorized =
      request(HeaderFields.builder().add("authorization", "Basic YQ==").build());

  private final RequestView withCookies =
      request(HeaderFields.builder().add("cookie", "sid=1").build());

  private static RequestView request(HeaderFields fields) {
    return SyntheticRequest.of("GET", new TargetUri("http", "a.example", "/", null), fields);
  }

  @Test
  void waitsLongerEachTimeUpToABound() {
    long now = NOW;
    for (long seconds : List.of(1, 2, 4, 8, 16, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30)) {
      assertEquals(0, table.heldMillis(KEY, plain, now));
      table.wasted(KEY, plain, now);
      assertEquals(seconds * 1000, table.heldMillis(KEY, plain, now));
      now += seconds * 1000;
      assertEquals(1, table.heldMillis(KEY, plain, now - 1));
    }
  }

  @Test
  void startsAnewAfterASuccess() {
    table.wasted(KEY, plain, NOW);
    table.wasted(KEY, plain, NOW);
    table.useful(KEY);
    assertEquals(0, table.heldMillis(KEY, plain, NOW));
    table.wasted(KEY, plain, NOW);
    assertEquals(1_000, table.heldMillis(KEY, plain, NOW));
    assertEquals(1, table.wastedTimes(KEY, plain));
  }

  @Test
  void letsAsManyPassAsItIsTold() {
    Backoff patient = new Backoff(8, 3, 1_000, 30_000);
    for (int i = 0; i < 3; i++) {
      patient.wasted(KEY, plain, NOW);
      assertEquals(0, patient.heldMillis(KEY, plain, NOW));
    }
    patient.wasted(KEY, plain, NOW);
    assertEquals(1_000, patient.heldMillis(KEY, plain, NOW));
  }

  @Test
  void whatAClientWithCookiesGotHoldsNobodyElseBack() {
    table.wasted(KEY, withCookies, NOW);
    assertEquals(0, table.heldMillis(KEY, plain, NOW));
    assertEquals(1_000, table.heldMillis(KEY, withCookies, NOW));
    table.useful(KEY);
    assertEquals(0, table.heldMillis(KEY, withCookies, NOW));
  }

  @Test
  void whatAnAuthorizedClientGotHoldsNobodyElseBack() {
    table.wasted(KEY, authorized, NOW);
    assertEquals(0, table.heldMillis(KEY, plain, NOW));
    assertEquals(1_000, table.heldMillis(KEY, authorized, NOW));
    table.useful(KEY);
    assertEquals(0, table.heldMillis(KEY, authorized, NOW));
  }

  @Test
  void keysThatShareASlotAreToldApart() {
    FillKey other = new FillKey(~KEY.hi(), KEY.lo());
    table.wasted(KEY, plain, NOW);
    assertEquals(0, table.heldMillis(other, plain, NOW));
    table.useful(other);
    assertEquals(1_000, table.heldMillis(KEY, plain, NOW));
    assertTrue(table.wasted(other, plain, NOW), "pushed out");
    assertEquals(0, table.heldMillis(KEY, plain, NOW));
    assertEquals(1_000, table.heldMillis(other, plain, NOW));
    assertFalse(table.wasted(other, plain, NOW), "its own");
    assertFalse(table.wasted(KEY, plain, NOW + 10_000), "over anyway");
  }

  @Test
  void aClockThatIsSetBackHoldsNothingForLong() {
    table.wasted(KEY, plain, NOW);
    assertEquals(0, table.heldMillis(KEY, plain, NOW - 3_600_000));
  }

  @Test
  void hasAPowerOfTwoOfEntries() {
    assertThrows(IllegalArgumentException.class, () -> new Backoff(1000, 0, 1, 1));
  }
}
