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

/** RFC 9110 §8.8, §13, §14 and §15.3.7: conditions and ranges, as far as a cache answers them. */
final class Rfc9110Ranges {

  private static final long MODIFIED = Case.CAME - 3_600_000;
  private static final String AT = HttpDate.format(MODIFIED);
  private static final String BEFORE = HttpDate.format(MODIFIED - 1000);

  static final Chapter CHAPTER =
      new Chapter(
          "RFC 9110: conditions and ranges",
          must(
              "8.8.1",
              "A strong validator changes whenever the bytes of a 200 do",
              "so bytes are put together, and other variants named, by strong ones only",
              shownBy(
                  "BodyRemainderTest.onlyAStrongValidatorTellsThatTheRestIsOfTheSameBody",
                  "ServerVariantTagsTest.whatATagDoesNotTellApartIsNotNamed")),
          text(
              "8.8.1",
              "A weak validator may be that of several representations at a time",
              "it confirms what the request selects, and nothing else",
              shownBy("ServerVariantTagsTest.whatATagDoesNotTellApartIsNotNamed")),
          must(
              "8.8.3.2",
              "Strong comparison: both strong, and the same character by character",
              "for If-Match and If-Range, for parts and other variants",
              all(
                  shownBy("PreconditionsTest.evaluates"),
                  answers(Preconditions.Outcome.PRECONDITION_FAILED, "\"a\"", "If-Match: W/\"a\""),
                  answers(Preconditions.Outcome.PRECONDITION_FAILED, "W/\"a\"", "If-Match: \"a\""),
                  answers(Preconditions.Outcome.PROCEED, "\"a\"", "If-Match: \"b\", \"a\""))),
          must(
              "8.8.3.2",
              "Weak comparison: the same but for W/",
              "for If-None-Match",
              all(
                  answers(Preconditions.Outcome.NOT_MODIFIED, "W/\"a\"", "If-None-Match: \"a\""),
                  answers(Preconditions.Outcome.NOT_MODIFIED, "\"a\"", "If-None-Match: W/\"a\""))),
          must(
              "13.1.1",
              "If-Match: * is true if there is a representation",
              "so it is of what is stored, with a tag or without",
              answers(Preconditions.Outcome.PROCEED, null, "If-Match: *")),
          must(
              "13.1.1",
              "If-Match that is false is answered by 412",
              "without a body; a 2xx instead, where the change was made already, is for the origin",
              all(
                  answers(Preconditions.Outcome.PRECONDITION_FAILED, null, "If-Match: \"a\""),
                  shownBy("ServerRangeTest.section13_conditionsAndRangesInTheirOrder"))),
          must(
              "13.1.2",
              "If-None-Match: * is false if there is a representation",
              "a GET or HEAD gets 304",
              answers(Preconditions.Outcome.NOT_MODIFIED, null, "If-None-Match: *")),
          must(
              "13.1.2",
              "If-None-Match that is false is answered by 304 to GET and HEAD",
              "other methods are the origin's to answer",
              answers(Preconditions.Outcome.NOT_MODIFIED, "\"a\"", "If-None-Match: \"x\", \"a\"")),
          must(
              "13.1.3",
              "If-Modified-Since is ignored beside If-None-Match",
              "whatever that comes to",
              answers(
                  Preconditions.Outcome.PROCEED,
                  "\"a\"",
                  "If-None-Match: \"b\"",
                  "If-Modified-Since: " + AT)),
          must(
              "13.1.3",
              "If-Modified-Since is ignored if it is no date",
              "so it is",
              answers(Preconditions.Outcome.PROCEED, null, "If-Modified-Since: yesterday")),
          should(
              "13.1.3",
              "If-Modified-Since that is false is answered by 304",
              "where it is not modified after that second",
              all(
                  answers(Preconditions.Outcome.NOT_MODIFIED, null, "If-Modified-Since: " + AT),
                  answers(Preconditions.Outcome.PROCEED, null, "If-Modified-Since: " + BEFORE))),
          must(
              "13.1.4",
              "If-Unmodified-Since is ignored beside If-Match, and if it is no date",
              "so it is; also where the representation has no date of modification",
              all(
                  answers(
                      Preconditions.Outcome.PROCEED,
                      "\"a\"",
                      "If-Match: \"a\"",
                      "If-Unmodified-Since: " + BEFORE),
                  answers(Preconditions.Outcome.PROCEED, null, "If-Unmodified-Since: never"))),
          must(
              "13.1.4",
              "If-Unmodified-Since that is false is answered by 412",
              "where it was modified after that second",
              all(
                  answers(
                      Preconditions.Outcome.PRECONDITION_FAILED,
                      null,
                      "If-Unmodified-Since: " + BEFORE),
                  answers(Preconditions.Outcome.PROCEED, null, "If-Unmodified-Since: " + AT))),
          must(
              "13.1.5",
              "If-Range is ignored where there is no Range",
              "so it is",
              shownBy("PreconditionsTest.ifRangeNeedsTheVeryRepresentation")),
          must(
              "13.1.5",
              "If-Range with a date that is no strong validator is false",
              "so is one that differs by a second, one way or the other",
              all(
                  cuts(true, "\"a\"", "If-Range: " + AT),
                  cuts(false, "\"a\"", "If-Range: " + BEFORE),
                  shownBy("PreconditionsTest.aYoungModificationDateIsWeak"))),
          must(
              "13.1.5",
              "If-Range with a tag is compared strongly; if it is false the Range is ignored",
              "the whole is sent then",
              all(
                  cuts(true, "\"a\"", "If-Range: \"a\""),
                  cuts(false, "\"a\"", "If-Range: W/\"a\""),
                  cuts(false, "W/\"a\"", "If-Range: W/\"a\""),
                  shownBy("ServerRangeTest.section13_conditionsAndRangesInTheirOrder"))),
          must(
              "13.2.2",
              "Preconditions go If-Match, If-Unmodified-Since, If-None-Match, If-Modified-Since",
              "in this order",
              shownBy("PreconditionsTest.evaluates")),
          must(
              "13.2.1",
              "Preconditions are ignored where the answer without them is no success",
              "stored errors and redirections are sent as they are",
              shownBy("ServePlanTest.plans")),
          must(
              "13.2.2",
              "Range and If-Range come last, for GET only",
              "a 304 or 412 goes before a part",
              shownBy("ServerRangeTest.section13_conditionsAndRangesInTheirOrder")),
          must(
              "14.1.1",
              "A range whose last position is before its first is invalid",
              "and with it the whole set: the Range field is ignored",
              all(
                  ranges("None[]", "bytes=5-4"),
                  ranges("None[]", "bytes=0-1,5-4"),
                  ranges("None[]", "bytes=a-b"))),
          text(
              "14.1.2",
              "A last position beyond the end means the end",
              "so it does; a suffix longer than the body means all of it",
              all(
                  ranges("Satisfiable[first=4, last=9]", "bytes=4-99"),
                  ranges("Satisfiable[first=0, last=9]", "bytes=-99"),
                  ranges("Satisfiable[first=7, last=9]", "bytes=-3"),
                  ranges("Satisfiable[first=9, last=9]", "bytes=9-"))),
          text(
              "14.1.2",
              "A set is satisfiable if one of its ranges is",
              "those that are not are left out",
              all(
                  ranges("Satisfiable[first=0, last=1]", "bytes=0-1,50-"),
                  ranges("Unsatisfiable[]", "bytes=10-"),
                  ranges("Unsatisfiable[]", "bytes=-0"))),
          may(
              "14.2",
              "Range may be ignored",
              "by a bound on how many, how they overlap and in which order; and of a body whose"
                  + " length nobody knows in time",
              shownBy(
                  "ByteRangeTest.aFewRangesMayComeInAnyOrderButNotMany",
                  "ServerFillRangeTest.butNotForLongerThanItsTime")),
          must(
              "14.2",
              "Range is ignored with other methods than GET",
              "a HEAD is answered as without it",
              shownBy("ServerRangeTest.section14_2_aRangeOnHeadIsIgnored")),
          must(
              "14.2",
              "A proxy may drop a Range of a unit that it does not know, an origin ignores it",
              "it is ignored for what is stored, and passed on with what passes",
              ranges("None[]", "chars=0-1")),
          should(
              "14.2",
              "Where preconditions are true and the Range is satisfiable the answer is 206",
              "of a 200 that is stored, that is being fetched, or that is fetched by slice",
              shownBy(
                  "ServerRangeTest.section14_1_2_singleSuffixAndOpenRangesOfBodiesOfEverySize",
                  "ServerFillRangeTest.whatHasComeIsSentAtOnceAndWhatIsFarIsFetchedBySliceAndStored",
                  "ServerRangeMissTest.aFarRangeIsFetchedBySliceAndStoredAndLaterRangesCompleteIt")),
          should(
              "14.2",
              "Where it is not satisfiable the answer is 416",
              "of what is not stored the origin says so",
              shownBy(
                  "ServerRangeTest.section14_1_2_singleSuffixAndOpenRangesOfBodiesOfEverySize",
                  "ServerRangeMissTest.a416IsPassedOnAsTheClientAskedAndNothingIsRemembered")),
          should(
              "14.2",
              "Many small ranges, or many that overlap, are not answered as they are",
              "more than 16, more than two that overlap another, or more than four out of order get the"
                  + " whole",
              shownBy("ByteRangeTest.aThousandRangesAreIgnoredInLinearTime")),
          must(
              "14.4",
              "Content-Range of a 206 tells the part and the length, or * where that is not known",
              "* while the body is of unknown length still",
              shownBy("ServerFillRangeTest.aClosedRangeOfUnknownLengthIsSentOnceItHasCome")),
          should(
              "14.4",
              "Content-Range of a 416 tells the length",
              "bytes */length",
              shownBy(
                  "ServerRangeTest.section14_1_2_singleSuffixAndOpenRangesOfBodiesOfEverySize")),
          must(
              "14.4",
              "Who gets a Content-Range that is invalid, or not what was asked for, does not put it"
                  + " together with what is stored",
              "the whole is fetched instead",
              shownBy(
                  "ServerPartialTest.anAnswerThatDoesNotFitIsNotMixedIn",
                  "ServerRangeMissTest.anAnswerThatDoesNotFitIsNotStoredAndTheWholeIsFetched")),
          text(
                  "14.4",
                  "Content-Range means nothing with other statuses than 206 and 416",
                  "a whole response is stored with it, and no ranges are cut from it; one that"
                      + " names a part in bytes, or answers a range, is passed and not stored",
                  Check.all(
                      Case.ok("Cache-Control: max-age=9", "Content-Range: x").freshFor(9),
                      Case.ok("Cache-Control: max-age=9", "Content-Range: bytes 0-4/9")
                          .notStored(Reason.NOT_STORED_PARTIAL),
                      shownBy("storing/content-range.script")))
              .butWeDeviate(
                  "An origin that writes a part there has most likely sent a part and forgotten to"
                      + " say so; stored, it would be the whole to everybody."),
          must(
              "14.6",
              "Several parts are sent as multipart/byteranges",
              "with a boundary that is drawn for each answer",
              shownBy("ServerRangeTest.section14_6_severalRangesOfBodiesOfEverySize")),
          must(
              "15.3.7",
              "A 206 has Date, Cache-Control, ETag, Expires, Content-Location and Vary if a 200 had them",
              "it has all fields of the 200",
              shownBy(
                  "ServerRangeTest.section14_1_2_singleSuffixAndOpenRangesOfBodiesOfEverySize")),
          must(
              "15.3.7.1",
              "A single part is sent with Content-Range and not as multipart",
              "also where several were asked for and one was left",
              shownBy("ServerRangeTest.section14_6_severalRangesOfBodiesOfEverySize")),
          must(
              "15.3.7.2",
              "Each part has its own Content-Range, and the head has none",
              "and its Content-Type where the 200 had one",
              shownBy("ServerRangeTest.section14_6_severalRangesOfBodiesOfEverySize")),
          may(
              "15.3.7.2",
              "Ranges that overlap, or are hardly apart, may be sent as one part",
              "where at most 80 bytes are between them",
              shownBy("ByteRangeTest.evaluatesSeveralRanges")),
          may(
              "15.3.7.3",
              "Parts of one representation may be combined if they have one strong validator",
              "slices are, whichever request brought them",
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

  /** Of ten bytes. */
  private static Check ranges(String expected, String range) {
    return same(
        expected,
        () -> {
          RangeSet set = RangeSet.of(get("Range: " + range), 16);
          return set == null ? "None[]" : set.of(10).toString();
        });
  }
}
