package io.forebay.core.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.forebay.core.http.HttpDate;
import io.forebay.core.http.SyntheticRequest;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ServePlanTest {

  private static final String MODIFIED = "Tue, 02 Jun 2026 10:00:00 GMT";
  private static final long DATE = HttpDate.parse("Tue, 02 Jun 2026 12:00:00 GMT", 0);

  /** RFC 9110 §13.2, §14.2, of 100 bytes with the tag "a". */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          nothing special                      | GET  | 200 | accept=x | Whole[]
          §13.1.2                              | GET  | 200 | if-none-match="a" | NotModified[]
          §13.1.2 HEAD too                     | HEAD | 200 | if-none-match="a" | NotModified[]
          §13.1.1                              | GET  | 200 | if-match="b" | PreconditionFailed[]
          §14.2 a range                        | GET  | 200 | range=bytes=0-9 | Range[first=0, last=9]
          §14.2 not for HEAD                   | HEAD | 200 | range=bytes=0-9 | Whole[]
          §14.2 304 goes before                | GET  | 200 | range=bytes=0-9;if-none-match="a" | NotModified[]
          §14.2 412 goes before                | GET  | 200 | range=bytes=0-9;if-match="b" | PreconditionFailed[]
          §15.5.17                             | GET  | 200 | range=bytes=100- | Unsatisfiable[]
          §14.2 several ranges                 | GET  | 200 | range=bytes=0-1,90-94 | Ranges[parts=[Satisfiable[first=0, last=1], Satisfiable[first=90, last=94]]]
          §15.3.7.2 coalesced                  | GET  | 200 | range=bytes=0-1,3-4 | Range[first=0, last=4]
          §14.2 an invalid one is ignored      | GET  | 200 | range=bytes=4-3 | Whole[]
          §14.2 another unit is ignored        | GET  | 200 | range=lines=0-1 | Whole[]
          §5.3 two lines are no list           | GET  | 200 | range=bytes=0-1;range=bytes=3-4 | Whole[]
          §14.2 several, not for HEAD          | HEAD | 200 | range=bytes=0-1,90-94 | Whole[]
          §14.2 not for a method of its own    | POST | 200 | range=bytes=0-1 | Whole[]
          §13.1.5 If-Range matches             | GET  | 200 | range=bytes=0-9;if-range="a" | Range[first=0, last=9]
          §13.1.5 If-Range does not            | GET  | 200 | range=bytes=0-9;if-range="b" | Whole[]
          §13.1.5 nor for an unsatisfiable one | GET  | 200 | range=bytes=100-;if-range="b" | Whole[]
          §13.1.5 a weak one never matches     | GET  | 200 | range=bytes=0-9;if-range=W/"a" | Whole[]
          §13.1.5 nor what is no validator     | GET  | 200 | range=bytes=0-9;if-range=a | Whole[]
          §13.1.5 nor two of them              | GET  | 200 | range=bytes=0-9;if-range="a";if-range="a" | Whole[]
          §13.1.5 the very date                | GET  | 200 | range=bytes=0-9;if-range=Tue, 02 Jun 2026 10:00:00 GMT | Range[first=0, last=9]
          §13.1.5 no later date                | GET  | 200 | range=bytes=0-9;if-range=Tue, 02 Jun 2026 10:00:01 GMT | Whole[]
          §13.1.5 no earlier date              | GET  | 200 | range=bytes=0-9;if-range=Tue, 02 Jun 2026 09:59:59 GMT | Whole[]
          §13.2.2 If-Match before all          | GET  | 200 | range=bytes=0-9;if-match="b";if-none-match="a" | PreconditionFailed[]
          §13.2.2 If-Match makes the date void | GET  | 200 | if-match="a";if-unmodified-since=Tue, 02 Jun 2026 09:00:00 GMT | Whole[]
          §13.1.4 If-Unmodified-Since          | GET  | 200 | range=bytes=0-9;if-unmodified-since=Tue, 02 Jun 2026 09:00:00 GMT | PreconditionFailed[]
          §13.1.4 not modified since           | GET  | 200 | range=bytes=0-9;if-unmodified-since=Tue, 02 Jun 2026 10:00:00 GMT | Range[first=0, last=9]
          §13.1.1 any                          | GET  | 200 | if-match=* | Whole[]
          §13.1.1 compares strongly            | GET  | 200 | if-match=W/"a" | PreconditionFailed[]
          §13.1.2 any                          | GET  | 200 | if-none-match=* | NotModified[]
          §13.1.2 compares weakly              | GET  | 200 | if-none-match="x", W/"a" | NotModified[]
          §13.1.3 If-Modified-Since            | GET  | 200 | if-modified-since=Tue, 02 Jun 2026 10:00:00 GMT | NotModified[]
          §13.1.3 void beside If-None-Match    | GET  | 200 | if-none-match="b";if-modified-since=Tue, 02 Jun 2026 10:00:00 GMT | Whole[]
          §13.2.2 304 before the range         | GET  | 200 | range=bytes=0-9;if-modified-since=Tue, 02 Jun 2026 10:00:00 GMT | NotModified[]
          §13.2.2 412 before 416               | GET  | 200 | range=bytes=100-;if-match="b" | PreconditionFailed[]
          §13.1.5 If-Range without Range       | GET  | 200 | if-range="b" | Whole[]
          §13.2.1 not for what is no success   | GET  | 404 | if-none-match="a";range=bytes=0-9 | Whole[]
          §13.2.1 not for a redirect           | GET  | 301 | if-match="b" | Whole[]
          §14.2 a range of a 200 only          | GET  | 203 | range=bytes=0-9 | Whole[]
          """)
  void plans(String sentence, String method, int status, String fields, String expected) {
    List<String> pairs = new ArrayList<>();
    for (String field : List.of(fields.split(";", -1))) {
      int equals = field.indexOf('=');
      pairs.add(field.substring(0, equals));
      pairs.add(field.substring(equals + 1));
    }
    SyntheticRequest request =
        SyntheticRequest.of(method, "http://h/", pairs.toArray(new String[0]));
    StoredMeta meta = meta(status, 0);
    assertEquals(expected, ServePlan.of(request, meta, 100, 16).toString(), sentence);
  }

  /** RFC 9110 §14.4: a 206 has one Content-Range, which tells the part. */
  @Test
  void noPartIsCutFromWhatHasAContentRange() {
    SyntheticRequest request = SyntheticRequest.of("GET", "http://h/", "Range", "bytes=0-9");
    assertEquals(
        ServePlan.WHOLE, ServePlan.of(request, meta(200, StoredMeta.CONTENT_RANGE), 100, 16));
  }

  /** RFC 9110 §13.1.5, §8.8.2.2: a response and its coded copies have one date. */
  @Test
  void aDateDoesNotTellTheCodingsOfAResponseApart() {
    String[] dated = {"range", "bytes=0-9", "if-range", MODIFIED, "accept-encoding", "gzip"};
    SyntheticRequest coding = SyntheticRequest.of("GET", "http://h/", dated);
    StoredMeta source = meta(200, StoredMeta.COMPRESSIBLE);
    StoredMeta copy = StoredMeta.of(source.codedCopy("\"a\"", 1, 1));
    assertEquals(ServePlan.WHOLE, ServePlan.of(coding, source, 100, 16));
    assertEquals(ServePlan.WHOLE, ServePlan.of(coding, copy, 100, 16));
    assertEquals(new ServePlan.Range(0, 9), ServePlan.of(coding, meta(200, 0), 100, 16));
    SyntheticRequest plain =
        SyntheticRequest.of("GET", "http://h/", "range", "bytes=0-9", "if-range", MODIFIED);
    assertEquals(new ServePlan.Range(0, 9), ServePlan.of(plain, source, 100, 16));
    SyntheticRequest tagged =
        SyntheticRequest.of(
            "GET", "http://h/", "range", "bytes=0-9", "if-range", "\"a\"", "accept-encoding", "br");
    assertEquals(new ServePlan.Range(0, 9), ServePlan.of(tagged, copy, 100, 16));
  }

  private static StoredMeta meta(int status, int flags) {
    return StoredMeta.of(
        StoredMeta.encode(
            new MetaValues(
                status,
                flags,
                DATE,
                DATE,
                DATE,
                HttpDate.parse(MODIFIED, 0),
                1000,
                -1,
                -1,
                0,
                "\"a\"",
                MODIFIED,
                List.of())));
  }
}
