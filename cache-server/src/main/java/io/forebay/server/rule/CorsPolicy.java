package io.forebay.server.rule;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.RequestView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Cross-origin resource sharing of a route: which origins' scripts may read its responses. Fields
 * are set when a response is delivered, so what is stored is the same for all origins.
 *
 * <pre>
 *   Origin is                         Access-Control-Allow-Origin     the fast lane
 *   whatever, and * is listed         *                               stays
 *   one of the list                   that one; prepared              stays
 *   matched by a pattern of the list  that one                        is left
 *   another, or missing               none                            stays
 * </pre>
 *
 * Immutable; two are equal if they were written the same.
 */
public final class CorsPolicy {
  private static final String ALLOW_ORIGIN = "access-control-allow-origin";
  private static final FieldEdits.Line VARY = new FieldEdits.Line("vary", Template.of("Origin"));

  /** What an origin server says of it does not reach clients. */
  private static final List<String> REPLACED =
      List.of(
          ALLOW_ORIGIN,
          "access-control-allow-credentials",
          "access-control-allow-headers",
          "access-control-allow-methods",
          "access-control-allow-private-network",
          "access-control-expose-headers",
          "access-control-max-age");

  private final String text;
  private final Settings settings;

  /** What responses to every origin get, or null where that depends on the origin. */
  private final @Nullable FieldEdits ofAll;

  private final FieldEdits ofOthers;
  private final TextSet listed;
  private final Map<String, FieldEdits> ofListed = new HashMap<>();
  private final List<Subdomains> patterns;

  /**
   * The settings of a route.
   *
   * @param origins such as {@code https://a.example}, {@code https://*.a.example}, {@code null} or
   *     {@code *}
   * @param maxAge how long the answer to a preflight may be kept, or null to say nothing about it
   */
  public record Settings(
      List<String> origins,
      List<String> methods,
      List<String> requestHeaders,
      List<String> exposedHeaders,
      @Nullable Duration maxAge,
      boolean allowsCredentials) {

    public boolean isForAll() {
      return origins.contains("*");
    }
  }

  /** All hosts below one: {@code https://*.a.example}. */
  private record Subdomains(String before, String after) {

    static Subdomains of(String pattern) {
      int star = pattern.indexOf('*');
      return new Subdomains(pattern.substring(0, star), pattern.substring(star + 1));
    }

    boolean matches(CharSequence origin) {
      int from = before.length();
      int to = origin.length() - after.length();
      if (from >= to || !isAt(origin, 0, before) || !isAt(origin, to, after)) {
        return false;
      }
      for (int i = from; i < to; i++) {
        char c = origin.charAt(i);
        boolean isOfHost =
            (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
        if (!isOfHost) {
          return false;
        }
      }
      return true;
    }

    private static boolean isAt(CharSequence text, int from, String part) {
      for (int i = 0; i < part.length(); i++) {
        if (text.charAt(from + i) != part.charAt(i)) {
          return false;
        }
      }
      return true;
    }
  }

  /** {@code text} is what was written. */
  public CorsPolicy(String text, Settings settings) {
    this.text = text;
    this.settings = settings;
    ofAll = settings.isForAll() ? edits("*", false) : null;
    ofOthers = new FieldEdits(List.of(), List.of(VARY), REPLACED);
    List<String> whole = new ArrayList<>();
    List<Subdomains> parts = new ArrayList<>();
    for (String origin : settings.origins()) {
      if (origin.equals("*")) {
        continue;
      }
      if (origin.indexOf('*') >= 0) {
        parts.add(Subdomains.of(origin));
      } else {
        whole.add(origin);
        ofListed.put(origin, edits(origin, true));
      }
    }
    listed = TextSet.of(whole);
    patterns = List.copyOf(parts);
  }

  private FieldEdits edits(String origin, boolean isVaried) {
    List<FieldEdits.Line> set = new ArrayList<>();
    set.add(line(ALLOW_ORIGIN, origin));
    if (settings.allowsCredentials()) {
      set.add(line("access-control-allow-credentials", "true"));
    }
    if (!settings.exposedHeaders().isEmpty()) {
      set.add(line("access-control-expose-headers", String.join(", ", settings.exposedHeaders())));
    }
    return new FieldEdits(set, isVaried ? List.of(VARY) : List.of(), REPLACED);
  }

  private static FieldEdits.Line line(String name, String value) {
    return new FieldEdits.Line(name, Template.of(value.replace("$", "$$")));
  }

  /** Edits the response in an exchange. */
  void apply(RequestFacts facts, RuleOutcome into) {
    FieldEdits known = known(facts);
    if (known != null) {
      into.add(known);
      return;
    }
    into.add(edits(String.valueOf(facts.onlyLine("origin")), true));
  }

  /**
   * The same in the fast lane.
   *
   * @return false where an exchange has to handle the request
   */
  boolean applyFast(RequestFacts facts, RuleOutcome into) {
    FieldEdits known = known(facts);
    if (known == null) {
      return false;
    }
    into.add(known);
    return true;
  }

  /** Whether a hit has to be answered by an exchange. */
  public boolean leavesFastLane(RequestFacts facts) {
    return known(facts) == null;
  }

  /** The edits for a request; null where a pattern matches its origin. */
  private @Nullable FieldEdits known(RequestFacts facts) {
    if (ofAll != null) {
      return ofAll;
    }
    CharSequence origin = facts.onlyLine("origin");
    if (origin == null) {
      return ofOthers;
    }
    String member = listed.find(origin, 0, origin.length());
    if (member != null) {
      return ofListed.get(member);
    }
    for (int i = 0; i < patterns.size(); i++) {
      if (patterns.get(i).matches(origin)) {
        return null;
      }
    }
    return ofOthers;
  }

  /** Whether a browser asks for permission, before the request that a script wants to send. */
  public static boolean isPreflight(RequestView request) {
    return request.method().equals("OPTIONS")
        && request.fields().has("origin")
        && request.fields().has("access-control-request-method");
  }

  /** The answer to a preflight; without permission for an origin that has none. */
  public HeaderFields preflight(RequestView request) {
    HeaderFields.Builder out = HeaderFields.builder();
    boolean isForAll = settings.isForAll();
    if (!isForAll) {
      out.add("vary", "Origin");
    }
    List<String> origins = request.fields().all("origin");
    if (origins.size() != 1 || !admits(origins.getFirst())) {
      return out.build();
    }
    out.add(ALLOW_ORIGIN, isForAll ? "*" : origins.getFirst());
    if (settings.allowsCredentials()) {
      out.add("access-control-allow-credentials", "true");
    }
    out.add("access-control-allow-methods", String.join(", ", settings.methods()));
    if (!settings.requestHeaders().isEmpty()) {
      out.add("access-control-allow-headers", String.join(", ", settings.requestHeaders()));
    }
    Duration maxAge = settings.maxAge();
    if (maxAge != null) {
      out.add("access-control-max-age", Long.toString(maxAge.toSeconds()));
    }
    return out.build();
  }

  private boolean admits(String origin) {
    return settings.isForAll()
        || listed.contains(origin, 0, origin.length())
        || patterns.stream().anyMatch(pattern -> pattern.matches(origin));
  }

  /** As it was written, in one line. */
  @Override
  public String toString() {
    return text;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof CorsPolicy its && its.text.equals(text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }
}
