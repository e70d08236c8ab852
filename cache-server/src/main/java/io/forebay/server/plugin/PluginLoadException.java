package io.forebay.server.plugin;

import java.io.Serial;

/** A plugin made no handler; the message is for an operator. */
public final class PluginLoadException extends Exception {
  @Serial private static final long serialVersionUID = 1;

  PluginLoadException(String message) {
    super(message);
  }
}
