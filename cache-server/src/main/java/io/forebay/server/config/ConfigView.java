package io.forebay.server.config;

import io.forebay.server.config.Section.Shape;
import io.forebay.server.config.ServerConfig.ListenerConfig;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Shows an effective configuration to people and programs, and compares it with another. */
public final class ConfigView {
  private static final String REDACTED = "***";
  private static final JsonMapper JSON = JsonMapper.builder().build();

  /** What differs between two configurations; key paths in the order of the reference. */
  public record Difference(List<Change> changes, List<String> needsRestart) {
    /** The keys that differ. */
    public List<String> changed() {
      return changes.stream().map(Change::key).toList();
    }
  }

  /**
   * A key with another value, or an entry that was added or removed.
   *
   * @param before as it would be written, secrets not shown; null for none, and for an entry
   * @param after likewise
   */
  public record Change(String key, @Nullable String before, @Nullable String after) {}

  private ConfigView() {}

  /**
   * The configuration as YAML that can be loaded again, but for its secrets, which are not shown.
   * Each value that is no default carries a comment that names its source.
   */
  public static String yaml(ConfigOutcome.Loaded loaded) {
    StringBuilder out = new StringBuilder();
    for (Section<?> section : ConfigKeys.SECTIONS) {
      yaml(out, section, loaded.config(), loaded.sources());
    }
    return out.toString();
  }

  /** The configuration as one JSON object of the same shape as the file; secrets are not shown. */
  public static String json(ServerConfig config) {
    return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(tree(config));
  }

  /** As {@link #json}, and where each value that is no default came from. */
  public static String json(ConfigOutcome.Loaded loaded) {
    ObjectNode all = JsonNodeFactory.instance.objectNode();
    all.set("config", tree(loaded.config()));
    ObjectNode sources = all.putObject("sources");
    loaded.sources().entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(source -> sources.put(source.getKey(), source.getValue()));
    return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(all);
  }

  /** The secrets that a configuration has, as they are: to look for them where none may be. */
  public static Set<String> secrets(ServerConfig config) {
    Set<String> secrets = new LinkedHashSet<>();
    for (Section<?> section : ConfigKeys.SECTIONS) {
      addSecrets(section, config, secrets);
    }
    ClusterConfig.SharedSecret shared = config.cluster() == null ? null : config.cluster().secret();
    if (shared != null) {
      shared.keys().forEach(key -> secrets.add(key.value()));
    }
    return secrets;
  }

  private static <R> void addSecrets(Section<R> section, ServerConfig config, Set<String> secrets) {
    for (R record : section.instances().apply(config).values()) {
      for (Field<R, ?> field : section.fields()) {
        String text = field.isSecret() ? field.printed(record) : null;
        if (text != null) {
          secrets.add(text);
        }
      }
    }
  }

  /** Which keys differ, and which of them wait for the next start. */
  public static Difference diff(ServerConfig before, ServerConfig after) {
    List<Change> changes = new ArrayList<>();
    List<String> needsRestart = new ArrayList<>();
    for (Section<?> section : ConfigKeys.SECTIONS) {
      diff(section, before, after, changes, needsRestart);
    }
    needsRestart.addAll(switched(before.listeners(), after.listeners()));
    return new Difference(List.copyOf(changes), List.copyOf(needsRestart));
  }

  /** A certificate may change while a listener runs; whether it has any may not. */
  private static List<String> switched(List<ListenerConfig> before, List<ListenerConfig> after) {
    List<String> switched = new ArrayList<>();
    for (ListenerConfig now : after) {
      for (ListenerConfig old : before) {
        if (old.name().equals(now.name()) && old.isTls() != now.isTls()) {
          switched.add(
              "listen."
                  + now.name()
                  + ".tls ("
                  + (now.isTls() ? "plain text until then" : "TLS until then")
                  + ")");
        }
      }
    }
    return switched;
  }

  private static <R> void diff(
      Section<R> section,
      ServerConfig before,
      ServerConfig after,
      List<Change> changes,
      List<String> needsRestart) {
    Map<String, R> left = section.instances().apply(before);
    Map<String, R> right = section.instances().apply(after);
    Set<String> names = new LinkedHashSet<>(left.keySet());
    names.addAll(right.keySet());
    for (String name : names) {
      String scope = section.scope(name);
      R old = left.get(name);
      R now = right.get(name);
      if (section.shape() == Shape.LIST_IN_NAMED
          && isWhole(changes, section.outer() + "." + name.substring(0, name.lastIndexOf('.')))) {
        // The whole entry was added or removed.
        continue;
      }
      if (old == null || now == null) {
        changes.add(
            new Change(scope, old == null ? null : "present", now == null ? null : "present"));
        if (section.fields().stream().anyMatch(Field::needsRestart)) {
          needsRestart.add(scope);
        }
        continue;
      }
      for (Field<R, ?> field : section.fields()) {
        String oldText = field.printed(old);
        String nowText = field.printed(now);
        if (oldText == null ? nowText != null : !oldText.equals(nowText)) {
          changes.add(new Change(scope + "." + field.name(), shown(field, old), shown(field, now)));
          if (field.needsRestart()) {
            needsRestart.add(scope + "." + field.name());
          }
        }
      }
    }
  }

  private static boolean isWhole(List<Change> changes, String entry) {
    return changes.stream().anyMatch(change -> change.key().equals(entry));
  }

  private static <R> void yaml(
      StringBuilder out, Section<R> section, ServerConfig config, Map<String, String> sources) {
    Map<String, R> instances = section.instances().apply(config);
    boolean isShown = section.fields().stream().anyMatch(field -> field.reader() != null);
    if (!isShown || instances.isEmpty() || section.shape() == Shape.LIST_IN_NAMED) {
      return;
    }
    out.append(section.prefix()).append(":\n");
    for (Map.Entry<String, R> instance : instances.entrySet()) {
      String name = instance.getKey();
      String indent = section.shape() == Shape.ONCE ? "  " : "    ";
      if (section.shape() == Shape.NAMED) {
        out.append("  ").append(name).append(":\n");
      }
      yaml(out, section, name, instance.getValue(), indent, sources);
      for (Section<?> list : ConfigKeys.SECTIONS) {
        if (list.isWithin(section)) {
          yamlList(out, list, name, config, sources);
        }
      }
    }
  }

  /** The list of one entry, within its mapping. */
  private static <R> void yamlList(
      StringBuilder out,
      Section<R> list,
      String entry,
      ServerConfig config,
      Map<String, String> sources) {
    Map<String, R> items = within(entry, list.instances().apply(config));
    if (!items.isEmpty()) {
      out.append("    ").append(list.lastPart()).append(":\n");
      items.forEach((name, item) -> yaml(out, list, name, item, "        ", sources));
    }
  }

  /** The instances of a list that belong to one entry. */
  private static <R> Map<String, R> within(String entry, Map<String, R> all) {
    Map<String, R> within = new LinkedHashMap<>();
    all.forEach((name, item) -> {
      if (name.substring(0, name.lastIndexOf('.')).equals(entry)) {
        within.put(name, item);
      }
    });
    return within;
  }

  private static <R> void yaml(
      StringBuilder out,
      Section<R> section,
      String name,
      R record,
      String indent,
      Map<String, String> sources) {
    boolean isListed = section.shape() == Shape.LIST || section.shape() == Shape.LIST_IN_NAMED;
    String scope = name.isEmpty() ? section.prefix() : section.scope(name);
    String within = "";
    boolean isFirst = true;
    for (Field<R, ?> field : section.fields()) {
      String text = shown(field, record);
      if (text == null) {
        continue;
      }
      int dot = field.name().indexOf('.');
      String group = dot < 0 ? "" : field.name().substring(0, dot);
      String lead = isListed && isFirst ? indent.substring(2) + "- " : indent;
      isFirst = false;
      if (!group.equals(within)) {
        within = group;
        if (!group.isEmpty()) {
          out.append(lead).append(group).append(":\n");
          lead = indent;
        }
      }
      out.append(lead).append(group.isEmpty() ? "" : "  ");
      out.append(field.name().substring(dot + 1)).append(": ").append(written(field, text));
      String source = sources.get(scope + "." + field.name());
      if (source != null) {
        out.append("  # from ").append(source.replaceAll("\\p{Cntrl}", "?"));
      }
      out.append('\n');
    }
  }

  private static ObjectNode tree(ServerConfig config) {
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    for (Section<?> section : ConfigKeys.SECTIONS) {
      tree(root, section, config);
    }
    return root;
  }

  private static <R> void tree(ObjectNode root, Section<R> section, ServerConfig config) {
    if (section.fields().stream().allMatch(field -> field.reader() == null)) {
      return;
    }
    Map<String, R> instances = section.instances().apply(config);
    switch (section.shape()) {
      case ONCE ->
          instances.values().forEach(one -> fill(root.putObject(section.prefix()), section, one));
      case LIST -> {
        ArrayNode list = root.putArray(section.prefix());
        instances.values().forEach(one -> fill(list.addObject(), section, one));
      }
      case NAMED -> {
        ObjectNode named = root.putObject(section.prefix());
        instances.forEach((name, one) -> {
          ObjectNode entry = named.putObject(name);
          fill(entry, section, one);
          for (Section<?> list : ConfigKeys.SECTIONS) {
            if (list.isWithin(section)) {
              fillList(entry, list, name, config);
            }
          }
        });
      }
      case LIST_IN_NAMED -> {}
    }
  }

  private static <R> void fillList(
      ObjectNode entry, Section<R> list, String name, ServerConfig config) {
    Map<String, R> items = within(name, list.instances().apply(config));
    if (!items.isEmpty()) {
      ArrayNode array = entry.putArray(list.lastPart());
      items.values().forEach(item -> fill(array.addObject(), list, item));
    }
  }

  private static <R> void fill(ObjectNode node, Section<R> section, R record) {
    Map<String, ObjectNode> groups = new LinkedHashMap<>();
    for (Field<R, ?> field : section.fields()) {
      String text = shown(field, record);
      if (text == null) {
        continue;
      }
      int dot = field.name().indexOf('.');
      ObjectNode target =
          dot < 0 ? node : groups.computeIfAbsent(field.name().substring(0, dot), node::putObject);
      String name = field.name().substring(dot + 1);
      switch (field.type().name()) {
        case "integer" -> target.put(name, Long.parseLong(text));
        case "boolean" -> target.put(name, Boolean.parseBoolean(text));
        case "list of networks",
            "list of cookies",
            "list of fields",
            "list of hosts",
            "list of origins",
            "list of pins",
            "list of addresses" -> {
          ArrayNode list = target.putArray(name);
          for (String item : text.isEmpty() ? new String[0] : text.split(",", -1)) {
            list.add(item);
          }
        }
        default -> {
          if (field.type().isTree()) {
            target.set(name, JSON.readTree(text));
          } else {
            target.put(name, text);
          }
        }
      }
    }
  }

  private static <R> @Nullable String shown(Field<R, ?> field, R record) {
    String text = field.printed(record);
    return text != null && field.isSecret() ? REDACTED : text;
  }

  private static String written(Field<?, ?> field, String text) {
    return field.type().isTree() ? text.replace("${", "$${") : scalar(text);
  }

  /** Plain where no reader can take it for anything else, double-quoted otherwise. */
  private static String scalar(String text) {
    if (text.matches("[A-Za-z0-9/_.]([A-Za-z0-9/_.+,=-]|:(?=[A-Za-z0-9/_.]))*")) {
      return text;
    }
    StringBuilder quoted = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        quoted.append('\\').append(c);
      } else if (c == '$' && i + 1 < text.length() && text.charAt(i + 1) == '{') {
        quoted.append("$$");
      } else if (c < 0x20 || c == 0x7F) {
        quoted.append(String.format("\\x%02X", (int) c));
      } else {
        quoted.append(c);
      }
    }
    return quoted.append('"').toString();
  }
}
