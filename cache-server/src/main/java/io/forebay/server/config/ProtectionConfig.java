package io.forebay.server.config;

/**
 * What keeps requests from piling up before an origin.
 *
 * @param maxWaiting requests that may wait for a connection, on each event loop
 */
public record ProtectionConfig(int maxWaiting) {

  /** What holds where nothing is configured. */
  public static final ProtectionConfig DEFAULT = new ProtectionConfig(1024);
}
