package io.forebay.core.route;

/**
 * Requests that are sent to another origin as well, whose responses are dropped.
 *
 * @param origin its name
 * @param sharePercent of the requests
 * @param isOfAll whether it gets all requests of clients, or those that go to the origin
 * @param hasSecrets whether it gets fields that prove who the client is
 */
public record Mirror(String origin, int sharePercent, boolean isOfAll, boolean hasSecrets) {}
