package io.forebay.core.conformance;

import static io.forebay.core.conformance.Case.fields;
import static io.forebay.core.conformance.Check.all;
import static io.forebay.core.conformance.Check.same;
import static io.forebay.core.conformance.Check.shownBy;
import static io.forebay.core.conformance.Row.may;
import static io.forebay.core.conformance.Row.must;
import static io.forebay.core.conformance.Row.text;

import io.forebay.core.key.CacheGroups;
import io.forebay.core.policy.InvalidationPolicy;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** RFC 9875. */
final class Rfc9875 {

  static final Chapter CHAPTER =
      new Chapter(
          "RFC 9875: cache groups",
          text(
              "2",
              "Cache-Groups is a list of strings; parameters and order have no meaning",
              "it is parsed as a Structured Field; a malformed field or one of another"
                  + " type is ignored",
              all(
                  groups("\"a\", \"b c\";x=1", "a", "b c"),
                  groups("\"a\", \"a\"", "a"),
                  groups("a"),
                  groups("\"a\", b"),
                  groups("\"a\", (\"b\")"),
                  groups("\"a"),
                  groups("\"a\",,\"b\""))),
          must(
              "2",
              "A cache supports at least 32 groups of 32 characters per response",
              "64 groups, 16 KiB in total",
              all(
                  same(32, () -> CacheGroups.of(List.of(many(32))).size()),
                  same(64, () -> CacheGroups.of(List.of(many(200))).size()))),
          text(
              "2.1",
              "A group belongs to one origin; its name is compared character by character",
              "scheme, host and port are part of the comparison",
              shownBy("ScopesTest.groupsAreThoseOfOneOrigin")),
          may(
              "2.2.1",
              "A cache that invalidates a response may invalidate the responses that"
                  + " share a group with it",
              "it invalidates only groups that Cache-Group-Invalidation names",
              same(
                  List.of(),
                  () ->
                      InvalidationPolicy.invalidatedGroups(
                          Case.request("POST"), 200, fields("Cache-Groups: \"a\"")))),
          must(
              "3",
              "Cache-Group-Invalidation is ignored in responses to safe methods",
              "it is",
              all(
                  invalidates("GET", 200, List.of()),
                  invalidates("HEAD", 200, List.of()),
                  invalidates("OPTIONS", 200, List.of()))),
          may(
              "3",
              "In a response to an unsafe method it invalidates the groups that it names",
              "if the response is a success or a redirection",
              all(
                  invalidates("POST", 200, List.of("a", "b")),
                  invalidates("DELETE", 303, List.of("a", "b")),
                  invalidates("POST", 500, List.of()),
                  shownBy("ServerRulesTest.anUnsafeRequestInvalidatesTheGroupsItsAnswerNames"))));

  private static String many(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> "\"" + "x".repeat(28) + String.format("%04d", i) + "\"")
        .collect(Collectors.joining(", "));
  }

  private static Check groups(String field, String... expected) {
    return same(List.of(expected), () -> CacheGroups.of(List.of(field)));
  }

  private static Check invalidates(String method, int status, List<String> expected) {
    return same(
        expected,
        () ->
            InvalidationPolicy.invalidatedGroups(
                Case.request(method), status, fields("Cache-Group-Invalidation: \"a\", \"b\"")));
  }

  private Rfc9875() {}
}
