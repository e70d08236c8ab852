package io.forebay.cli.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.cli.console.CommandException;
import io.forebay.server.ring.RingRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class RecordQueryTest {
  private static final RingRecord RECORD =
      Records.of("GET", "http", "a.example", "/x and y", "q=200ms", 503, 250_000_000, 20_000);

  @ParameterizedTest
  @CsvSource(
      delimiter = '#',
      value = {
        "status >= 500 and first_byte > 200ms # status >= 500 && first_byte > duration(\"200ms\")",
        "not (a or b) # ! (a || b)",
        "body_bytes > 10KiB # body_bytes > 10240",
        "body_bytes > 3MB # body_bytes > 3000000",
        "path == \"/x and 5s\" # path == \"/x and 5s\"",
        "path == '\\' or 1s' # path == '\\' or 1s'",
        "android.order == x200ms # android.order == x200ms",
        "body_bytes > 999999999999999GiB # body_bytes > 9223372036854775807",
      })
  void wordsAndUnitsBecomeCel(String query, String cel) {
    assertEquals(cel, RecordQuery.cel(query));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "status >= 500 and first_byte > 200ms",
        "last_byte >= 250ms and not (fetch > 0s)",
        "body_bytes == 20000",
        "url == 'http://a.example/x and y?q=200ms'",
        "host.endsWith('.example') && path.startsWith('/x')",
        "cache == 'miss' or cache == 'hit'",
        "user_agent == '' and time > timestamp('2026-01-01T00:00:00Z')",
        "['a', 'b'].exists(host, host == 'b')",
        "method in ['GET', 'HEAD'] and scheme == 'http' and protocol == 'HTTP/1.1'",
      })
  void holds(String query) {
    assertTrue(RecordQuery.of(query).holds(RECORD));
  }

  @ParameterizedTest
  @ValueSource(strings = {"status < 500", "route == 'video'", "first_byte > 251ms"})
  void doesNotHold(String query) {
    assertFalse(RecordQuery.of(query).holds(RECORD));
  }

  @Test
  void everyVariableHasAValue() {
    for (String name :
        new String[] {
          "url",
          "method",
          "scheme",
          "host",
          "path",
          "query",
          "protocol",
          "client",
          "route",
          "origin",
          "cache",
          "reason",
          "request_id",
          "user_agent",
          "referer",
          "coding",
          "error",
          "abort"
        }) {
      assertTrue(RecordQuery.of(name + " == '' or " + name + " != ''").holds(RECORD), name);
    }
  }

  @Test
  void aWrongQueryIsSaidWithAProposal() {
    CommandException wrong =
        assertThrows(CommandException.class, () -> RecordQuery.of("statu == 5 and x"));
    assertTrue(
        String.valueOf(wrong.getMessage()).contains("undeclared reference to 'statu'")
            && String.valueOf(wrong.getMessage()).contains("status"),
        wrong.getMessage());
    assertThrows(CommandException.class, () -> RecordQuery.of("request.method == 'GET'"));
    assertThrows(CommandException.class, () -> RecordQuery.of(""));
  }
}
