package io.forebay.server.rule;

import io.forebay.core.http.HeaderFields;

/** A response that the node makes itself and that ends the evaluation of rules. */
public sealed interface LocalAnswer {

  /** The request is refused; a status of an error, and a line of text. */
  record Deny(int status, String text) implements LocalAnswer {}

  /** The client is sent to another URL. */
  record Redirect(int status, Template to) implements LocalAnswer {}

  /** The client is sent where a map says; the rule holds only where it has an entry. */
  record MapRedirect(String file, RedirectMap map) implements LocalAnswer {}

  /**
   * A fixed response.
   *
   * @param fields without those about framing
   */
  @SuppressWarnings("ArrayRecordComponent")
  record Respond(int status, HeaderFields fields, byte[] body) implements LocalAnswer {}
}
