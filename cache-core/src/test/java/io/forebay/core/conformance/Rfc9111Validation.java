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
              "beside the tag, and alone",
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
              "the own one's tag and the strong ones of other variants, eight at most, without a date",
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
              "A date is what is sent for a response that has no tag",
              "then no other variant's tag is, beside which the origin would ignore it",
              names("if-modified-since: " + DAY + "\n", "if-modified-since: " + DAY, "\"b\"")),
          may(
              "4.3.1",
              "A date may be sent for a part, if it is all that there is to name the response by",
              "as If-Range, where it is a strong validator",
              shownBy("BodyRemainderTest.byDateTheAnswerMustCarryTheSameDate")),
          text(
              "4.3.1",
              "A background validation is created from the stored response and the fields in Vary",
              "it has the fields of the request that found it stale, in their normal form",
              shownBy(
                  "ServerFailureTest.staleIsServedAtOnceWhileItIsRefreshedOnce",
                  "freshness/stale-while-revalidate.script")),
          should(
              "4.3.2",
              "Conditions of a request that a stored 200 answers are evaluated here",
              "If-None-Match by weak comparison, or *; If-Modified-Since only without it",
              shownBy("ConditionsTest.evaluates", "ServePlanTest.plans")),
          must(
              "4.3.2",
              "Conditions are not evaluated where nothing is stored, or the answer is no success",
              "a miss is fetched without them and they are evaluated on what comes",
              shownBy(
                  "ServePlanTest.plans",
                  "FidelityIT.aConditionOnAMissFetchesTheWholeOnce",
                  "ServerPassTest.fillsSendNothingThatFitsOneClientOnly")),
          must(
                  "4.3.2",
                  "If-Match and If-Unmodified-Since are for the origin only",
                  "they are evaluated on what is stored, and answered by 412",
                  shownBy("ConditionsTest.evaluates"))
              .butWeDeviate(
                  "Clients that continue a download use them: the answer is true of what this cache would"
                      + " send."),
          text(
              "4.3.2",
              "If-Range is evaluated by who answers ranges",
              "on what is stored; see RFC 9110 §13.1.5",
              shownBy("ConditionsTest.ifRangeNeedsTheVeryRepresentation", "range/if-range.script")),
          must(
              "4.3.2",
              "The tag of what is stored in part is not sent with a client's, unless the part is enough",
              "no tags are mixed with a client's; of what is not whole no other request is told",
              shownBy(
                  "ServerPassTest.fillsSendNothingThatFitsOneClientOnly",
                  "ServerVariantTagsTest.whatATagDoesNotTellApartIsNotNamed")),
          should(
              "4.3.2",
              "If-None-Match that matches, or *, is answered by 304",
              "with the fields that a 304 repeats",
              shownBy("FidelityIT.conditionalRequestsAreAnsweredFromTheCache")),
          may(
                  "4.3.2",
                  "A client's tags may be sent on with the cache's own",
                  "a fetch carries the cache's own only",
                  shownBy("ServerPassTest.fillsSendNothingThatFitsOneClientOnly"))
              .butWeDeviate(
                  "The answer is shared by all who wait for it, and only what was asked for all can be."),
          must(
              "4.3.2",
              "A 304 for a tag that is not the client's becomes a 200 of what is stored",
              "what was confirmed is served as if it had been fresh, by the client's own conditions",
              shownBy("ServerRulesTest.aClientsOtherConditionGetsTheWholeOfWhatWasConfirmed")),
          should(
              "4.3.2",
              "If-Modified-Since compares with Last-Modified, else with Date, else with when it came",
              "in this order",
              shownBy(
                  "ConditionsTest.evaluates",
                  "ConditionsTest.withoutValidatorsTheDateStandsIn",
                  "conditional/date-stands-in.script")),
          must(
              "4.3.3",
              "A full response to a validation is what answers the request",
              "it is streamed to all who wait, and stored if it may be",
              shownBy("ServerFailureTest.staleIsServedAtOnceWhileItIsRefreshedOnce")),
          may(
              "4.3.3",
              "The full response may be stored",
              "by the rules of §3; it takes the place of what was asked about",
              shownBy("validation/changed.script")),
          text(
              "4.3.3",
              "A 304 says that what is stored can be updated and used again",
              "it is served to all who waited, each by his own conditions",
              shownBy("validation/not-modified-freshens.script", "sharing/one-validation.script")),
          may(
              "4.3.3",
              "A 5xx may be passed on, or taken for no answer at all",
              "500, 502, 503 and 504 are taken for none where stale may be served, others are passed on",
              shownBy("ServerFailureTest.staleIsServedWhileTheOriginFailsIfItMayBe")),
          may(
              "4.3.3",
              "A validation that a 5xx answered may be tried again",
              "not for the same request: the next one asks again",
              shownBy(
                  "ServerRulesTest.aFailureThatCouldBeStoredDoesNotTakeThePlaceOfWhatIsStale",
                  "freshness/failure-that-could-be-stored.script")),
          must(
              "4.3.4",
              "A strong validator in a 304 selects what has it; if nothing does, nothing is updated",
              "the object is fetched again without conditions",
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
                  "A strong tag in a 304 does not confirm what has a weak one",
                  "it does where the two are the same but for W/",
                  all(
                      confirms(true, "ETag: W/\"a\"", "ETag: \"a\""),
                      confirms(false, "ETag: W/\"a\"", "ETag: \"b\"")))
              .butWeDeviate(
                  "The tag that was asked about was the weak one; origins that weaken the tags of what they"
                      + " compress confirm it by the strong one."),
          must(
                  "4.3.4",
                  "All that the request could have selected and that has the strong tag is updated",
                  "the one response that was asked about is",
                  shownBy(
                      "ServerVaryTest.aResponseWithoutVaryStandsBesideThoseWithAndTheYoungerIsServed"))
              .butWeDeviate(
                  "Two at most could have been selected, and the other one is then the older: it answers"
                      + " none of these requests, and is asked about when it answers others."),
          must(
              "4.3.4",
              "A 304 updates only what its request could have selected",
              "another variant that it names stays as it is: its body, under the 304's fields, becomes"
                  + " the variant of this request",
              shownBy("ServerVariantTagsTest.theOtherVariantStaysAsItIs")),
          must(
              "4.3.4",
              "A weak validator selects the most recent of what it matches",
              "of those that the request selects only the most recent is asked about; a date likewise",
              all(
                  confirms(true, "ETag: W/\"a\"", "ETag: W/\"a\""),
                  confirms(false, "ETag: W/\"a\"", "ETag: W/\"b\""),
                  confirms(true, "Last-Modified: " + DAY, "Last-Modified: " + DAY),
                  confirms(false, "Last-Modified: " + DAY, "Last-Modified: {+0}"),
                  shownBy(
                      "ServerVaryTest.aResponseWithoutVaryStandsBesideThoseWithAndTheYoungerIsServed"))),
          must(
                  "4.3.4",
                  "A 304 without a validator selects only what has none either",
                  "it is taken to confirm the one response that was asked about",
                  all(
                      confirms(true, "ETag: \"a\"", "X: y"),
                      same(false, () -> Revalidation.identifiesVariant(fields("X: y"))),
                      same(true, () -> Revalidation.identifiesVariant(fields("ETag: W/\"a\""))),
                      shownBy(
                          "ServerVariantTagsTest.aConfirmationWithoutATagSaysNothingOfSeveral")))
              .butWeDeviate(
                  "The request named one representation, and origins that leave the tag out of a 304 are"
                      + " common; only where several were named does it say nothing."),
          must(
              "4.3.4",
              "What is selected is updated with the fields of the 304",
              "see §3.2; what is not repeated stays, the policy that was meant for this cache alone too",
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
              "A 200 to a HEAD updates or invalidates what is stored for a GET",
              "of the variant that the HEAD selects, where a HEAD without Authorization was sent on",
              shownBy(
                  "ServerRulesTest.aHeadThatAgreesFreshensWhatIsStored",
                  "ServerRulesTest.aHeadThatDisagreesEndsWhatIsStored",
                  "ServerRulesTest.aHeadOfOneUserSaysNothingOfWhatIsStoredForAll")),
          should(
              "4.3.5",
              "It is updated if validators and length that the HEAD has are the same, else it is stale",
              "by the validators that it has, and its length",
              all(
                  head(HeadOutcome.SAME, "ETag: \"a\"", "Content-Length: 9"),
                  head(HeadOutcome.SAME, "ETag: \"a\""),
                  head(HeadOutcome.OTHER, "ETag: \"b\"", "Content-Length: 9"),
                  head(HeadOutcome.OTHER, "ETag: \"a\"", "Content-Length: 8"),
                  head(HeadOutcome.OTHER, "Content-Length: 8"),
                  head(HeadOutcome.OTHER, "ETag: \"a\"", "Last-Modified: {+0}"))),
          should(
                  "4.3.5",
                  "A HEAD without any validator that tells of no other length updates what is stored",
                  "it changes nothing",
                  all(
                      head(HeadOutcome.UNKNOWN, "Content-Length: 9"),
                      head(HeadOutcome.UNKNOWN, "X: y")))
              .butWeDeviate(
                  "Two bodies of one length are not one body: a page that has changed would be fresh for"
                      + " another lifetime."),
          must(
              "4.3.5",
              "A HEAD updates fields as a 304 does",
              "by the same rules",
              updates("x: 2", "X: 1", "X: 2")),
          must(
              "4.4",
              "A success or redirection to an unsafe or unknown method invalidates the target",
              "all its variants; an error or a failure does not; a route can turn it off",
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
              "Other URIs may be invalidated, those in Location and Content-Location above all",
              "these two are",
              all(
                  invalidates("POST", 201, "http://h/a http://h/b", "Location: /b"),
                  invalidates("POST", 200, "http://h/a http://h/c", "Content-Location: c"))),
          must(
              "4.4",
              "Not if they are of another origin",
              "scheme, host and port have to be the same",
              all(
                  invalidates("POST", 201, "http://h/a", "Location: http://g/b"),
                  invalidates("POST", 201, "http://h/a", "Location: https://h/b"),
                  invalidates("POST", 201, "http://h/a", "Location: http://h:81/b"),
                  invalidates("POST", 201, "http://h/a http://h/b", "Location: http://h:80/b"))),
          may(
              "4.4",
              "Others may be invalidated by means that are specified elsewhere",
              "groups are; see RFC 9875",
              shownBy("ServerRulesTest.anUnsafeRequestInvalidatesTheGroupsItsAnswerNames")),
          text(
              "4.4",
              "Invalid means removed, or validated before its next use",
              "removed, and with it what a fetch brings that was begun before",
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
