package io.forebay.server.rule;

import java.util.ArrayList;
import java.util.List;

/**
 * A preset of fields that tell browsers what to refuse. All have one value for every request, so
 * hits stay in the fast lane. Strict-Transport-Security comes over TLS only (RFC 6797 §7.2).
 *
 * @param text as it was written, in one line; empty for none
 * @param rules set the fields
 */
public record SecurityHeaders(String text, List<Rule> rules) {
  public static final SecurityHeaders NONE = new SecurityHeaders("", List.of());

  /** Which fields are set. */
  public enum Preset {
    /** What hardly any site depends on. */
    ON,
    /** No framing at all, no referrers, no devices, and no windows shared with other sites. */
    STRICT
  }

  public SecurityHeaders {
    rules = List.copyOf(rules);
  }

  /**
   * Compiles a preset.
   *
   * @param place file and line
   * @param overwrites whether the origin's own fields are replaced
   */
  public static SecurityHeaders of(String text, String place, Preset preset, boolean overwrites) {
    List<FieldEdits.Line> lines = new ArrayList<>();
    lines.add(line("x-content-type-options", "nosniff"));
    if (preset == Preset.STRICT) {
      lines.add(line("referrer-policy", "no-referrer"));
      lines.add(line("x-frame-options", "DENY"));
      lines.add(line("content-security-policy", "frame-ancestors 'none'"));
      lines.add(line("cross-origin-opener-policy", "same-origin"));
      lines.add(
          line(
              "permissions-policy",
              "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()"));
    } else {
      lines.add(line("referrer-policy", "strict-origin-when-cross-origin"));
      lines.add(line("x-frame-options", "SAMEORIGIN"));
    }
    Condition overTls =
        RequestConditions.scheme(new TextMatcher.Exact(TextSet.of(List.of("https"))));
    // Never replaced: what the route's hsts says is there already.
    FieldEdits hsts = edits(List.of(line("strict-transport-security", "max-age=31536000")), false);
    return new SecurityHeaders(
        text,
        List.of(
            new Rule(
                "security-headers",
                place,
                null,
                false,
                RuleActions.ofFields(edits(lines, overwrites))),
            new Rule("security-headers", place, overTls, false, RuleActions.ofFields(hsts))));
  }

  private static FieldEdits edits(List<FieldEdits.Line> lines, boolean overwrites) {
    return overwrites
        ? new FieldEdits(lines, List.of(), List.of())
        : new FieldEdits(List.of(), List.of(), List.of(), lines);
  }

  private static FieldEdits.Line line(String name, String value) {
    return new FieldEdits.Line(name, Template.of(value));
  }

  /** Two are equal if they were written the same. */
  @Override
  public boolean equals(Object other) {
    return other instanceof SecurityHeaders its && its.text.equals(text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }
}
