package io.forebay.server.config;

/**
 * What keeps requests from piling up before an origin.
 *
 * @param maxWaiting requests that may wait for a connection, on each event loop
 * @param adaptive how many requests may be in progress
 * @param isCircuit whether requests fail at once while every endpoint is avoided
 */
public record ProtectionConfig(int maxWaiting, AdaptiveLimitConfig adaptive, boolean isCircuit) {

  /** What holds where nothing is configured. */
  public static final ProtectionConfig DEFAULT =
      new ProtectionConfig(1024, AdaptiveLimitConfig.OFF, false);
}
