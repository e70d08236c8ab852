package io.forebay.server.config;

import io.forebay.server.counters.PluginCounters;
import io.forebay.server.plugin.PluginSet;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Loads the plugins that a configuration names. */
final class PluginBinder extends Binder {
  private static final String DIRECTORY = "plugins." + ConfigKeys.PLUGIN_DIRECTORY.name();

  PluginBinder(ConfigValues values, List<ConfigProblem> problems, Map<String, String> sources) {
    super(values, problems, sources);
  }

  PluginsConfig bind(Function<String, PluginCounters> counters) {
    Path directory = value("plugins", ConfigKeys.PLUGIN_DIRECTORY);
    Duration budget = given("plugins", ConfigKeys.PLUGIN_BUDGET);
    if (directory == null) {
      return new PluginsConfig(null, budget, PluginSet.NONE);
    }
    PluginSet set =
        PluginSet.load(
            directory,
            budget,
            counters,
            message -> problems.add(firstPlace(DIRECTORY).problem(DIRECTORY, message, "")));
    values.files().note(DIRECTORY, set.hash());
    return new PluginsConfig(directory, budget, set);
  }
}
