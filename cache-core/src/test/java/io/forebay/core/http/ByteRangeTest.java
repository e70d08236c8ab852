package io.forebay.core.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ByteRangeTest {

  /** RFC 9110 §14.1.2, §14.2, of 100 bytes. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          bytes=0-0                     | 0-0
          bytes=0-99                    | 0-99
          bytes=0-100                   | 0-99
          bytes=10-                     | 10-99
          bytes=99-                     | 99-99
          bytes=-1                      | 99-99
          bytes=-100                    | 0-99
          bytes=-101                    | 0-99
          bytes=-99999999999999999999   | 0-99
          bytes=0-99999999999999999999  | 0-99
          bytes=00000000000000000000005-6 | 5-6
          BYTES=0-1                     | 0-1
          bytes= 0-1                    | 0-1
          bytes=100-                    | unsatisfiable
          bytes=100-200                 | unsatisfiable
          bytes=9223372036854775807-    | unsatisfiable
          bytes=9223372036854775808-    | unsatisfiable
          bytes=99999999999999999999-   | unsatisfiable
          bytes=-0                      | unsatisfiable
          bytes=5-1                     | none
          bytes=-                       | none
          bytes=                        | none
          bytes                         | none
          bytes=a-b                     | none
          bytes=1                       | none
          bytes=1-2-3                   | none
          bytes=--1                     | none
          bytes=+1-2                    | none
          bytes=0x1-2                   | none
          bytes=0 -1                    | none
          bytes=0-0,2-3                 | none
          bytes=0-0,                    | none
          bytes=,0-0                    | none
          bytes =0-0                    | none
          items=0-1                     | none
          xbytes=0-1                    | none
          0-1                           | none
          """)
  void evaluatesOneRange(String value, String expected) {
    assertEquals(expected, text(ByteRange.of(value, 100)));
  }

  @ParameterizedTest
  @CsvSource({"bytes=0-, unsatisfiable", "bytes=-5, none", "bytes=-0, unsatisfiable"})
  void nothingHasNoBytes(String value, String expected) {
    assertEquals(expected, text(ByteRange.of(value, 0)));
  }

  @Test
  void worksUpToTheLargestLength() {
    assertEquals(
        new ByteRange.Satisfiable(Long.MAX_VALUE - 1, Long.MAX_VALUE - 1),
        ByteRange.of("bytes=9223372036854775806-", Long.MAX_VALUE));
    assertEquals(1, new ByteRange.Satisfiable(5, 5).length());
    assertEquals(ByteRange.NONE, ByteRange.of(null, 100));
  }

  @Test
  void aThousandRangesAreIgnoredInLinearTime() {
    String value = "bytes=" + "0-0,".repeat(500_000);
    String digits = "bytes=" + "9".repeat(2_000_000) + "-";
    assertTimeoutPreemptively(
        Duration.ofSeconds(5),
        () -> {
          assertEquals(ByteRange.NONE, ByteRange.of(value, 100));
          assertEquals(ByteRange.UNSATISFIABLE, ByteRange.of(digits, 100));
        });
  }

  private static String text(ByteRange range) {
    return switch (range) {
      case ByteRange.None() -> "none";
      case ByteRange.Unsatisfiable() -> "unsatisfiable";
      case ByteRange.Satisfiable(long first, long last) -> first + "-" + last;
    };
  }
}
