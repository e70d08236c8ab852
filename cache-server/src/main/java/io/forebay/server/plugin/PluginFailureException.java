package io.forebay.server.plugin;

import java.io.Serial;

/** A plugin gave nothing that can be used. */
final class PluginFailureException extends Exception {
  @Serial private static final long serialVersionUID = 1;

  PluginFailureException(String message) {
    super(message, null, false, false);
  }
}
