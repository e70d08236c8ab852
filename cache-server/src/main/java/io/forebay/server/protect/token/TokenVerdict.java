package io.forebay.server.protect.token;

import io.forebay.core.http.HeaderFields;
import java.util.Map;

/** What a request's token is good for. */
public sealed interface TokenVerdict {

  /**
   * It admits the request.
   *
   * @param fields the claims that the request gets as fields
   * @param claims those that limits count by, as far as it has them
   */
  record Valid(HeaderFields fields, Map<String, String> claims) implements TokenVerdict {}

  /** It is genuine, and lacks a claim. */
  record LacksClaim() implements TokenVerdict {}

  /**
   * It is not valid.
   *
   * @param why for the client; ASCII without quotes
   */
  record Invalid(String why) implements TokenVerdict {}

  /** No keys are there to verify it with. */
  record NoKeys() implements TokenVerdict {}

  /** Too many wait to be verified. */
  record TooMany() implements TokenVerdict {}
}
