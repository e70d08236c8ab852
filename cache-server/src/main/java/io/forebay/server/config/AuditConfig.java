package io.forebay.server.config;

import org.jspecify.annotations.Nullable;

/**
 * The log of actions.
 *
 * @param output as of the access log; null for the file in the data directory
 */
public record AuditConfig(
    @Nullable String output, LogConfig.Rotation rotation, LogConfig.Syslog syslog) {

  /** The name of the file in the data directory. */
  public static final String FILE_NAME = "audit.log";

  public static final AuditConfig OFF =
      new AuditConfig("off", LogConfig.Rotation.OFF, LogConfig.Syslog.DEFAULT);
}
