package io.forebay.plugin;

/**
 * A plugin: makes handlers for the rules that name it. Implementations are public classes with a
 * {@link PluginInfo} and a public constructor without parameters, and are listed in {@code
 * META-INF/services/io.forebay.plugin.Plugin} of their jar.
 */
public interface Plugin {

  /** The version of this package. */
  int API_VERSION = 1;

  /**
   * A handler for one rule. Called at each load of a configuration, never on an event loop, so it
   * may read files; a long call delays a start or a reload.
   *
   * @throws PluginConfigException if the configuration is wrong; the whole configuration is then
   *     refused
   */
  Handler handler(PluginConfig config) throws PluginConfigException;
}
