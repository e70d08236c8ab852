package io.forebay.server.config;

import io.forebay.plugin.PluginConfig;
import io.forebay.plugin.PluginConfigException;
import io.forebay.server.plugin.PluginLoadException;
import io.forebay.server.plugin.PluginSet;
import io.forebay.server.rule.Extension;
import io.forebay.server.rule.RuleActions;
import io.forebay.server.text.Printable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Makes the handlers of rules that name a plugin. */
final class PluginActionBinder {
  private static final List<String> BESIDE = List.of("name", "when", "on-error", "pass", "plugin");

  private final TreeReader reader;
  private final PluginSet plugins;
  private final Set<String> origins;

  PluginActionBinder(TreeReader reader, PluginSet plugins, Set<String> origins) {
    this.reader = reader;
    this.plugins = plugins;
    this.origins = origins;
  }

  /** What stands under {@code plugin}. */
  private record Named(
      ConfigTree nameTree,
      String name,
      @Nullable ConfigTree config,
      Map<String, ConfigTree.Entry> configEntries,
      boolean isOpen) {}

  /** The actions of a rule with that entry; null after a problem. */
  @Nullable RuleActions bind(
      String path, ConfigTree.Entry entry, Map<String, ConfigTree.Entry> entries) {
    for (ConfigTree.Entry other : entries.values()) {
      if (!BESIDE.contains(other.key())) {
        reader.problem(
            other.place(),
            path + "." + other.key(),
            "a rule with a plugin has no other actions but pass",
            "write a rule of its own for it");
        return null;
      }
    }
    ConfigTree.Entry ofPass = entries.get("pass");
    Boolean passes =
        ofPass == null
            ? Boolean.FALSE
            : reader.value(path + ".pass", ofPass.value(), ValueType.BOOLEAN);
    Named named = named(path + ".plugin", entry.value());
    Extension extension = named == null ? null : extension(path + ".plugin", named);
    return passes == null || extension == null ? null : RuleActions.ofExtension(extension, passes);
  }

  private @Nullable Named named(String path, ConfigTree tree) {
    if (!(tree instanceof ConfigTree.Mapping)) {
      String name = name(path, tree);
      return name == null ? null : new Named(tree, name, null, Map.of(), false);
    }
    Map<String, ConfigTree.Entry> parts =
        reader.entries(path, tree, List.of("name", "config", "on-error"));
    ConfigTree.Entry nameEntry = parts == null ? null : parts.get("name");
    if (parts == null || nameEntry == null) {
      reader.problem(tree.place(), path + ".name", "is missing", "name a plugin");
      return null;
    }
    String name = name(path + ".name", nameEntry.value());
    ConfigTree.Entry ofConfig = parts.get("config");
    ConfigTree config = ofConfig == null ? null : ofConfig.value();
    Map<String, ConfigTree.Entry> given =
        config == null ? Map.of() : reader.entries(path + ".config", config);
    ConfigTree.Entry onError = parts.get("on-error");
    List<String> word =
        onError == null
            ? List.of("closed")
            : reader.words(path + ".on-error", onError.value(), List.of("open", "closed"));
    return name == null || given == null || word == null
        ? null
        : new Named(nameEntry.value(), name, config, given, word.equals(List.of("open")));
  }

  private @Nullable String name(String path, ConfigTree tree) {
    String name = reader.text(path, tree);
    if (name == null || plugins.names().contains(name)) {
      return name;
    }
    // A jar that was not loaded may be the one, and is reported.
    if (!plugins.isIncomplete()) {
      reader.problem(
          tree.place(),
          path,
          "there is no plugin named \"" + Printable.shown(name) + "\"",
          plugins.names().isEmpty()
              ? "put its jar into the directory that plugins.directory names"
              : Printable.suggestion(name, plugins.names()));
    }
    return null;
  }

  private @Nullable Extension extension(String path, Named named) {
    Map<String, List<String>> texts = new LinkedHashMap<>();
    for (ConfigTree.Entry entry : named.configEntries().values()) {
      List<String> all = reader.texts(path + ".config." + entry.key(), entry.value());
      if (all == null) {
        return null;
      }
      texts.put(entry.key(), all);
    }
    PluginConfig config = new PluginConfig(texts);
    String what = "plugin " + named.name() + " ";
    Extension extension;
    try {
      extension = plugins.use(named.name(), config, named.isOpen(), origins);
    } catch (PluginConfigException e) {
      ConfigTree.Entry wrong = named.configEntries().get(e.key());
      ConfigTree around = named.config() == null ? named.nameTree() : named.config();
      reader.problem(
          wrong == null ? around.place() : wrong.value().place(),
          path + ".config" + (e.key().isEmpty() ? "" : "." + Printable.shown(e.key())),
          Printable.line(e),
          "");
      return null;
    } catch (PluginLoadException e) {
      reader.problem(named.nameTree().place(), path, what + Printable.line(e), "");
      return null;
    }
    boolean isKnown = true;
    for (ConfigTree.Entry entry : named.configEntries().values()) {
      if (!config.knownKeys().contains(entry.key())) {
        isKnown = false;
        reader.problem(
            entry.place(),
            path + ".config." + entry.key(),
            "unknown key",
            config.knownKeys().isEmpty()
                ? what + "takes no configuration"
                : Printable.suggestion(entry.key(), config.knownKeys()));
      }
    }
    return isKnown ? extension : null;
  }
}
