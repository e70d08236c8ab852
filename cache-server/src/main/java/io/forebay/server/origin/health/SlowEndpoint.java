package io.forebay.server.origin.health;

/**
 * An endpoint that is much slower than the others of its origin.
 *
 * @param why with figures
 */
public record SlowEndpoint(EndpointHealth health, String why) {}
