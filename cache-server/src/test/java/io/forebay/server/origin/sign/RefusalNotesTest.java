package io.forebay.server.origin.sign;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.core.http.HeaderFields;
import java.time.Instant;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RefusalNotesTest {
  private static final Instant NOW = Instant.parse("2026-01-02T12:00:00Z");
  private static final HeaderFields IN_TIME = date("Fri, 02 Jan 2026 12:00:03 GMT");

  private final RefusalNotes notes = new RefusalNotes(InstantSource.fixed(NOW));

  private static HeaderFields date(String text) {
    return HeaderFields.of("date", text);
  }

  @ParameterizedTest
  @CsvSource({
    "'Fri, 02 Jan 2026 11:40:00 GMT', 20 min ahead of the origin's",
    "'Fri, 02 Jan 2026 12:20:00 GMT', 20 min behind the origin's",
    "'Fri, 02 Jan 2026 09:00:00 GMT', 3 h ahead of the origin's",
  })
  void aRefusalNamesClocksThatDifferAlsoOnceRequestsWereAccepted(String date, String text) {
    assertNull(notes.onAnswer(200, IN_TIME));
    String line = notes.onAnswer(403, date(date));
    assertNotNull(line);
    assertTrue(line.contains("the clock of this node is " + text), line);
    assertEquals("the origin " + line + " (at 2026-01-02T12:00:00Z)", notes.latest());
  }

  @Test
  void theFirstRefusalsAreForTheLog() {
    assertNotNull(notes.onAnswer(403, IN_TIME));
    assertNotNull(notes.onAnswer(401, HeaderFields.EMPTY));
    assertNull(notes.onAnswer(503, IN_TIME));
    assertNotNull(notes.onAnswer(403, date("no date")));
  }

  /** Without the right to list a bucket, 403 is what an object that is missing is answered with. */
  @Test
  void onceARequestWasAcceptedARefusalIsKeptForExplainOnly() {
    assertNull(notes.onAnswer(404, IN_TIME));
    assertNull(notes.latest());
    assertNull(notes.onAnswer(403, IN_TIME));
    assertNotNull(notes.latest());
  }
}
