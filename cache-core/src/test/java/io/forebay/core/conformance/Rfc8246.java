package io.forebay.core.conformance;

import static io.forebay.core.conformance.Case.ok;
import static io.forebay.core.conformance.Check.all;
import static io.forebay.core.conformance.Row.should;
import static io.forebay.core.conformance.Row.text;

/** RFC 8246. */
final class Rfc8246 {

  private static final Case IMMUTABLE =
      ok("Cache-Control: max-age=60, immutable", "ETag: \"a\"").honouring();

  static final Chapter CHAPTER =
      new Chapter(
          "RFC 8246: immutable",
          should(
              "2",
              "What is immutable is not validated while it is fresh because somebody reloads",
              "no-cache, max-age and Pragma of a client cause nothing then, where the route obeys clients",
              all(
                  IMMUTABLE.after(9).asked("Cache-Control: max-age=0").decides("Serve HIT_FRESH"),
                  IMMUTABLE.after(9).asked("Cache-Control: no-cache").decides("Serve HIT_FRESH"),
                  IMMUTABLE.after(9).asked("Pragma: no-cache").decides("Serve HIT_FRESH"))),
          text(
              "2",
              "It says nothing about what is stale",
              "it is validated then",
              all(
                  IMMUTABLE.after(60).decides("Revalidate STALE_EXPIRED"),
                  IMMUTABLE
                      .after(60)
                      .asked("Cache-Control: no-cache")
                      .decides("Revalidate REQUEST_NO_CACHE"))),
          text(
              "2",
              "It has no value; one that is given is ignored",
              "so it is",
              ok("Cache-Control: max-age=60, immutable=\"x\"", "ETag: \"a\"")
                  .honouring()
                  .asked("Cache-Control: no-cache")
                  .decides("Serve HIT_FRESH")));

  private Rfc8246() {}
}
