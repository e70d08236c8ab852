package io.forebay.core.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
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
          bytes=0-0,                    | 0-0
          bytes=, ,0-0                  | 0-0
          bytes=,                       | none
          bytes=0-0,a                   | none
          bytes=0-0,5-1                 | none
          bytes=0-0 2-3                 | none
          bytes =0-0                    | none
          items=0-1                     | none
          xbytes=0-1                    | none
          0-1                           | none
          """)
  void evaluatesOneRange(String value, String expected) {
    assertEquals(expected, text(ByteRange.of(value, 100, 16)));
  }

  /** RFC 9110 §14.1.2, §14.2, §15.3.7.2, of 1000 bytes, four ranges at most. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          in order                             | bytes=0-9,200-209           | 0-9 200-209
          in the order asked for               | bytes=500-509,0-9           | 500-509 0-9
          whitespace and empty elements        | bytes= 0-9 ,, 500-509 ,     | 0-9 500-509
          a suffix among them                  | bytes=0-9,-10               | 0-9 990-999
          an open one among them               | bytes=0-9,900-              | 0-9 900-999
          what is beyond the end is left out   | bytes=0-9,1000-,200-209     | 0-9 200-209
          all but one beyond the end           | bytes=1000-,5-9             | 5-9
          all beyond the end                   | bytes=1000-,2000-2001,-0    | unsatisfiable
          overlapping ones are one             | bytes=0-99,50-149           | 0-149
          one within the other                 | bytes=0-99,50-59            | 0-99
          adjacent ones are one                | bytes=0-99,100-149          | 0-149
          adjacent the other way round         | bytes=100-149,0-99          | 0-149
          a gap as long as a part's head       | bytes=0-9,89-99             | 0-99
          a gap that is longer                 | bytes=0-9,90-99             | 0-9 90-99
          joined through a third               | bytes=0-9,180-189,90-100    | 0-9 90-189
          joined to one that was passed        | bytes=0-9,180-189,70-120    | 0-189
          the whole in two halves              | bytes=0-499,500-            | 0-999
          as many as are allowed               | bytes=0-0,200-200,400-400,600-600 | 0-0 200-200 400-400 600-600
          one more                             | bytes=0-0,200-200,400-400,600-600,800-800 | none
          also if it is not satisfiable        | bytes=0-0,200-200,400-400,600-600,1000- | none
          two that overlap                     | bytes=0-99,50-149,400-      | 0-149 400-999
          three that overlap                   | bytes=0-99,50-149,99-200    | none
          the same three times                 | bytes=0-0,0-0,0-0           | none
          """)
  void evaluatesSeveralRanges(String sentence, String value, String expected) {
    assertEquals(expected, text(ByteRange.of(value, 1000, 4)), sentence);
  }

  @Test
  void aFewRangesMayComeInAnyOrderButNotMany() {
    assertEquals(
        "600-600 400-400 200-200 0-0",
        text(ByteRange.of("bytes=600-600,400-400,200-200,0-0", 1000, 16)));
    assertEquals(
        ByteRange.NONE, ByteRange.of("bytes=800-800,600-600,400-400,200-200,0-0", 1000, 16));
    assertEquals(
        "0-0 200-200 400-400 600-600 800-800",
        text(ByteRange.of("bytes=0-0,200-200,400-400,600-600,800-800", 1000, 16)));
  }

  @ParameterizedTest
  @CsvSource({"bytes=0-, unsatisfiable", "bytes=-5, none", "bytes=-0, unsatisfiable"})
  void nothingHasNoBytes(String value, String expected) {
    assertEquals(expected, text(ByteRange.of(value, 0, 16)));
  }

  @Test
  void worksUpToTheLargestLength() {
    assertEquals(
        new ByteRange.Satisfiable(Long.MAX_VALUE - 1, Long.MAX_VALUE - 1),
        ByteRange.of("bytes=9223372036854775806-", Long.MAX_VALUE, 16));
    assertEquals(1, new ByteRange.Satisfiable(5, 5).length());
    assertEquals(ByteRange.NONE, ByteRange.of(null, 100, 16));
  }

  @Test
  void aThousandRangesAreIgnoredInLinearTime() {
    String value = "bytes=" + "0-0,".repeat(500_000);
    String commas = "bytes=" + ",".repeat(2_000_000);
    String digits = "bytes=" + "9".repeat(2_000_000) + "-";
    assertTimeoutPreemptively(
        Duration.ofSeconds(5),
        () -> {
          assertEquals(ByteRange.NONE, ByteRange.of(value, 100, 16));
          assertEquals(ByteRange.NONE, ByteRange.of(commas, 100, 16));
          assertEquals(ByteRange.UNSATISFIABLE, ByteRange.of(digits, 100, 16));
        });
  }

  private static String text(ByteRange range) {
    return switch (range) {
      case ByteRange.None() -> "none";
      case ByteRange.Unsatisfiable() -> "unsatisfiable";
      case ByteRange.Satisfiable(long first, long last) -> first + "-" + last;
      case ByteRange.Several(List<ByteRange.Satisfiable> parts) ->
          parts.stream().map(ByteRangeTest::text).collect(Collectors.joining(" "));
    };
  }
}
