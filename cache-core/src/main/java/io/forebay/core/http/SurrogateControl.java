package io.forebay.core.http;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Parses Surrogate-Control of the Edge Architecture Specification of 2001: {@code max-age=3600+600,
 * no-store, content="ESI/1.0"}. The number after the plus sign is the grace period for
 * stale-while-revalidate, and here for stale-if-error as well. A directive with a parameter that
 * names a surrogate ({@code no-store;abc}) is for another surrogate and ignored.
 */
public final class SurrogateControl {

  private static final String ESI = "ESI/1.0";

  private boolean isValid = true;
  private boolean noStore;
  private long maxAge = CacheControl.ABSENT;
  private long grace = CacheControl.ABSENT;

  private SurrogateControl() {}

  /** Null where it is malformed, or says nothing of caching, as {@code content="…"} alone does. */
  static @Nullable CacheControl parse(List<String> lines) {
    SurrogateControl control = new SurrogateControl();
    for (String line : lines) {
      // As in Cache-Control: what it forbids may stand within quotes that are not closed.
      boolean areQuotesPaired = DirectiveParser.forEach(line, control::apply);
      control.noStore |= !areQuotesPaired;
    }
    boolean saysNothing = !control.noStore && control.maxAge == CacheControl.ABSENT;
    return !control.isValid || saysNothing
        ? null
        : CacheControl.ofSurrogate(control.noStore, control.maxAge, control.grace);
  }

  /**
   * Whether {@code content} names ESI 1.0 for every surrogate: the response asks for its includes
   * to be processed. A line whose quotes are not closed says nothing of that.
   */
  public static boolean asksForEsi(List<String> lines) {
    boolean[] asks = new boolean[1];
    for (String line : lines) {
      boolean[] ofLine = new boolean[1];
      boolean areQuotesPaired =
          DirectiveParser.forEach(
              line,
              (name, value, isMalformed) ->
                  ofLine[0] |=
                      name.equals("content")
                          && value != null
                          && !isMalformed
                          && List.of(value.strip().split("\\s+")).contains(ESI));
      asks[0] |= areQuotesPaired && ofLine[0];
    }
    return asks[0];
  }

  private void apply(String name, @Nullable String value, boolean isMalformed) {
    if (name.indexOf(';') >= 0 || (value != null && value.indexOf(';') >= 0)) {
      return;
    }
    switch (name) {
      // This cache is what the specification calls remote: it is not the origin's own neighbour.
      case "no-store", "no-store-remote" -> noStore = true;
      case "max-age" -> maxAge(value, isMalformed);
      default -> {
        // "content" and what nobody knows.
      }
    }
  }

  private void maxAge(@Nullable String value, boolean isMalformed) {
    if (value == null || isMalformed) {
      isValid = false;
      return;
    }
    int plus = value.indexOf('+');
    long fresh = DeltaSeconds.parse(plus < 0 ? value : value.substring(0, plus));
    long stale = plus < 0 ? CacheControl.ABSENT : DeltaSeconds.parse(value.substring(plus + 1));
    isValid &= fresh != DeltaSeconds.INVALID && (plus < 0 || stale != DeltaSeconds.INVALID);
    maxAge = maxAge == CacheControl.ABSENT ? fresh : Math.min(maxAge, fresh);
    grace = grace == CacheControl.ABSENT ? stale : Math.min(grace, stale);
  }
}
