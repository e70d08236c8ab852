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
              "A fresh immutable response is not validated when a user reloads",
              "no-cache, max-age and Pragma of a client are ignored then, on routes that"
                  + " obey client directives",
              all(
                  IMMUTABLE.after(9).asked("Cache-Control: max-age=0").decides("Serve HIT_FRESH"),
                  IMMUTABLE.after(9).asked("Cache-Control: no-cache").decides("Serve HIT_FRESH"),
                  IMMUTABLE.after(9).asked("Pragma: no-cache").decides("Serve HIT_FRESH"))),
          text(
              "2",
              "immutable does not apply to a stale response",
              "a stale response is validated",
              all(
                  IMMUTABLE.after(60).decides("Revalidate STALE_EXPIRED"),
                  IMMUTABLE
                      .after(60)
                      .asked("Cache-Control: no-cache")
                      .decides("Revalidate REQUEST_NO_CACHE"))),
          text(
              "2",
              "immutable has no value; a given value is ignored",
              "it is",
              ok("Cache-Control: max-age=60, immutable=\"x\"", "ETag: \"a\"")
                  .honouring()
                  .asked("Cache-Control: no-cache")
                  .decides("Serve HIT_FRESH")));

  private Rfc8246() {}
}
