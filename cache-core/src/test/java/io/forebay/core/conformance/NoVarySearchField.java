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
              "The field is a dictionary with key-order, params and except",
              "a malformed field, a wrong type or an unknown member makes the field"
                  + " ineffective: each query has its own key",
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
              "Names and values are compared as in application/x-www-form-urlencoded",
              "a plus is a space, and percent-encodings are decoded",
              all(
                  reduced("a=%20", "params=(\"x\")", "a=+"),
                  reduced("a=1", "params=(\"x y\")", "a=1&x+y=2"),
                  shownBy("NoVarySearchTest.reducesAQueryToWhatMatters"))),
          may(
              "reuse",
              "A cache may use a response for a URL that differs only in insignificant parameters",
              "it does if the route sets no-vary-search, by the rule from the path's last"
                  + " response",
              shownBy(
                  "ServerNoVarySearchTest.aLaterRequestFindsTheObjectByWhatMatters",
                  "ServerNoVarySearchTest.whereTheRouteDoesNotSayTheFieldMeansNothing")),
          must(
              "reuse",
              "Other conditions for reuse still apply",
              "variants stay separate; another rule, or none, gives another key; a 304"
                  + " with another rule freshens no response of the old rule",
              shownBy(
                  "ServerNoVarySearchTest.variantsOfOneReducedKeyAreToldApart",
                  "ServerNoVarySearchTest.responsesWithoutTheFieldAndWithAnotherRuleStandBeside",
                  "ServerNoVarySearchTest.a304WithAnotherRuleFreshensNothingForOthers")),
          text(
              "invalidation",
              "Invalidating a URL also affects the response that is used in its place",
              "a purge of either URL removes the object",
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
