package io.forebay.server.protect.forward;

import io.forebay.core.http.HeaderFields;

/** What the server that is asked says of a request. */
public sealed interface ForwardVerdict {

  /**
   * It is admitted.
   *
   * @param fields that the request gets
   */
  record Admitted(HeaderFields fields) implements ForwardVerdict {}

  /**
   * It is refused.
   *
   * @param lines header lines of the answer, each with its line ending
   */
  record Refused(int status, String lines) implements ForwardVerdict {}

  /** Nothing was said that is a verdict. */
  record Failed() implements ForwardVerdict {}

  /** It was not asked: too many requests wait for its verdicts. */
  record TooMany() implements ForwardVerdict {}
}
