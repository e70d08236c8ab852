package io.forebay.server.jwt;

import tools.jackson.databind.node.ObjectNode;

/** What was found out about a token. */
public sealed interface JwtVerdict {

  /**
   * It is valid.
   *
   * @param untilSeconds when it expires, the difference of clocks included
   */
  record Valid(ObjectNode claims, long untilSeconds) implements JwtVerdict {}

  /** It is genuine and in its time, but lacks a claim that is required. */
  record LacksClaim(long untilSeconds) implements JwtVerdict {}

  /**
   * It is not valid.
   *
   * @param why for the client; ASCII without quotes
   */
  record Invalid(String why) implements JwtVerdict {}

  /** It may be valid: the key that it names is not known. */
  record UnknownKey() implements JwtVerdict {}
}
