package io.forebay.server;

import io.forebay.server.origin.group.Origins;
import io.forebay.server.runtime.RuntimeConfig;

/** The configuration in force and its origins. Written by the start and by reloads; any thread. */
final class ActiveConfig implements AutoCloseable {
  private volatile RuntimeConfig config;
  private volatile Origins origins;

  ActiveConfig(RuntimeConfig config, Origins origins) {
    this.config = config;
    this.origins = origins;
  }

  RuntimeConfig config() {
    return config;
  }

  void config(RuntimeConfig next) {
    RuntimeConfig before = config;
    config = next;
    before.config().plugins().set().retire();
  }

  /** There are no requests any more. */
  @Override
  public void close() {
    config.config().plugins().set().close();
  }

  Origins origins() {
    return origins;
  }

  void origins(Origins next) {
    origins = next;
  }
}
