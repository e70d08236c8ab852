package io.forebay.server.config;

import io.forebay.server.config.Section.Shape;
import io.forebay.server.text.Printable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The texts given for keys, by key path, each with its position. Values of file, environment and
 * options override one another; they are interpreted once, at the end.
 */
final class ConfigValues {
  static final String ENVIRONMENT_PREFIX = "FOREBAY_";

  /** The key of a group of keys that a plain value in place of the group sets. */
  static final String SWITCH = "enabled";

  /** A text and where it stood. */
  record Raw(String text, SourceLocation place) {}

  private final Map<String, Raw> values = new LinkedHashMap<>();
  // Entries of lists and named mappings by section prefix, so that an empty one is seen too.
  private final Map<String, Map<String, SourceLocation>> instances = new LinkedHashMap<>();
  // Values whose shape is not in the table of keys, by key path.
  private final Map<String, ConfigTree> trees = new HashMap<>();
  private final Set<String> refused = new HashSet<>();
  private final Map<String, String> variables;
  private final List<ConfigProblem> problems;
  private final List<String> warnings;
  private final ReadFiles.Recorder files = new ReadFiles.Recorder();

  ConfigValues(Map<String, String> variables, List<ConfigProblem> problems, List<String> warnings) {
    this.variables = variables;
    this.problems = problems;
    this.warnings = warnings;
  }

  @Nullable Raw get(String path) {
    return values.get(path);
  }

  /** Where files are noted that values name. */
  ReadFiles.Recorder files() {
    return files;
  }

  /** The value of a key of such a type, or null where it is not given or is no YAML. */
  @Nullable ConfigTree tree(String path) {
    Raw raw = values.get(path);
    if (raw == null) {
      return null;
    }
    ConfigTree tree = trees.get(path);
    if (tree == null || !tree.place().equals(raw.place())) {
      tree = new YamlReader(raw.place().source(), problems).read(raw.text());
      if (tree != null) {
        trees.put(path, tree);
        values.put(path, new Raw(raw.text(), tree.place()));
      }
    }
    return tree;
  }

  /** Whether a value was given that could not even be taken as text; its problem is noted. */
  boolean wasRefused(String path) {
    return refused.contains(path) && !values.containsKey(path);
  }

  boolean isEmpty() {
    return values.isEmpty() && instances.isEmpty() && refused.isEmpty();
  }

  boolean hasAny(Section<?> section) {
    return section.shape() == Shape.ONCE
        ? values.keySet().stream().anyMatch(key -> key.startsWith(section.prefix() + "."))
        : !instances(section).isEmpty();
  }

  /** Names or indexes of a section's entries, indexes in numeric order, with their places. */
  Map<String, SourceLocation> instances(Section<?> section) {
    Map<String, SourceLocation> found = instances.getOrDefault(section.prefix(), Map.of());
    if (section.shape() != Shape.LIST) {
      return found;
    }
    Map<String, SourceLocation> ordered = new TreeMap<>(Comparator.comparingInt(Integer::parseInt));
    ordered.putAll(found);
    return ordered;
  }

  // The file.

  void putFile(ConfigTree tree) {
    if (!(tree instanceof ConfigTree.Mapping top)) {
      if (!(tree instanceof ConfigTree.Scalar scalar && scalar.isNull())) {
        problems.add(tree.place().problem("", "the file is not a mapping of keys", ""));
      }
      return;
    }
    for (ConfigTree.Entry entry : top.entries()) {
      Section<?> section = section(entry.key());
      if (section != null) {
        putSection(section, entry.value());
      } else if (entry.key().equals(ConfigKeys.ORIGIN.name())) {
        putValue(ConfigKeys.ORIGIN.name(), ConfigKeys.ORIGIN, entry.value());
      } else {
        problems.add(
            entry
                .place()
                .problem(
                    entry.key(),
                    "unknown key",
                    Printable.suggestion(entry.key(), topLevelNames())));
      }
    }
  }

  /** Keys of one node, and those that only a start heeds, are a problem in what all nodes get. */
  void refuseOwnKeys(Predicate<String> isSource) {
    values.forEach((path, raw) -> {
      Field<?, ?> field = isSource.test(raw.place().source()) ? fieldOf(path) : null;
      boolean isName = path.equals("forwarding." + ConfigKeys.FORWARDING_NODE_ID.name());
      if (field != null && (isName || field.needsRestart())) {
        problems.add(
            raw.place()
                .problem(
                    path,
                    isName ? "names one node" : "takes effect at the next start only",
                    "write it in the file of each node"));
      }
    });
  }

  /** The key of a path, or null. */
  private static @Nullable Field<?, ?> fieldOf(String path) {
    for (Section<?> section : ConfigKeys.SECTIONS) {
      String scope =
          switch (section.shape()) {
            case ONCE -> Pattern.quote(section.prefix());
            case LIST, NAMED -> Pattern.quote(section.prefix()) + "\\.[^.]+";
            case LIST_IN_NAMED ->
                Pattern.quote(section.outer()) + "\\.[^.]+\\." + section.lastPart() + "\\.[^.]+";
          };
      Matcher matcher = Pattern.compile(scope + "\\.(.+)").matcher(path);
      Field<?, ?> field = matcher.matches() ? field(section, matcher.group(1)) : null;
      if (field != null) {
        return field;
      }
    }
    return null;
  }

  private void putSection(Section<?> section, ConfigTree tree) {
    String prefix = section.prefix();
    if (tree instanceof ConfigTree.Scalar scalar && scalar.isNull()) {
      return;
    }
    switch (section.shape()) {
      case ONCE -> putInstance(section, prefix, tree);
      case LIST -> {
        if (tree instanceof ConfigTree.Sequence sequence) {
          int index = 0;
          for (ConfigTree item : sequence.items()) {
            addInstance(section, Integer.toString(index), item.place());
            putInstance(section, prefix + "." + index, item);
            index++;
          }
        } else if (tree instanceof ConfigTree.Scalar scalar && !section.shortField().isEmpty()) {
          String text = interpolated(prefix, scalar);
          if (text != null) {
            putList(section, text, scalar.place());
          }
        } else {
          problems.add(tree.place().problem(prefix, "not a list", "begin each entry with a dash"));
        }
      }
      case NAMED -> {
        if (tree instanceof ConfigTree.Mapping mapping) {
          for (ConfigTree.Entry entry : mapping.entries()) {
            String path = prefix + "." + entry.key();
            if (isName(entry.key(), path, entry.place())) {
              addInstance(section, entry.key(), entry.place());
              putInstance(section, path, entry.value());
            }
          }
        } else {
          problems.add(
              tree.place().problem(prefix, "not a mapping", "write a name and a colon, indented"));
        }
      }
      case LIST_IN_NAMED -> throw new IllegalArgumentException(prefix + " without its entry");
    }
  }

  private void putInstance(Section<?> section, String scope, ConfigTree tree) {
    Field<?, ?> whole = field(section, section.shortField());
    if (whole != null && whole.type().isTree()) {
      putValue(scope + "." + whole.name(), whole, unwrapped(whole.name(), tree));
      return;
    }
    switch (tree) {
      case ConfigTree.Mapping mapping -> putFields(section, scope, "", mapping);
      case ConfigTree.Scalar scalar when scalar.isNull() -> {}
      case ConfigTree.Scalar scalar when !section.shortField().isEmpty() -> {
        Field<?, ?> field = field(section, section.shortField());
        if (field != null) {
          putValue(scope + "." + field.name(), field, scalar);
        }
      }
      default ->
          problems.add(
              tree.place()
                  .problem(
                      scope,
                      "keys are required here",
                      "known here: " + String.join(", ", section.fieldNames())));
    }
  }

  /** The dump writes the key of the value, too. */
  private static ConfigTree unwrapped(String key, ConfigTree tree) {
    return tree instanceof ConfigTree.Mapping mapping
            && mapping.entries().size() == 1
            && mapping.entries().getFirst().key().equals(key)
        ? mapping.entries().getFirst().value()
        : tree;
  }

  private void putTree(String path, ConfigTree tree) {
    ConfigTree whole = interpolated(path, tree);
    trees.put(path, whole);
    values.put(path, new Raw(TreeText.of(whole), whole.place()));
  }

  private ConfigTree interpolated(String path, ConfigTree tree) {
    return switch (tree) {
      case ConfigTree.Scalar scalar when scalar.isNull() -> scalar;
      case ConfigTree.Scalar scalar -> {
        String text = interpolated(path, scalar);
        yield new ConfigTree.Scalar(
            scalar.place(), text == null ? "" : text, false, scalar.content());
      }
      case ConfigTree.Sequence(SourceLocation place, List<ConfigTree> items) ->
          new ConfigTree.Sequence(
              place, items.stream().map(item -> interpolated(path, item)).toList());
      case ConfigTree.Mapping(SourceLocation place, List<ConfigTree.Entry> entries) ->
          new ConfigTree.Mapping(
              place,
              entries.stream()
                  .map(entry ->
                      new ConfigTree.Entry(
                          entry.place(), entry.key(), interpolated(path, entry.value())))
                  .toList());
    };
  }

  private void putFields(
      Section<?> section, String scope, String within, ConfigTree.Mapping mapping) {
    for (ConfigTree.Entry entry : mapping.entries()) {
      String name = within + entry.key();
      String path = scope + "." + name;
      Field<?, ?> field = field(section, name);
      Section<?> list = listWithin(section, name);
      if (field != null) {
        putValue(path, field, entry.value());
      } else if (list != null) {
        putSection(list.at(scope), entry.value());
      } else if (section.fieldNames().stream().anyMatch(known -> known.startsWith(name + "."))) {
        Field<?, ?> whole = field(section, name + "." + SWITCH);
        if (entry.value() instanceof ConfigTree.Mapping child) {
          putFields(section, scope, name + ".", child);
        } else if (whole != null && entry.value() instanceof ConfigTree.Scalar) {
          putValue(path + "." + SWITCH, whole, entry.value());
        } else if (!(entry.value() instanceof ConfigTree.Scalar scalar && scalar.isNull())) {
          problems.add(
              entry.value().place().problem(path, "keys are required here", known(section, name)));
        }
      } else {
        problems.add(
            entry
                .place()
                .problem(
                    path,
                    "unknown key",
                    Printable.suggestion(entry.key(), namesWithin(section, within))));
      }
    }
  }

  private void putValue(String path, Field<?, ?> field, ConfigTree tree) {
    if (field.type().isTree() && !(tree instanceof ConfigTree.Scalar scalar && scalar.isNull())) {
      putTree(path, tree);
      return;
    }
    switch (tree) {
      case ConfigTree.Scalar scalar when scalar.isNull() -> {}
      case ConfigTree.Scalar scalar -> {
        String text = interpolated(path, scalar);
        if (text != null) {
          values.put(path, new Raw(text, scalar.place()));
        } else {
          refused.add(path);
        }
      }
      case ConfigTree.Sequence sequence when field.type().isList() -> {
        List<String> items = new ArrayList<>();
        for (ConfigTree item : sequence.items()) {
          String text = item instanceof ConfigTree.Scalar s ? interpolated(path, s) : null;
          if (text != null) {
            items.add(text);
          } else if (!(item instanceof ConfigTree.Scalar)) {
            problems.add(item.place().problem(path, "not a plain value", ""));
          }
        }
        values.put(path, new Raw(String.join(",", items), sequence.place()));
      }
      case ConfigTree.Sequence sequence -> {
        refused.add(path);
        problems.add(sequence.place().problem(path, "a list where a single value is required", ""));
      }
      case ConfigTree.Mapping mapping when field.type().isMap() -> {
        List<String> entries = new ArrayList<>();
        for (ConfigTree.Entry entry : mapping.entries()) {
          String text = entry.value() instanceof ConfigTree.Scalar s ? interpolated(path, s) : null;
          if (text != null) {
            entries.add(entry.key() + "=" + text);
          } else if (!(entry.value() instanceof ConfigTree.Scalar)) {
            problems.add(entry.place().problem(path, "not a plain value", ""));
          }
        }
        values.put(path, new Raw(String.join(",", entries), mapping.place()));
      }
      case ConfigTree.Mapping mapping -> {
        refused.add(path);
        problems.add(mapping.place().problem(path, "keys where a single value is required", ""));
      }
    }
  }

  /** The scalar with each {@code ${NAME}} replaced, or null after noting a problem. */
  @Nullable String interpolated(String path, ConfigTree.Scalar scalar) {
    String text = scalar.text();
    StringBuilder result = new StringBuilder();
    int from = 0;
    while (true) {
      int start = text.indexOf("${", from);
      if (start < 0) {
        return result.append(text, from, text.length()).toString();
      }
      if (start > from && text.charAt(start - 1) == '$') {
        // A doubled dollar sign stands for itself.
        result.append(text, from, start).append('{');
        from = start + 2;
        continue;
      }
      result.append(text, from, start);
      int end = text.indexOf('}', start);
      if (end < 0) {
        problems.add(
            scalar.place().problem(path, "${ without }", "write ${NAME} or ${NAME:-default}"));
        return null;
      }
      String inside = text.substring(start + 2, end);
      int colon = inside.indexOf(":-");
      String name = colon < 0 ? inside : inside.substring(0, colon);
      if (!name.matches("[A-Za-z_][A-Za-z0-9_]*")) {
        problems.add(
            scalar
                .place()
                .problem(
                    path,
                    "${" + Printable.shown(inside) + "} is not the name of a variable",
                    "write ${NAME} or ${NAME:-default}"));
        return null;
      }
      String value = variables.get(name);
      if ((value == null || value.isEmpty()) && colon >= 0) {
        value = inside.substring(colon + 2);
      }
      if (value == null) {
        problems.add(
            scalar
                .place()
                .problem(
                    path,
                    "environment variable " + name + " is not set",
                    "set it, or write ${" + name + ":-default}"));
        return null;
      }
      result.append(value);
      from = end + 1;
    }
  }

  // The environment.

  void putEnvironment() {
    Map<String, String> ours = new TreeMap<>(variables);
    ours.keySet().removeIf(name -> !name.startsWith(ENVIRONMENT_PREFIX));
    for (Map.Entry<String, String> variable : ours.entrySet()) {
      String path = environmentPath(variable.getKey().substring(ENVIRONMENT_PREFIX.length()));
      SourceLocation place = new SourceLocation("environment " + variable.getKey(), 0, 0);
      if (path == null || !put(path, variable.getValue(), place)) {
        // Not refused: orchestrators set variables of their own that begin with a service's name.
        warnings.add("environment " + variable.getKey() + ": no such key, ignored");
      }
    }
  }

  /** The key path an environment variable stands for, or null. */
  private @Nullable String environmentPath(String name) {
    for (Section<?> section : ConfigKeys.SECTIONS) {
      String path = section.shape() == Shape.LIST_IN_NAMED ? pathOfList(section, name) : null;
      if (path != null) {
        return path;
      }
    }
    for (Section<?> section : ConfigKeys.SECTIONS) {
      if (section.shape() == Shape.LIST_IN_NAMED) {
        continue;
      }
      String prefix = environmentName(section.prefix());
      if (section.shape() == Shape.ONCE) {
        for (Field<?, ?> field : section.fields()) {
          if (name.equals(environmentName(section.documentedPath(field)))) {
            return section.documentedPath(field);
          }
        }
      }
      if (name.equals(prefix) && !section.shortField().isEmpty()) {
        return section.prefix();
      }
      if (section.shape() != Shape.ONCE && name.startsWith(prefix + "_")) {
        String rest = name.substring(prefix.length() + 1);
        for (Field<?, ?> field : section.fields()) {
          String suffix = "_" + environmentName(field.name());
          if (rest.endsWith(suffix) && rest.length() > suffix.length()) {
            String instance = rest.substring(0, rest.length() - suffix.length());
            return section.prefix() + "." + instanceName(section, instance) + "." + field.name();
          }
        }
      }
    }
    return null;
  }

  /** As {@code ORIGINS_MAIN_SERVERS} or {@code ORIGINS_MAIN_SERVERS_0_URL}. */
  private @Nullable String pathOfList(Section<?> list, String name) {
    Section<?> outer = section(list.outer());
    String part = "_" + environmentName(list.lastPart());
    String prefix = environmentName(list.outer()) + "_";
    int at = name.lastIndexOf(part);
    if (outer == null || !name.startsWith(prefix) || at <= prefix.length()) {
      return null;
    }
    String scope = list.outer() + "." + instanceName(outer, name.substring(prefix.length(), at));
    String rest = name.substring(at + part.length());
    if (rest.isEmpty()) {
      return scope + "." + list.lastPart();
    }
    for (Field<?, ?> field : list.fields()) {
      String suffix = "_" + environmentName(field.name());
      if (rest.endsWith(suffix)) {
        String index = rest.substring(0, rest.length() - suffix.length());
        if (index.matches("_\\d{1,4}")) {
          return scope + "." + list.lastPart() + "." + index.substring(1) + "." + field.name();
        }
      }
    }
    return null;
  }

  private String instanceName(Section<?> section, String environmentName) {
    for (String known : instances(section).keySet()) {
      if (environmentName(known).equals(environmentName)) {
        return known;
      }
    }
    return environmentName.toLowerCase(Locale.ROOT).replace('_', '-');
  }

  static String environmentName(String path) {
    return path.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
  }

  // Options.

  void putOptions(Map<String, String> options) {
    for (Map.Entry<String, String> option : options.entrySet()) {
      SourceLocation place = new SourceLocation("options", 0, 0);
      if (!put(option.getKey(), option.getValue(), place)) {
        problems.add(place.problem(option.getKey(), "unknown key", "config schema lists all keys"));
      }
    }
  }

  /** Sets the key of a dotted path over what was there; false when there is no such key. */
  private boolean put(String path, String text, SourceLocation place) {
    Raw raw = new Raw(text, place);
    if (path.equals(ConfigKeys.ORIGIN.name())) {
      values.put(path, raw);
      return true;
    }
    int dot = path.indexOf('.');
    Section<?> section = section(dot < 0 ? path : path.substring(0, dot));
    if (section == null) {
      return false;
    }
    String rest = dot < 0 ? "" : path.substring(dot + 1);
    if (section.shape() == Shape.ONCE) {
      Field<?, ?> field = field(section, rest.isEmpty() ? section.shortField() : rest);
      if (field == null) {
        return false;
      }
      values.put(section.prefix() + "." + field.name(), raw);
      return true;
    }
    if (rest.isEmpty()) {
      if (section.shape() != Shape.LIST || section.shortField().isEmpty()) {
        return false;
      }
      putList(section, text, place);
      return true;
    }
    int nextDot = rest.indexOf('.');
    String instance = nextDot < 0 ? rest : rest.substring(0, nextDot);
    String key = nextDot < 0 ? section.shortField() : rest.substring(nextDot + 1);
    int keyDot = key.indexOf('.');
    Section<?> list = listWithin(section, keyDot < 0 ? key : key.substring(0, keyDot));
    if (list != null) {
      return putInList(section, instance, list, keyDot < 0 ? "" : key.substring(keyDot + 1), raw);
    }
    Field<?, ?> field = field(section, key);
    if (field == null || (section.shape() == Shape.LIST && !instance.matches("\\d{1,4}"))) {
      return false;
    }
    if (section.shape() == Shape.NAMED
        && !isName(instance, section.prefix() + "." + instance, place)) {
      return true;
    }
    addInstance(section, instance, place);
    values.put(section.prefix() + "." + instance + "." + field.name(), raw);
    return true;
  }

  /**
   * Sets a key, or all, of a list within an entry: {@code 0.url}, or nothing for the whole list.
   */
  private boolean putInList(
      Section<?> section, String instance, Section<?> list, String key, Raw raw) {
    String scope = section.prefix() + "." + instance;
    if (!isName(instance, scope, raw.place())) {
      return true;
    }
    Section<?> own = list.at(scope);
    if (key.isEmpty()) {
      if (list.shortField().isEmpty()) {
        return false;
      }
      addInstance(section, instance, raw.place());
      putList(own, raw.text(), raw.place());
      return true;
    }
    int dot = key.indexOf('.');
    String index = dot < 0 ? key : key.substring(0, dot);
    Field<?, ?> field = field(list, dot < 0 ? list.shortField() : key.substring(dot + 1));
    if (field == null || !index.matches("\\d{1,4}")) {
      return false;
    }
    addInstance(section, instance, raw.place());
    addInstance(own, index, raw.place());
    values.put(own.prefix() + "." + index + "." + field.name(), raw);
    return true;
  }

  /** Replaces a whole list by entries in short form, separated by commas. */
  private void putList(Section<?> section, String text, SourceLocation place) {
    values.keySet().removeIf(key -> key.startsWith(section.prefix() + "."));
    instances.remove(section.prefix());
    int index = 0;
    for (String item : text.split(",", -1)) {
      addInstance(section, Integer.toString(index), place);
      values.put(
          section.prefix() + "." + index + "." + section.shortField(),
          new Raw(item.strip(), place));
      index++;
    }
  }

  // Rehearsals.

  /** Forgets all keys that a test holds for. */
  void removeIf(Predicate<String> test) {
    values.keySet().removeIf(test);
    refused.removeIf(test);
  }

  /** Forgets the entries of a list or of named mappings, and their keys. */
  void removeAll(Section<?> section) {
    instances.remove(section.prefix());
    removeIf(key -> key.startsWith(section.prefix() + "."));
  }

  /** Sets a key, whatever it was. */
  void set(String path, String text, SourceLocation place) {
    values.put(path, new Raw(text, place));
  }

  /** Sets a key of an entry, which is added where it is not there. */
  void set(
      Section<?> section, String instance, Field<?, ?> field, String text, SourceLocation place) {
    addInstance(section, instance, place);
    set(section.prefix() + "." + instance + "." + field.name(), text, place);
  }

  // Helps.

  private void addInstance(Section<?> section, String name, SourceLocation place) {
    instances
        .computeIfAbsent(section.prefix(), prefix -> new LinkedHashMap<>())
        .putIfAbsent(name, place);
  }

  private boolean isName(String name, String path, SourceLocation place) {
    try {
      ValueType.NAME.reader().read(name);
      return true;
    } catch (ValueType.WrongValueException e) {
      problems.add(place.problem(path, e.message(), e.right()));
      return false;
    }
  }

  private static @Nullable Section<?> section(String prefix) {
    for (Section<?> section : ConfigKeys.SECTIONS) {
      if (!prefix.isEmpty()
          && section.prefix().equals(prefix)
          && section.shape() != Shape.LIST_IN_NAMED) {
        return section;
      }
    }
    return null;
  }

  /** The list of that key within the entries of a section, or null. */
  private static @Nullable Section<?> listWithin(Section<?> section, String key) {
    for (Section<?> list : ConfigKeys.SECTIONS) {
      if (section.shape() == Shape.NAMED && list.isWithin(section) && list.lastPart().equals(key)) {
        return list;
      }
    }
    return null;
  }

  private static @Nullable Field<?, ?> field(Section<?> section, String name) {
    for (Field<?, ?> field : section.fields()) {
      if (field.name().equals(name)) {
        return field;
      }
    }
    return null;
  }

  private static List<String> topLevelNames() {
    List<String> names = new ArrayList<>();
    for (Section<?> section : ConfigKeys.SECTIONS) {
      if (section.shape() != Shape.LIST_IN_NAMED) {
        names.addAll(section.prefix().isEmpty() ? section.fieldNames() : List.of(section.prefix()));
      }
    }
    return names;
  }

  private static String known(Section<?> section, String name) {
    return "known here: " + String.join(", ", namesWithin(section, name + "."));
  }

  /** Next parts of the field names that begin with {@code within}, each once. */
  private static List<String> namesWithin(Section<?> section, String within) {
    Stream<String> lists =
        ConfigKeys.SECTIONS.stream().filter(list -> list.isWithin(section)).map(Section::lastPart);
    return Stream.concat(section.fieldNames().stream(), lists)
        .filter(name -> name.startsWith(within))
        .map(name -> name.substring(within.length()))
        .map(name -> name.indexOf('.') < 0 ? name : name.substring(0, name.indexOf('.')))
        .distinct()
        .toList();
  }
}
