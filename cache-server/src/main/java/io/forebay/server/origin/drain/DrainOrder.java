package io.forebay.server.origin.drain;

import org.jspecify.annotations.Nullable;

/**
 * What an operator wants drained.
 *
 * @param server URL of a server, or {@code address:port}
 * @param origin name of its origin; may be null if only one has such a server
 * @param reason printable ASCII, may be empty
 * @param isForced whether an origin may be left without a usable address
 */
public record DrainOrder(String server, @Nullable String origin, String reason, boolean isForced) {}
