package io.forebay.core.conformance;

import static io.forebay.core.conformance.Check.all;
import static io.forebay.core.conformance.Check.same;
import static io.forebay.core.conformance.Check.shownBy;
import static io.forebay.core.conformance.Row.may;
import static io.forebay.core.conformance.Row.must;
import static io.forebay.core.conformance.Row.text;

import io.forebay.core.key.NoVarySearch;
import org.jspecify.annotations.Nullable;

/** draft-ietf-httpbis-no-vary-search. */
final class NoVarySearchField {

  static final Chapter CHAPTER =
      new Chapter(
          "No-Vary-Search (draft-ietf-httpbis-no-vary-search)",
          text(
              "field",
              "A dictionary: key-order, params, except",
              "what is malformed, of another type, or not known says nothing: then each query is its own",
              all(
                  reduced("a=1&b=2", "params=(\"x\")", "a=1&b=2&x=3"),
                  reduced("b=2", "params, except=(\"b\")", "a=1&b=2"),
                  reduced("a=1&b=2", "key-order", "b=2&a=1"),
                  saysNothing("params=(x)"),
                  saysNothing("except=(\"a\")"),
                  saysNothing("params, new-key"),
                  shownBy("NoVarySearchTest.saysWhatDoesNotMatter"))),
          text(
              "comparing",
              "Names and values are compared as a form's",
              "a plus is a blank, percent-encodings are what they stand for",
              all(
                  reduced("a=%20", "params=(\"x\")", "a=+"),
                  reduced("a=1", "params=(\"x y\")", "a=1&x+y=2"),
                  shownBy("NoVarySearchTest.reducesAQueryToWhatMatters"))),
          may(
              "reuse",
              "A cache may use a response for a URL that differs only in what does not matter",
              "where the route says no-vary-search, by the rule that the path's last response gave",
              shownBy(
                  "ServerNoVarySearchTest.aLaterRequestFindsTheObjectByWhatMatters",
                  "ServerNoVarySearchTest.whereTheRouteDoesNotSayTheFieldMeansNothing")),
          must(
              "reuse",
              "Only what may answer such a request otherwise does",
              "variants stay apart, another rule or none is another key, a 304 with another rule freshens"
                  + " nothing for others",
              shownBy(
                  "ServerNoVarySearchTest.variantsOfOneReducedKeyAreToldApart",
                  "ServerNoVarySearchTest.responsesWithoutTheFieldAndWithAnotherRuleStandBeside",
                  "ServerNoVarySearchTest.a304WithAnotherRuleFreshensNothingForOthers")),
          text(
              "invalidation",
              "What one URL is invalidated by is to reach what is used in its place",
              "a purge of either URL takes the object",
              shownBy("ServerNoVarySearchTest.aPurgeOfEitherUrlKillsTheObject")));

  private static @Nullable NoVarySearch rule(String field) {
    return NoVarySearch.of(Case.fields("No-Vary-Search: " + field));
  }

  private static Check reduced(String expected, String field, String query) {
    return same(
        expected,
        () -> {
          NoVarySearch rule = rule(field);
          String left = rule == null ? null : rule.reduced(query);
          return left == null ? "" : left;
        });
  }

  private static Check saysNothing(String field) {
    return same(true, () -> rule(field) == null);
  }

  private NoVarySearchField() {}
}
