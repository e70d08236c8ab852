package io.forebay.core.conformance;

import static io.forebay.core.conformance.Check.all;
import static io.forebay.core.conformance.Check.same;
import static io.forebay.core.conformance.Check.shownBy;
import static io.forebay.core.conformance.Row.may;
import static io.forebay.core.conformance.Row.must;
import static io.forebay.core.conformance.Row.should;
import static io.forebay.core.conformance.Row.text;

import io.forebay.core.http.HttpDate;
import io.forebay.core.http.Preconditions;
import io.forebay.core.http.RangeSet;
import io.forebay.core.http.RequestView;
import io.forebay.core.http.SyntheticRequest;
import io.forebay.core.policy.Reason;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** RFC 9110 §8.8, §13, §14 and §15.3.7: conditions and ranges, where they apply to a cache. */
final class Rfc9110Ranges {

  private static final long MODIFIED = Case.CAME - 3_600_000;
  private static final String AT = HttpDate.format(MODIFIED);
  private static final String BEFORE = HttpDate.format(MODIFIED - 1000);

  static final Chapter CHAPTER =
      new Chapter(
          "RFC 9110: conditions and ranges",
          must(
              "8.8.1",
              "A strong validator changes whenever the content of a 200 changes",
              "only strong validators are used to join parts and to name other variants",
              shownBy(
                  "BodyRemainderTest.onlyAStrongValidatorTellsThatTheRestIsOfTheSameBody",
                  "ServerVariantTagsTest.whatATagDoesNotTellApartIsNotNamed")),
          text(
              "8.8.1",
              "Several representations can share a weak validator at the same time",
              "it validates only the response that the request selects",
              shownBy("ServerVariantTagsTest.whatATagDoesNotTellApartIsNotNamed")),
          must(
              "8.8.3.2",
              "Strong comparison: both tags are strong and identical character by character",
              "it is used for If-Match, If-Range, parts and other variants",
              all(
                  shownBy("PreconditionsTest.evaluates"),
                  answers(Preconditions.Outcome.PRECONDITION_FAILED, "\"a\"", "If-Match: W/\"a\""),
                  answers(Preconditions.Outcome.PRECONDITION_FAILED, "W/\"a\"", "If-Match: \"a\""),
                  answers(Preconditions.Outcome.PROCEED, "\"a\"", "If-Match: \"b\", \"a\""))),
          must(
              "8.8.3.2",
              "Weak comparison: the tags are identical except for W/",
              "it is used for If-None-Match",
              all(
                  answers(Preconditions.Outcome.NOT_MODIFIED, "W/\"a\"", "If-None-Match: \"a\""),
                  answers(Preconditions.Outcome.NOT_MODIFIED, "\"a\"", "If-None-Match: W/\"a\""))),
          must(
              "13.1.1",
              "If-Match: * is true if a representation exists",
              "true for every stored response, with or without a tag",
              answers(Preconditions.Outcome.PROCEED, null, "If-Match: *")),
          must(
              "13.1.1",
              "A false If-Match gives 412",
              "without a body; only the origin replies 2xx because the change was already made",
              all(
                  answers(Preconditions.Outcome.PRECONDITION_FAILED, null, "If-Match: \"a\""),
                  shownBy("ServerRangeTest.section13_conditionsAndRangesInTheirOrder"))),
          must(
              "13.1.2",
              "If-None-Match: * is false if a representation exists",
              "a GET or HEAD gets 304",
              answers(Preconditions.Outcome.NOT_MODIFIED, null, "If-None-Match: *")),
          must(
              "13.1.2",
              "A false If-None-Match gives 304 for GET and HEAD",
              "other methods are forwarded to the origin",
              answers(Preconditions.Outcome.NOT_MODIFIED, "\"a\"", "If-None-Match: \"x\", \"a\"")),
          must(
              "13.1.3",
              "If-Modified-Since is ignored beside If-None-Match",
              "whether If-None-Match is true or false",
              answers(
                  Preconditions.Outcome.PROCEED,
                  "\"a\"",
                  "If-None-Match: \"b\"",
                  "If-Modified-Since: " + AT)),
          must(
              "13.1.3",
              "If-Modified-Since is ignored if it is not a valid date",
              "it is",
              answers(Preconditions.Outcome.PROCEED, null, "If-Modified-Since: yesterday")),
          should(
              "13.1.3",
              "A false If-Modified-Since gives 304",
              "if the response was not modified after that second",
              all(
                  answers(Preconditions.Outcome.NOT_MODIFIED, null, "If-Modified-Since: " + AT),
                  answers(Preconditions.Outcome.PROCEED, null, "If-Modified-Since: " + BEFORE))),
          must(
              "13.1.4",
              "If-Unmodified-Since is ignored beside If-Match, and if it is not a valid date",
              "it is; also if the representation has no modification date",
              all(
                  answers(
                      Preconditions.Outcome.PROCEED,
                      "\"a\"",
                      "If-Match: \"a\"",
                      "If-Unmodified-Since: " + BEFORE),
                  answers(Preconditions.Outcome.PROCEED, null, "If-Unmodified-Since: never"))),
          must(
              "13.1.4",
              "A false If-Unmodified-Since gives 412",
              "if the response was modified after that second",
              all(
                  answers(
                      Preconditions.Outcome.PRECONDITION_FAILED,
                      null,
                      "If-Unmodified-Since: " + BEFORE),
                  answers(Preconditions.Outcome.PROCEED, null, "If-Unmodified-Since: " + AT))),
          must(
              "13.1.5",
              "If-Range is ignored without Range",
              "it is",
              shownBy("PreconditionsTest.ifRangeNeedsTheVeryRepresentation")),
          must(
              "13.1.5",
              "If-Range with a date that is not a strong validator is false",
              "a date that differs by one second, earlier or later, is also false",
              all(
                  cuts(true, "\"a\"", "If-Range: " + AT),
                  cuts(false, "\"a\"", "If-Range: " + BEFORE),
                  shownBy("PreconditionsTest.aYoungModificationDateIsWeak"))),
          must(
              "13.1.5",
              "If-Range with a tag uses strong comparison; if it is false, Range is ignored",
              "the whole response is sent in this case",
              all(
                  cuts(true, "\"a\"", "If-Range: \"a\""),
                  cuts(false, "\"a\"", "If-Range: W/\"a\""),
                  cuts(false, "W/\"a\"", "If-Range: W/\"a\""),
                  shownBy("ServerRangeTest.section13_conditionsAndRangesInTheirOrder"))),
          must(
              "13.2.2",
              "Preconditions are evaluated in the order If-Match, If-Unmodified-Since,"
                  + " If-None-Match, If-Modified-Since",
              "in this order",
              shownBy("PreconditionsTest.evaluates")),
          must(
              "13.2.1",
              "Preconditions are ignored if the response without them is not a success",
              "stored errors and redirections are sent unchanged",
              shownBy("ServePlanTest.plans")),
          must(
              "13.2.2",
              "Range and If-Range are evaluated last, for GET only",
              "a 304 or 412 takes precedence over a 206",
              shownBy("ServerRangeTest.section13_conditionsAndRangesInTheirOrder")),
          must(
              "14.1.1",
              "A range whose last position is before its first is invalid",
              "it makes the whole set invalid, and the Range field is ignored",
              all(
                  ranges("None[]", "bytes=5-4"),
                  ranges("None[]", "bytes=0-1,5-4"),
                  ranges("None[]", "bytes=a-b"))),
          text(
              "14.1.2",
              "A last position beyond the end selects up to the end",
              "it does; a suffix longer than the body selects all of it",
              all(
                  ranges("Satisfiable[first=4, last=9]", "bytes=4-99"),
                  ranges("Satisfiable[first=0, last=9]", "bytes=-99"),
                  ranges("Satisfiable[first=7, last=9]", "bytes=-3"),
                  ranges("Satisfiable[first=9, last=9]", "bytes=9-"))),
          text(
              "14.1.2",
              "A set of ranges is satisfiable if one of its ranges is",
              "unsatisfiable ranges are left out",
              all(
                  ranges("Satisfiable[first=0, last=1]", "bytes=0-1,50-"),
                  ranges("Unsatisfiable[]", "bytes=10-"),
                  ranges("Unsatisfiable[]", "bytes=-0"))),
          may(
              "14.2",
              "A Range may be ignored",
              "it is, beyond limits on number, overlap and order, and for a body whose"
                  + " length is not known in time",
              shownBy(
                  "ByteRangeTest.aFewRangesMayComeInAnyOrderButNotMany",
                  "ServerFillRangeTest.butNotForLongerThanItsTime")),
          must(
              "14.2",
              "Range is ignored for methods other than GET",
              "a HEAD is answered as if it had none",
              shownBy("ServerRangeTest.section14_2_aRangeOnHeadIsIgnored")),
          must(
              "14.2",
              "A proxy may drop a Range with an unknown unit; an origin ignores it",
              "it is ignored for stored responses, and forwarded with requests that pass",
              ranges("None[]", "chars=0-1")),
          should(
              "14.2",
              "If the preconditions are true and the Range is satisfiable, the response is 206",
              "from a 200 that is stored, that is being fetched, or that is fetched in slices",
              shownBy(
                  "ServerRangeTest.section14_1_2_singleSuffixAndOpenRangesOfBodiesOfEverySize",
                  "ServerFillRangeTest.whatHasComeIsSentAtOnceAndWhatIsFarIsFetchedBySliceAndStored",
                  "ServerRangeMissTest.aFarRangeIsFetchedBySliceAndStoredAndLaterRangesCompleteIt")),
          should(
              "14.2",
              "If the Range is not satisfiable, the response is 416",
              "if the object is not stored, the origin's 416 is forwarded",
              shownBy(
                  "ServerRangeTest.section14_1_2_singleSuffixAndOpenRangesOfBodiesOfEverySize",
                  "ServerRangeMissTest.a416IsPassedOnAsTheClientAskedAndNothingIsRemembered")),
          should(
              "14.2",
              "Many small or overlapping ranges are not served as requested",
              "more than 16 ranges, more than two that overlap another, or more than four"
                  + " out of order get the whole response",
              shownBy("ByteRangeTest.aThousandRangesAreIgnoredInLinearTime")),
          must(
              "14.4",
              "Content-Range of a 206 gives the range and the length, or * if the length"
                  + " is unknown",
              "* while the length of the body is still unknown",
              shownBy("ServerFillRangeTest.aClosedRangeOfUnknownLengthIsSentOnceItHasCome")),
          should(
              "14.4",
              "Content-Range of a 416 gives the length",
              "bytes */length",
              shownBy(
                  "ServerRangeTest.section14_1_2_singleSuffixAndOpenRangesOfBodiesOfEverySize")),
          must(
              "14.4",
              "A recipient does not combine a part with stored parts if its Content-Range"
                  + " is invalid or was not requested",
              "the whole response is fetched instead",
              shownBy(
                  "ServerPartialTest.anAnswerThatDoesNotFitIsNotMixedIn",
                  "ServerRangeMissTest.anAnswerThatDoesNotFitIsNotStoredAndTheWholeIsFetched")),
          text(
                  "14.4",
                  "Content-Range has no meaning with statuses other than 206 and 416",
                  "a whole response is stored with it, and no ranges are served from it;"
                      + " a response that names a part in bytes, or replies to a range request,"
                      + " is passed and not stored",
                  Check.all(
                      Case.ok("Cache-Control: max-age=9", "Content-Range: x").freshFor(9),
                      Case.ok("Cache-Control: max-age=9", "Content-Range: bytes 0-4/9")
                          .notStored(Reason.NOT_STORED_PARTIAL),
                      shownBy("storing/content-range.script")))
              .butWeDeviate(
                  "An origin that sends it most likely sent a part with the wrong status."
                      + " If that were stored, every client would get the part as the whole."),
          must(
              "14.6",
              "Several parts are sent as multipart/byteranges",
              "with a new random boundary for each response",
              shownBy("ServerRangeTest.section14_6_severalRangesOfBodiesOfEverySize")),
          must(
              "15.3.7",
              "A 206 has those of Date, Cache-Control, ETag, Expires, Content-Location"
                  + " and Vary that a 200 would have",
              "it has all fields of the 200",
              shownBy(
                  "ServerRangeTest.section14_1_2_singleSuffixAndOpenRangesOfBodiesOfEverySize")),
          must(
              "15.3.7.1",
              "A single part is sent with Content-Range, not as multipart",
              "also if several ranges were requested and one remained",
              shownBy("ServerRangeTest.section14_6_severalRangesOfBodiesOfEverySize")),
          must(
              "15.3.7.2",
              "Each part has its own Content-Range; the header section has none",
              "and its Content-Type, if the 200 has one",
              shownBy("ServerRangeTest.section14_6_severalRangesOfBodiesOfEverySize")),
          may(
              "15.3.7.2",
              "Ranges that overlap or are close together may be sent as one part",
              "if at most 80 bytes separate them",
              shownBy("ByteRangeTest.evaluatesSeveralRanges")),
          may(
              "15.3.7.3",
              "Parts of one representation may be combined if they share a strong validator",
              "slices are combined, whichever request fetched them",
              shownBy(
                  "ServerRangeMissTest.aFarRangeIsFetchedBySliceAndStoredAndLaterRangesCompleteIt",
                  "ServerPartialTest.rangesThatOverlapFetchNoSliceTwice")));

  private Rfc9110Ranges() {}

  private static RequestView get(String... lines) {
    List<String> fields = new ArrayList<>();
    for (String line : lines) {
      fields.addAll(List.of(line.split(": ", 2)));
    }
    return SyntheticRequest.of("GET", "http://h/", fields.toArray(new String[0]));
  }

  private static Check answers(
      Preconditions.Outcome expected, @Nullable String etag, String... lines) {
    return same(expected, () -> Preconditions.evaluate(get(lines), etag, MODIFIED, Case.CAME));
  }

  private static Check cuts(boolean expected, String etag, String line) {
    return same(expected, () -> Preconditions.allowsRange(get(line), etag, MODIFIED, Case.CAME));
  }

  /** For a body of ten bytes. */
  private static Check ranges(String expected, String range) {
    return same(
        expected,
        () -> {
          RangeSet set = RangeSet.of(get("Range: " + range), 16);
          return set == null ? "None[]" : set.of(10).toString();
        });
  }
}
