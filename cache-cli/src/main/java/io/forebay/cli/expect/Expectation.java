package io.forebay.cli.expect;

import io.forebay.server.config.SourceLocation;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What must come out of a step; null or empty where nothing is said.
 *
 * @param absent fields that the response must not have
 * @param size of the body
 * @param breaksOff whether the connection must end in the middle of the body
 * @param redirect the target in Location of a redirect
 * @param cache results as in the access log, one of which it must be
 * @param asked every request that origins must get; null where nothing is said
 */
record Expectation(
    @Nullable Value<Integer> status,
    List<FieldMatch> headers,
    List<Value<String>> absent,
    @Nullable TextMatch body,
    @Nullable Value<Integer> size,
    boolean breaksOff,
    @Nullable TextMatch redirect,
    @Nullable Value<List<String>> cache,
    @Nullable Value<List<String>> reason,
    @Nullable Value<String> route,
    @Nullable Value<List<Asked>> asked) {

  /** Nothing but that there is a whole response. */
  static final Expectation NOTHING =
      new Expectation(null, List.of(), List.of(), null, null, false, null, null, null, null, null);

  /** A value and where it is said. */
  record Value<T>(T value, SourceLocation place) {}

  /** What the lines of a field must be. */
  record FieldMatch(String name, TextMatch match) {}

  /**
   * Requests that an origin must get.
   *
   * @param origin its name, or null for any
   * @param server which of its servers, from 1; 0 for any
   * @param times how often
   */
  record Asked(
      @Nullable String origin,
      int server,
      @Nullable String method,
      @Nullable TextMatch path,
      List<FieldMatch> headers,
      List<Value<String>> absent,
      @Nullable TextMatch body,
      int times,
      SourceLocation place) {}
}
