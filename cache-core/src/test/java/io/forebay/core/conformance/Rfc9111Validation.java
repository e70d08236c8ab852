package io.forebay.core.conformance;

import static io.forebay.core.conformance.Case.fields;
import static io.forebay.core.conformance.Case.ok;
import static io.forebay.core.conformance.Check.all;
import static io.forebay.core.conformance.Check.same;
import static io.forebay.core.conformance.Check.shownBy;
import static io.forebay.core.conformance.Row.may;
import static io.forebay.core.conformance.Row.must;
import static io.forebay.core.conformance.Row.should;
import static io.forebay.core.conformance.Row.text;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.HttpDate;
import io.forebay.core.http.TargetUri;
import io.forebay.core.policy.Freshening;
import io.forebay.core.policy.InvalidationPolicy;
import io.forebay.core.policy.Revalidation;
import io.forebay.core.policy.Revalidation.HeadOutcome;
import io.forebay.core.policy.StoredMeta;
import java.util.List;

/** RFC 9111 §4.3 and §4.4. */
final class Rfc9111Validation {

  private static final String DAY = HttpDate.format(Case.CAME - 86_400_000);

  static final Chapter CHAPTER =
      new Chapter(
          "RFC 9111: validation and invalidation",
          must(
              "4.3.1",
              "A validation sends the entity tags of the stored response",
              "as received, including weak ones; a malformed tag is ignored",
              all(
                  asks("if-none-match: \"a\"\n", "ETag: \"a\""),
                  asks("if-none-match: W/\"a\"\n", "ETag: W/\"a\""),
                  asks("if-none-match: \"\"\n", "ETag: \"\""),
                  asks("", "ETag: a"),
                  asks("", "ETag: w/\"a\""),
                  asks("", "ETag: \"a\" "),
                  asks("", "ETag: \"a\"b\""),
                  asks("", "ETag: 'a'"))),
          should(
              "4.3.1",
              "A validation of a single response without a range sends Last-Modified",
              "with the entity tag, or alone if there is none",
              all(
                  asks(
                      "if-none-match: \"a\"\nif-modified-since: " + DAY + "\n",
                      "ETag: \"a\"",
                      "Last-Modified: " + DAY),
                  asks("if-modified-since: " + DAY + "\n", "Last-Modified: " + DAY),
                  asks("", "Last-Modified: yesterday"))),
          may(
              "4.3.1",
              "Several stored responses may be validated by one request",
              "the tag of the selected variant and strong tags of others, at most eight, no date",
              all(
                  names(
                      "if-none-match: W/\"a\", \"b\", \"c\"\n",
                      "if-none-match: W/\"a\"\nif-modified-since: " + DAY,
                      "\"b\"",
                      "\"a\"",
                      "\"c\"",
                      "\"b\""),
                  names("if-none-match: \"b\"\n", "", "\"b\""),
                  names("", ""),
                  same("\"a\"", () -> Revalidation.tagOfOtherVariant(meta("ETag: \"a\""))),
                  same("-", () -> nameOr("-", meta("ETag: W/\"a\""))),
                  same("-", () -> nameOr("-", meta("X: y"))),
                  shownBy(
                      "ServerVariantTagsTest.aVariantWithTheBytesOfAnotherOneIsNotSentAgain",
                      "ServerVariantTagsTest.noMoreThanEightTagsAreSent"))),
          must(
              "4.3.1",
              "A response without an entity tag is validated by date",
              "no tags of other variants are sent with it, since the origin would ignore the date",
              names("if-modified-since: " + DAY + "\n", "if-modified-since: " + DAY, "\"b\"")),
          may(
              "4.3.1",
              "A date may be sent for a part if the response has no other validator",
              "as If-Range, where it is a strong validator",
              shownBy("BodyRemainderTest.byDateTheAnswerMustCarryTheSameDate")),
          text(
              "4.3.1",
              "A background validation is created from the stored response and the fields in Vary",
              "it has the fields of the request that found the response stale, in normal form",
              shownBy(
                  "ServerFailureTest.staleIsServedAtOnceWhileItIsRefreshedOnce",
                  "freshness/stale-while-revalidate.script")),
          should(
              "4.3.2",
              "The cache evaluates the conditions of a request that a stored 200 can answer",
              "If-None-Match by weak comparison, or *; If-Modified-Since only without it",
              shownBy("PreconditionsTest.evaluates", "ServePlanTest.plans")),
          must(
              "4.3.2",
              "Conditions are not evaluated without a stored response, or if it is not a success",
              "a miss is fetched without conditions; they are evaluated on the fetched response",
              shownBy(
                  "ServePlanTest.plans",
                  "FidelityIT.aConditionOnAMissFetchesTheWholeOnce",
                  "ServerPassTest.fillsSendNothingThatFitsOneClientOnly")),
          must(
                  "4.3.2",
                  "If-Match and If-Unmodified-Since are for the origin only",
                  "they are evaluated on the stored response; a failed one gives 412",
                  shownBy("PreconditionsTest.evaluates"))
              .butWeDeviate(
                  "Clients that resume a download use them: the answer is correct for the response"
                      + " that this cache would send."),
          text(
              "4.3.2",
              "If-Range is evaluated by who answers ranges",
              "it is evaluated on the stored response; see RFC 9110 §13.1.5",
              shownBy(
                  "PreconditionsTest.ifRangeNeedsTheVeryRepresentation", "range/if-range.script")),
          must(
              "4.3.2",
              "The tag of a partial response is not sent with a client's, unless the part suffices",
              "no tags are combined with a client's; tags of partial responses are not sent",
              shownBy(
                  "ServerPassTest.fillsSendNothingThatFitsOneClientOnly",
                  "ServerVariantTagsTest.whatATagDoesNotTellApartIsNotNamed")),
          should(
              "4.3.2",
              "If-None-Match that matches, or *, is answered by 304",
              "with the fields that a 304 must carry",
              shownBy("FidelityIT.conditionalRequestsAreAnsweredFromTheCache")),
          may(
                  "4.3.2",
                  "A client's tags may be forwarded with those of the cache",
                  "a fetch carries only those of the cache",
                  shownBy("ServerPassTest.fillsSendNothingThatFitsOneClientOnly"))
              .butWeDeviate(
                  "All waiting requests share the response, so the request must not depend on one"
                      + " client."),
          must(
              "4.3.2",
              "A 304 for a tag other than the client's becomes a 200 with the stored response",
              "the validated response is served as if fresh, and the client's conditions apply to"
                  + " it",
              shownBy("ServerRulesTest.aClientsOtherConditionGetsTheWholeOfWhatWasConfirmed")),
          should(
              "4.3.2",
              "If-Modified-Since compares with Last-Modified, else with Date, else with when it came",
              "in this order",
              shownBy(
                  "PreconditionsTest.evaluates",
                  "PreconditionsTest.withoutValidatorsTheDateStandsIn",
                  "conditional/date-stands-in.script")),
          must(
              "4.3.3",
              "A full response to a validation answers the request",
              "it is streamed to all waiting requests, and stored if allowed",
              shownBy("ServerFailureTest.staleIsServedAtOnceWhileItIsRefreshedOnce")),
          may(
              "4.3.3",
              "The full response may be stored",
              "by the rules of §3; it replaces the response that was validated",
              shownBy("validation/changed.script")),
          text(
              "4.3.3",
              "A 304 means that the stored response can be updated and reused",
              "it is served to all waiting requests, each with its own conditions",
              shownBy("validation/not-modified-freshens.script", "sharing/one-validation.script")),
          may(
              "4.3.3",
              "A 5xx may be forwarded, or treated as a missing response",
              "500, 502, 503 and 504 count as missing if stale is allowed; others are forwarded",
              shownBy("ServerFailureTest.staleIsServedWhileTheOriginFailsIfItMayBe")),
          may(
              "4.3.3",
              "A validation that got a 5xx may be retried",
              "not for the same request; the next request validates again",
              shownBy(
                  "ServerRulesTest.aFailureThatCouldBeStoredDoesNotTakeThePlaceOfWhatIsStale",
                  "freshness/failure-that-could-be-stored.script")),
          must(
              "4.3.4",
              "A strong validator in a 304 selects the responses that have it; else none is"
                  + " updated",
              "without a match the object is fetched again unconditionally",
              all(
                  confirms(true, "ETag: \"a\"", "ETag: \"a\""),
                  confirms(false, "ETag: \"a\"", "ETag: \"b\""),
                  confirms(false, "X: y", "ETag: \"b\""),
                  same(1, () -> selected("ETag: \"b\"")),
                  same(-1, () -> selected("ETag: W/\"b\"")),
                  same(-1, () -> selected("ETag: \"c\"")),
                  same(-1, () -> selected("X: y")),
                  shownBy(
                      "ServerRulesTest.aConfirmationOfSomethingElseFetchesAgain",
                      "ServerVariantTagsTest.aConfirmationOfNoneOfThemFetchesAgainOnceWithoutConditions"))),
          must(
                  "4.3.4",
                  "A strong tag in a 304 does not select a response with a weak tag",
                  "it does if the tags differ only in W/",
                  all(
                      confirms(true, "ETag: W/\"a\"", "ETag: \"a\""),
                      confirms(false, "ETag: W/\"a\"", "ETag: \"b\"")))
              .butWeDeviate(
                  "The validation sent the weak tag; origins that weaken the tags of responses that"
                      + " they compress confirm it with the strong tag."),
          must(
                  "4.3.4",
                  "All responses that the request could select and that have the strong tag are"
                      + " updated",
                  "only the validated response is updated",
                  shownBy(
                      "ServerVaryTest.aResponseWithoutVaryStandsBesideThoseWithAndTheYoungerIsServed"))
              .butWeDeviate(
                  "The request can select at most two, and the other one is older: it answers"
                      + " none of these requests, and is validated when it is used for others."),
          must(
              "4.3.4",
              "A 304 updates only responses that its request could select",
              "another variant that it names is unchanged: its body, with the 304's fields, becomes"
                  + " the variant of this request",
              shownBy("ServerVariantTagsTest.theOtherVariantStaysAsItIs")),
          must(
              "4.3.4",
              "A weak validator selects the most recent response that matches",
              "only the most recent response that the request selects is validated; a date"
                  + " likewise",
              all(
                  confirms(true, "ETag: W/\"a\"", "ETag: W/\"a\""),
                  confirms(false, "ETag: W/\"a\"", "ETag: W/\"b\""),
                  confirms(true, "Last-Modified: " + DAY, "Last-Modified: " + DAY),
                  confirms(false, "Last-Modified: " + DAY, "Last-Modified: {+0}"),
                  shownBy(
                      "ServerVaryTest.aResponseWithoutVaryStandsBesideThoseWithAndTheYoungerIsServed"))),
          must(
                  "4.3.4",
                  "A 304 without a validator selects only a response without one",
                  "it confirms the one response that was validated",
                  all(
                      confirms(true, "ETag: \"a\"", "X: y"),
                      same(false, () -> Revalidation.identifiesVariant(fields("X: y"))),
                      same(true, () -> Revalidation.identifiesVariant(fields("ETag: W/\"a\""))),
                      shownBy(
                          "ServerVariantTagsTest.aConfirmationWithoutATagSaysNothingOfSeveral")))
              .butWeDeviate(
                  "The request named one representation, and many origins omit the tag from a 304."
                      + " If the request named several, such a 304 confirms none."),
          must(
              "4.3.4",
              "The selected response is updated with the fields of the 304",
              "see §3.2; other fields stay, including the policy addressed to this cache",
              all(
                  updates("x: 2", "X: 1", "X: 2"),
                  updates("x: 1", "X: 1", "Y: 2"),
                  updates("content-type: b/c", "Content-Type: a/b", "Content-Type: b/c"),
                  updates("etag: \"a\"", "ETag: \"a\"", "ETag: W/\"a\""),
                  updates(
                      "content-encoding: gzip", "Content-Encoding: gzip", "Content-Encoding: br"),
                  shownBy("ServerRulesTest.aConfirmationLeavesThePolicyForThisCacheInForce"))),
          should(
              "4.3.5",
              "A 200 to a HEAD updates or invalidates the stored response to GET",
              "the variant that the HEAD selects, if the forwarded HEAD had no Authorization",
              shownBy(
                  "ServerRulesTest.aHeadThatAgreesFreshensWhatIsStored",
                  "ServerRulesTest.aHeadThatDisagreesEndsWhatIsStored",
                  "ServerRulesTest.aHeadOfOneUserSaysNothingOfWhatIsStoredForAll")),
          should(
              "4.3.5",
              "It is updated if validators and length in the HEAD are equal, else it becomes stale",
              "the validators present and the length are compared",
              all(
                  head(HeadOutcome.SAME, "ETag: \"a\"", "Content-Length: 9"),
                  head(HeadOutcome.SAME, "ETag: \"a\""),
                  head(HeadOutcome.OTHER, "ETag: \"b\"", "Content-Length: 9"),
                  head(HeadOutcome.OTHER, "ETag: \"a\"", "Content-Length: 8"),
                  head(HeadOutcome.OTHER, "Content-Length: 8"),
                  head(HeadOutcome.OTHER, "ETag: \"a\"", "Last-Modified: {+0}"))),
          should(
                  "4.3.5",
                  "A HEAD without a validator and without a different length updates the response",
                  "it changes nothing",
                  all(
                      head(HeadOutcome.UNKNOWN, "Content-Length: 9"),
                      head(HeadOutcome.UNKNOWN, "X: y")))
              .butWeDeviate(
                  "Two bodies of equal length can differ: a changed page would stay fresh for"
                      + " another lifetime."),
          must(
              "4.3.5",
              "A HEAD updates fields as a 304 does",
              "by the same rules",
              updates("x: 2", "X: 1", "X: 2")),
          must(
              "4.4",
              "A success or redirection to an unsafe or unknown method invalidates the target",
              "with all variants; an error or a failure does not; a route can disable this",
              all(
                  invalidates("POST", 200, "http://h/a"),
                  invalidates("PUT", 201, "http://h/a"),
                  invalidates("DELETE", 303, "http://h/a"),
                  invalidates("FROBNICATE", 204, "http://h/a"),
                  invalidates("POST", 400, ""),
                  invalidates("POST", 403, ""),
                  invalidates("FROBNICATE", 404, "", "Location: /b"),
                  invalidates("DELETE", 405, ""),
                  invalidates("POST", 500, ""),
                  invalidates("PUT", 503, "", "Content-Location: /b"),
                  shownBy(
                      "ServerPassTest.unsafeMethodsInvalidateWhatTheyMayHaveChanged",
                      "ServerPersonalAnswerTest.onlyAnAnswerThatIsNoErrorInvalidates",
                      "ServerPersonalAnswerTest.anOriginThatFailsInvalidatesNothing"))),
          may(
              "4.4",
              "Other URIs may be invalidated, in particular Location and Content-Location",
              "these two are invalidated",
              all(
                  invalidates("POST", 201, "http://h/a http://h/b", "Location: /b"),
                  invalidates("POST", 200, "http://h/a http://h/c", "Content-Location: c"))),
          must(
              "4.4",
              "URIs of another origin are not invalidated",
              "scheme, host and port must be equal",
              all(
                  invalidates("POST", 201, "http://h/a", "Location: http://g/b"),
                  invalidates("POST", 201, "http://h/a", "Location: https://h/b"),
                  invalidates("POST", 201, "http://h/a", "Location: http://h:81/b"),
                  invalidates("POST", 201, "http://h/a http://h/b", "Location: http://h:80/b"))),
          may(
              "4.4",
              "Other specifications may define further invalidation",
              "groups of RFC 9875 are invalidated",
              shownBy("ServerRulesTest.anUnsafeRequestInvalidatesTheGroupsItsAnswerNames")),
          text(
              "4.4",
              "Invalidated responses are removed, or validated before the next use",
              "they are removed, and fetches that began earlier are not stored; at once, or"
                  + " milliseconds later if another thread is writing the purge table",
              shownBy("ServerPassTest.anUnsafeMethodOvertakesAFillInProgress")));

  private static int selected(String notModified) {
    return Revalidation.selected(List.of("\"a\"", "\"b\""), fields(notModified));
  }

  private static String nameOr(String otherwise, StoredMeta meta) {
    String name = Revalidation.tagOfOtherVariant(meta);
    return name == null ? otherwise : name;
  }

  private static Check names(String expected, String own, String... others) {
    return same(
        expected,
        () -> {
          HeaderFields conditions =
              own.isEmpty() ? HeaderFields.EMPTY : fields(own.split("\n", -1));
          return Revalidation.conditionalFields(
                  conditions, Revalidation.conditionsNaming(conditions, List.of(others)))
              .toString();
        });
  }

  private static StoredMeta meta(String... fields) {
    String[] all = new String[fields.length + 1];
    all[0] = "Cache-Control: max-age=9";
    System.arraycopy(fields, 0, all, 1, fields.length);
    return ok(all).meta();
  }

  private static Check asks(String expected, String... stored) {
    return same(expected, () -> Revalidation.conditionalFields(meta(stored)).toString());
  }

  private static Check confirms(boolean expected, String stored, String notModified) {
    return same(expected, () -> Revalidation.matches(meta(stored), fields(notModified)));
  }

  private static Check updates(String line, String stored, String received) {
    return same(
        true,
        () -> {
          HeaderFields updated = Freshening.update(fields(stored), fields(received), Case.CAME);
          return updated.toString().contains(line + "\n");
        });
  }

  private static Check head(HeadOutcome expected, String... response) {
    return same(
        expected,
        () ->
            Revalidation.compareHead(
                meta("ETag: \"a\"", "Last-Modified: " + DAY), 9, fields(response)));
  }

  private static Check invalidates(String method, int status, String uris, String... response) {
    return same(
        uris,
        () ->
            String.join(
                " ",
                InvalidationPolicy.invalidated(Case.request(method), status, fields(response))
                    .stream()
                    .map(TargetUri::toString)
                    .toList()));
  }

  private Rfc9111Validation() {}
}
