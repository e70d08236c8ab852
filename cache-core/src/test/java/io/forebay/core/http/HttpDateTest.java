package io.forebay.core.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class HttpDateTest {

  private static final long NOW = Instant.parse("2026-06-01T00:00:00Z").toEpochMilli();

  /** RFC 9110 §5.6.7. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          Sun, 06 Nov 1994 08:49:37 GMT    | 1994-11-06T08:49:37Z
          Sunday, 06-Nov-94 08:49:37 GMT   | 1994-11-06T08:49:37Z
          SUN, 06 nov 1994 08:49:37 gmt    | 1994-11-06T08:49:37Z
          sUNDAY, 06-nOV-94 08:49:37 Gmt   | 1994-11-06T08:49:37Z
          sun NOV  6 08:49:37 1994         | 1994-11-06T08:49:37Z
          Sun Nov  6 08:49:37 1994         | 1994-11-06T08:49:37Z
          Sun Nov 16 08:49:37 1994         | 1994-11-16T08:49:37Z
          Thu, 01 Jan 1970 00:00:00 GMT    | 1970-01-01T00:00:00Z
          Thu, 29 Feb 2024 23:59:59 GMT    | 2024-02-29T23:59:59Z
          Sat, 31 Dec 2016 23:59:60 GMT    | 2017-01-01T00:00:00Z
          Mon, 06 Nov 1994 08:49:37 GMT    | 1994-11-06T08:49:37Z
          Fri, 31 Dec 9999 23:59:59 GMT    | 9999-12-31T23:59:59Z
          Monday, 01-Jan-70 00:00:00 GMT   | 2070-01-01T00:00:00Z
          Monday, 01-Jan-76 00:00:00 GMT   | 2076-01-01T00:00:00Z
          Monday, 01-Jan-77 00:00:00 GMT   | 1977-01-01T00:00:00Z
          Wednesday, 01-Jan-26 00:00:00 GMT | 2026-01-01T00:00:00Z
          """)
  void readsAllThreeForms(String text, String instant) {
    assertEquals(Instant.parse(instant).toEpochMilli(), HttpDate.parse(text, NOW));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "0",
        "-1",
        "Sun, 06 Nov 1994 08:49:37",
        "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 94 08:49:37 GMT",
        "Sun, 00 Nov 1994 08:49:37 GMT",
        "Sun, 31 Nov 1994 08:49:37 GMT",
        "Sun, 29 Feb 2023 08:49:37 GMT",
        "Sun, 29 Feb 1900 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:49:37 GMT",
        "Sun, 06 Nov 1994 08:60:37 GMT",
        "Sun, 06 Nov 1994 08:49:61 GMT",
        "Sun, 06 Nov 1994 08-49-37 GMT",
        "Sun, 06-Nov-1994 08:49:37 GMT",
        "Sun, 06 Nov 1994  8:49:37 GMT",
        "Sunday, 06 Nov 1994 08:49:37 GMT",
        "Funday, 06-Nov-94 08:49:37 GMT",
        "Sunday, 06-Nov-94 08:49:37 GMT ",
        "Sunday,",
        "Sun Nov  6 08:49:37 94  ",
        "Sun, 06 Nov 1994 08:49:37 GMTx",
        "Sun Nov  x 08:49:37 1994",
        "1994-11-06T08:49:37Z",
        "Sun, \uff10\uff16 Nov 1994 08:49:37 GMT"
      })
  void anythingElseIsInvalid(String text) {
    assertEquals(HttpDate.INVALID, HttpDate.parse(text, NOW));
  }

  @Test
  void writesWhatTheJdkWrites() {
    long seed = 3;
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    DateTimeFormatter jdk =
        DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ROOT);
    long end = Instant.parse("9999-12-31T23:59:59Z").getEpochSecond();
    long begin = Instant.parse("0001-01-01T00:00:00Z").getEpochSecond();
    for (int i = 0; i < 20_000; i++) {
      long second = random.nextLong(begin, end);
      String text = HttpDate.format(second * 1000 + random.nextInt(1000));
      LocalDateTime time = LocalDateTime.ofEpochSecond(second, 0, ZoneOffset.UTC);
      assertEquals(jdk.format(time), text, "seed " + seed);
      assertEquals(second * 1000, HttpDate.parse(text, NOW), text);
    }
  }

  @Test
  void refusesToWriteYearsOfFiveDigits() {
    long tooLate = Instant.parse("+10000-01-01T00:00:00Z").toEpochMilli();
    assertThrows(IllegalArgumentException.class, () -> HttpDate.format(tooLate));
  }
}
