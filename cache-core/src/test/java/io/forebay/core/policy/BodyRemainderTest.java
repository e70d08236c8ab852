package io.forebay.core.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.HttpDate;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class BodyRemainderTest {

  private static final String MODIFIED = "Tue, 02 Jun 2026 10:00:00 GMT";
  private static final long MODIFIED_MILLIS = HttpDate.parse(MODIFIED, 0);

  private static StoredMeta stored(
      int status, @Nullable String etag, @Nullable String lastModified, long dateMillis) {
    long modified = lastModified == null ? HttpDate.INVALID : HttpDate.parse(lastModified, 0);
    return StoredMeta.of(
        StoredMeta.encode(
            new MetaValues(
                status,
                0,
                0,
                0,
                dateMillis,
                modified,
                0,
                -1,
                -1,
                0,
                etag,
                lastModified,
                List.of())));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      textBlock =
          """
          a strong tag                            | 200 | "a"   | - | 0    | "a"
          a strong tag goes before the date       | 200 | "a"   | M | 5000 | "a"
          a weak tag says nothing of the bytes    | 200 | W/"a" | - | 0    | -
          nor does a date beside a weak tag       | 200 | W/"a" | M | 5000 | -
          a tag that is none                      | 200 | a     | - | 0    | -
          a date at least a second before Date    | 200 | -     | M | 1000 | M
          a date within the second of Date        | 200 | -     | M | 999  | -
          a date that is none                     | 200 | -     | x | 5000 | -
          no validator                            | 200 | -     | - | 0    | -
          another status has no ranges            | 404 | "a"   | - | 0    | -
          """)
  void onlyAStrongValidatorTellsThatTheRestIsOfTheSameBody(
      String sentence,
      int status,
      @Nullable String etag,
      @Nullable String modified,
      long laterMillis,
      @Nullable String expected) {
    String date = "M".equals(modified) ? MODIFIED : modified;
    BodyRemainder rest =
        BodyRemainder.of(stored(status, etag, date, MODIFIED_MILLIS + laterMillis), 1000);
    String validator = "M".equals(expected) ? MODIFIED : expected;
    assertEquals(validator, rest == null ? null : rest.validator(), sentence);
  }

  @Test
  void asksForTheMissingBytesUnderTheConditionThatNothingHasChanged() {
    assertEquals(
        "range: bytes=100-999\nif-range: \"a\"\n",
        new BodyRemainder("\"a\"", 1000).requestFields(100, 999).toString());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      textBlock =
          """
          exactly what was asked for    | 206 | bytes 100-999/1000  | "a"   | true
          the unit in another case      | 206 | Bytes 100-999/1000  | "a"   | true
          the whole instead             | 200 | -                   | "a"   | false
          whole, though it says a range | 200 | bytes 100-999/1000  | "a"   | false
          nothing in that range         | 416 | bytes */1000        | "a"   | false
          another body                  | 206 | bytes 100-999/1000  | "b"   | false
          a weak tag                    | 206 | bytes 100-999/1000  | W/"a" | false
          no tag                        | 206 | bytes 100-999/1000  | -     | false
          several ranges                | 206 | -                   | "a"   | false
          a later beginning             | 206 | bytes 101-999/1000  | "a"   | false
          an earlier beginning          | 206 | bytes 99-999/1000   | "a"   | false
          an earlier end                | 206 | bytes 100-998/1000  | "a"   | false
          another length of the whole   | 206 | bytes 100-999/1001  | "a"   | false
          a length that is not told     | 206 | bytes 100-999/*     | "a"   | false
          another unit                  | 206 | items 100-999/1000  | "a"   | false
          """)
  void takesNothingButThoseBytesOfThatBody(
      String sentence,
      int status,
      @Nullable String range,
      @Nullable String etag,
      boolean isAnswer) {
    HeaderFields.Builder fields = HeaderFields.builder();
    if (range != null) {
      fields.add("content-range", range);
    }
    if (etag != null) {
      fields.add("etag", etag);
    }
    BodyRemainder rest = new BodyRemainder("\"a\"", 1000);
    assertEquals(isAnswer, rest.isAnsweredBy(status, fields.build(), 100, 999), sentence);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      textBlock =
          """
          exactly what was asked for  | 206 | bytes 100-999/1000  | "a"   | false
          the whole instead           | 200 | -                   | "a"   | true
          nothing is there any more   | 404 | -                   | -     | true
          nor will be                 | 410 | -                   | -     | true
          nothing in that range       | 416 | bytes */10          | -     | true
          another body                | 206 | bytes 100-999/1000  | "b"   | true
          no tag                      | 206 | bytes 100-999/1000  | -     | true
          another length of the whole | 206 | bytes 100-999/1001  | "a"   | true
          a length that is not told   | 206 | bytes 100-999/*     | "a"   | false
          another range               | 206 | bytes 101-999/1000  | "a"   | false
          several ranges              | 206 | -                   | "a"   | false
          an origin that is ill       | 503 | -                   | -     | false
          who asks for a name         | 401 | -                   | -     | false
          """)
  void whatDeniesTheBodyIsToldFromWhatFails(
      String sentence,
      int status,
      @Nullable String range,
      @Nullable String etag,
      boolean isDenied) {
    HeaderFields.Builder fields = HeaderFields.builder();
    if (range != null) {
      fields.add("content-range", range);
    }
    if (etag != null) {
      fields.add("etag", etag);
    }
    BodyRemainder rest = new BodyRemainder("\"a\"", 1000);
    assertEquals(isDenied, rest.isDeniedBy(status, fields.build()), sentence);
  }

  @Test
  void aSecondContentRangeOrTagIsNoAnswer() {
    BodyRemainder rest = new BodyRemainder("\"a\"", 10);
    HeaderFields twoRanges =
        HeaderFields.builder()
            .add("content-range", "bytes 5-9/10")
            .add("content-range", "bytes 5-9/10")
            .add("etag", "\"a\"")
            .build();
    assertEquals(false, rest.isAnsweredBy(206, twoRanges, 5, 9));
    HeaderFields twoTags =
        HeaderFields.builder()
            .add("content-range", "bytes 5-9/10")
            .add("etag", "\"a\"")
            .add("etag", "\"b\"")
            .build();
    assertEquals(false, rest.isAnsweredBy(206, twoTags, 5, 9));
  }

  @Test
  void byDateTheAnswerMustCarryTheSameDate() {
    BodyRemainder rest =
        present(BodyRemainder.of(stored(200, null, MODIFIED, MODIFIED_MILLIS + 60_000), 10));
    HeaderFields.Builder same = HeaderFields.builder().add("content-range", "bytes 5-9/10");
    assertEquals(false, rest.isAnsweredBy(206, same.build(), 5, 9));
    same.add("last-modified", MODIFIED);
    assertEquals(true, rest.isAnsweredBy(206, same.build(), 5, 9));
  }

  private static BodyRemainder present(@Nullable BodyRemainder rest) {
    assertNotNull(rest);
    return rest;
  }
}
