package io.forebay.server.origin.sign;

import io.forebay.core.http.HeaderFields;

/**
 * A request that is about to be sent.
 *
 * @param target path and query
 * @param fields without framing; {@code host} is among them
 * @param hasBody whether a body follows
 * @param authority of the server that gets it, as its URL has it
 * @param isTls whether it is sent over TLS
 */
public record SignableRequest(
    String method,
    String target,
    HeaderFields fields,
    boolean hasBody,
    String authority,
    boolean isTls) {

  SignableRequest with(String newTarget, HeaderFields newFields) {
    return new SignableRequest(method, newTarget, newFields, hasBody, authority, isTls);
  }

  /** The target up to the query. */
  String path() {
    int mark = target.indexOf('?');
    return mark < 0 ? target : target.substring(0, mark);
  }

  /** What follows the question mark; empty where there is none. */
  String query() {
    int mark = target.indexOf('?');
    return mark < 0 ? "" : target.substring(mark + 1);
  }

  /** Without the values: they may be secrets. */
  @Override
  public String toString() {
    return method + " to " + authority;
  }
}
