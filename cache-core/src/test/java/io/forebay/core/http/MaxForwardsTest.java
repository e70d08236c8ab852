package io.forebay.core.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** RFC 9110 §7.6.2. */
final class MaxForwardsTest {

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "1, 1",
    "007, 7",
    "255, 255",
    "256, 256",
    "99999999999999999999, 256",
    "'', -2",
    "-1, -2",
    "1.5, -2",
    "'1, 2', -2",
    "x, -2"
  })
  void isANumber(String value, int number) {
    assertEquals(number, MaxForwards.of(HeaderFields.of("max-forwards", value)));
  }

  @Test
  void isSentOnLessOneOrAsTheMostThatIsKnown() {
    assertEquals(MaxForwards.ABSENT, MaxForwards.of(HeaderFields.EMPTY));
    assertEquals(
        MaxForwards.MALFORMED,
        MaxForwards.of(HeaderFields.of("max-forwards", "1", "max-forwards", "1")));
    assertEquals(0, MaxForwards.next(1));
    assertEquals(254, MaxForwards.next(255));
    assertEquals(255, MaxForwards.next(256));
  }
}
