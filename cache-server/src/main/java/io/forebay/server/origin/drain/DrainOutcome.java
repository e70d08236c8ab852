package io.forebay.server.origin.drain;

/**
 * What became of an order.
 *
 * @param target the server's URL, or {@code address:port}
 * @param isChanged false if it was so before
 */
public record DrainOutcome(String origin, String target, boolean isChanged) {}
