package io.forebay.core.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.forebay.core.http.Preconditions.Outcome;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ConditionsTest {

  private static final String MODIFIED = "Tue, 02 Jun 2026 10:00:00 GMT";
  private static final String EARLIER = "Tue, 02 Jun 2026 09:59:59 GMT";
  private static final String LATER = "Tue, 02 Jun 2026 10:00:01 GMT";
  private static final long NOW = HttpDate.parse("Tue, 02 Jun 2026 12:00:00 GMT", 0);

  /** RFC 9110 §13.1 and the order of §13.2.2; the representation has "a", modified at 10:00:00. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          §13.1.2 the tag matches                       | if-none-match="a"      | NOT_MODIFIED
          §13.1.2 weak comparison                       | if-none-match=W/"a"    | NOT_MODIFIED
          §13.1.2 another tag                           | if-none-match="b"      | PROCEED
          §13.1.2 any tag                               | if-none-match=*        | NOT_MODIFIED
          §13.1.2 one of several lines                  | if-none-match="b";if-none-match="a" | NOT_MODIFIED
          §13.1.2 not a tag                             | if-none-match=a        | PROCEED
          §13.1.3 not modified since                    | if-modified-since=SAME | NOT_MODIFIED
          §13.1.3 nor since later                       | if-modified-since=LATER | NOT_MODIFIED
          §13.1.3 modified since                        | if-modified-since=EARLIER | PROCEED
          §13.1.3 an invalid date is ignored            | if-modified-since=soon | PROCEED
          §13.1.3 ignored beside If-None-Match          | if-none-match="b";if-modified-since=LATER | PROCEED
          §13.1.3 also where both would match           | if-none-match="a";if-modified-since=EARLIER | NOT_MODIFIED
          §13.1.1 the tag matches                       | if-match="a"           | PROCEED
          §13.1.1 strong comparison                     | if-match=W/"a"         | PRECONDITION_FAILED
          §13.1.1 another tag                           | if-match="b"           | PRECONDITION_FAILED
          §13.1.1 any tag                               | if-match=*             | PROCEED
          §13.1.4 unmodified since                      | if-unmodified-since=SAME | PROCEED
          §13.1.4 modified since                        | if-unmodified-since=EARLIER | PRECONDITION_FAILED
          §13.1.4 an invalid date is ignored            | if-unmodified-since=x  | PROCEED
          §13.1.4 ignored beside If-Match               | if-match="a";if-unmodified-since=EARLIER | PROCEED
          §13.2.2 If-Match goes before If-None-Match    | if-match="b";if-none-match="a" | PRECONDITION_FAILED
          §13.2.2 both pass                             | if-match="a";if-none-match="b" | PROCEED
          no condition                                  | accept=*               | PROCEED
          """)
  void evaluates(String sentence, String fields, Outcome expected) {
    Outcome outcome =
        Preconditions.evaluate(request(fields), "\"a\"", HttpDate.parse(MODIFIED, NOW), NOW);
    assertEquals(expected, outcome, sentence);
  }

  /** A representation without validators, received at 12:00:00. */
  @ParameterizedTest
  @CsvSource({
    "if-none-match=\"a\", PROCEED",
    "if-none-match=*, NOT_MODIFIED",
    "if-match=\"a\", PRECONDITION_FAILED",
    "if-match=*, PROCEED",
    "if-unmodified-since=EARLIER, PROCEED",
    "if-modified-since=LATER, PROCEED",
    "if-modified-since=NOW, NOT_MODIFIED"
  })
  void withoutValidatorsTheDateStandsIn(String fields, Outcome expected) {
    assertEquals(expected, Preconditions.evaluate(request(fields), null, HttpDate.INVALID, NOW));
  }

  /** RFC 9110 §13.1.5. */
  @ParameterizedTest
  @CsvSource({
    "x=y, true",
    "if-range=\"a\", true",
    "if-range=W/\"a\", false",
    "if-range=\"b\", false",
    "if-range=a, false",
    "if-range=SAME, true",
    "if-range=LATER, false",
    "if-range=EARLIER, false"
  })
  void ifRangeNeedsTheVeryRepresentation(String fields, boolean isAllowed) {
    long modified = HttpDate.parse(MODIFIED, NOW);
    assertEquals(isAllowed, Preconditions.allowsRange(request(fields), "\"a\"", modified, NOW));
  }

  /** RFC 9110 §8.8.2.2: a date within the same second may not tell two versions apart. */
  @ParameterizedTest
  @CsvSource({"0, false", "999, false", "1000, true"})
  void aYoungModificationDateIsWeak(long dateAfterMillis, boolean isAllowed) {
    long modified = HttpDate.parse(MODIFIED, NOW);
    assertEquals(
        isAllowed,
        Preconditions.allowsRange(
            request("if-range=SAME"), "\"a\"", modified, modified + dateAfterMillis));
  }

  private static SyntheticRequest request(String fields) {
    List<String> pairs = new ArrayList<>();
    for (String field : List.of(fields.split(";", -1))) {
      int equals = field.indexOf('=');
      pairs.add(field.substring(0, equals));
      pairs.add(
          switch (field.substring(equals + 1)) {
            case "SAME" -> MODIFIED;
            case "EARLIER" -> EARLIER;
            case "LATER" -> LATER;
            case "NOW" -> HttpDate.format(NOW);
            default -> field.substring(equals + 1);
          });
    }
    return SyntheticRequest.of("GET", "http://h/", pairs.toArray(new String[0]));
  }
}
