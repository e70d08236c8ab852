package io.forebay.server.origin.drain;

/**
 * A server of an origin, or one of its addresses, that gets no new requests.
 *
 * @param target the server's URL as the configuration has it, or {@code address:port}
 * @param sinceMillis wall clock
 * @param reason what the operator said about it, or empty
 */
public record Drain(String origin, String target, long sinceMillis, String reason) {
  /** Characters of a reason. */
  public static final int MAX_REASON = 200;

  /** What reports say. */
  public String why() {
    return reason.isEmpty() ? "an operator drained it" : "an operator drained it: " + reason;
  }
}
