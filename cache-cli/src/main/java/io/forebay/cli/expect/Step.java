package io.forebay.cli.expect;

import io.forebay.server.config.SourceLocation;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One step of a script.
 *
 * @param after how far the clock moves before it
 * @param repeat how often its request is sent; each response must be as expected
 * @param answer of every origin in this step, one after the other, the last one for all that
 *     follow; empty where the script's hold
 * @param answers the same by the name of the origin, or {@code NAME/NUMBER} of one of its servers
 */
record Step(
    String name,
    SourceLocation place,
    Duration after,
    int repeat,
    @Nullable Request request,
    @Nullable Purge purge,
    List<ScriptedAnswer> answer,
    Map<String, List<ScriptedAnswer>> answers,
    Expectation expected) {

  /**
   * A request of a client.
   *
   * @param url absolute
   * @param client address that the node takes for the client's
   * @param listener name of the listener, or null for the first that speaks the URL's scheme
   */
  record Request(
      String method,
      Url url,
      List<HeaderLine> headers,
      String body,
      String client,
      boolean isClientGiven,
      @Nullable String listener,
      SourceLocation place) {}

  /** An absolute URL in parts. */
  record Url(String scheme, String authority, String target) {

    /** The host without its port. */
    String host() {
      int colon = authority.lastIndexOf(':');
      return colon > authority.lastIndexOf(']') ? authority.substring(0, colon) : authority;
    }
  }

  /** The body of a request to {@code /v1/purge}. */
  record Purge(Map<String, Object> order, SourceLocation place) {}
}
