package io.forebay.server.config;

import io.forebay.server.config.ConfigText.Included;
import io.forebay.server.config.Section.Shape;
import io.forebay.server.rule.Glob;
import io.forebay.server.text.Printable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Joins a configuration file and the files that it includes into one tree, in which every place
 * names its own file.
 *
 * <pre>
 *   forebay.yaml ── include: conf.d/*.yaml ──► a.yaml, b.yaml ── include ... ──►
 *        └────────────── joined ───────────────────┘
 *   lists       are appended, in the order in which files are read
 *   names       are brought together; the same name twice is a problem
 *   other keys  likewise
 * </pre>
 *
 * A file is read once: circles, and files that two others include, are problems.
 */
final class ConfigIncludes {
  static final int MAX_DEPTH = 8;
  static final int MAX_FILES = 256;
  static final int MAX_BYTES = 8 << 20;

  private final ConfigFiles files;
  private final ConfigValues values;
  private final List<ConfigProblem> problems;

  /** The names of files in the order in which they were read, the main file first. */
  private final List<String> sources = new ArrayList<>();

  private final List<Included> included = new ArrayList<>();
  private final List<ConfigTree.Mapping> parts = new ArrayList<>();

  /** By identity: where a file was included. */
  private final Map<Path, String> known = new LinkedHashMap<>();

  private final List<String> open = new ArrayList<>();

  /** Names of files of the fleet's document, whose directory this is while they are read. */
  private final Set<String> ofFleet = new HashSet<>();

  private @Nullable Path fleetDirectory;
  private long length;
  private boolean isIncomplete;

  ConfigIncludes(ConfigFiles files, ConfigValues values, List<ConfigProblem> problems) {
    this.files = files;
    this.values = values;
    this.problems = problems;
  }

  /** The included files, in the order in which they were read. */
  List<Included> included() {
    return included;
  }

  /** Where problems of a source stand among those of others. */
  int order(String source) {
    int index = sources.indexOf(source);
    return index < 0 ? Integer.MAX_VALUE : index;
  }

  /** Whether a file could not be read, so that nothing is known of its keys. */
  boolean isIncomplete() {
    return isIncomplete;
  }

  /** Whether a source of values is a file of the document of the fleet. */
  boolean isOfFleet(String source) {
    return ofFleet.contains(source);
  }

  /** The main file with all that it includes. */
  ConfigTree join(Path main, ConfigTree tree) {
    return join(main, tree, null);
  }

  /** The same with a document of the fleet, as if the main file included that last. */
  ConfigTree join(Path main, ConfigTree tree, ConfigText.@Nullable Fleet fleet) {
    sources.add(main.toString());
    if (!(tree instanceof ConfigTree.Mapping mapping)) {
      return tree;
    }
    try {
      known.put(files.identity(main), "");
    } catch (IOException e) {
      known.put(ConfigFiles.absolute(main), "");
    }
    open.add(main.toString());
    add(main, mapping, 0);
    if (fleet != null) {
      Path document = ConfigFiles.absolute(Path.of(fleet.file()));
      fleetDirectory = document.getParent();
      read(document, new SourceLocation("fleet version " + fleet.version(), 0, 0), 1);
    }
    return parts.size() == 1 ? parts.getFirst() : joined();
  }

  private void add(Path file, ConfigTree.Mapping mapping, int depth) {
    List<ConfigTree.Entry> own = new ArrayList<>();
    ConfigTree.Entry include = null;
    for (ConfigTree.Entry entry : mapping.entries()) {
      if (entry.key().equals(ConfigKeys.INCLUDE.name())) {
        include = entry;
      } else {
        own.add(entry);
      }
    }
    parts.add(new ConfigTree.Mapping(mapping.place(), own));
    if (include == null) {
      return;
    }
    List<ConfigTree> patterns =
        include.value() instanceof ConfigTree.Sequence sequence
            ? sequence.items()
            : List.of(include.value());
    for (ConfigTree pattern : patterns) {
      if (!(pattern instanceof ConfigTree.Scalar scalar) || scalar.isNull()) {
        problem(pattern.place(), "not the name of a file", "write one such as conf.d/*.yaml");
        continue;
      }
      String text = values.interpolated(ConfigKeys.INCLUDE.name(), scalar);
      if (text != null) {
        include(file, text, scalar.place(), depth + 1);
      }
    }
  }

  private void include(Path file, String pattern, SourceLocation place, int depth) {
    if (depth > MAX_DEPTH) {
      problem(place, "included deeper than " + MAX_DEPTH + " files", "use fewer levels");
      return;
    }
    try {
      Path target = file.resolveSibling(pattern);
      Path directory = target.getParent();
      String name = target.getFileName() == null ? "" : target.getFileName().toString();
      if (name.isEmpty() || pattern.endsWith("/")) {
        problem(place, "not the name of a file", "write one such as conf.d/*.yaml");
      } else if (directory != null && Glob.isPattern(directory.toString())) {
        problem(place, "a wildcard in the name of a directory", "use it in the name of the file");
      } else if (Glob.isPattern(name)) {
        Path in = directory == null ? Path.of("") : directory;
        for (Path match : files.matching(in, name, MAX_FILES + 1)) {
          read(match, place, depth);
        }
      } else {
        read(target, place, depth);
      }
    } catch (IOException | IllegalArgumentException e) {
      problem(place, Printable.shown(pattern, 200) + " cannot be read: " + e.getMessage(), "");
    }
  }

  private void read(Path file, SourceLocation place, int depth) {
    if (included.size() == MAX_FILES) {
      if (!isIncomplete) {
        problem(place, "more than " + MAX_FILES + " included files", "use fewer");
      }
      return;
    }
    String name = file.toString();
    Path identity;
    String text;
    if (fleetDirectory != null) {
      ofFleet.add(name);
      if (!ConfigFiles.absolute(file).startsWith(fleetDirectory)) {
        problem(place, "a file that does not travel with the document", "push it with the others");
        return;
      }
    }
    try {
      text = files.read(file);
      identity = files.identity(file);
    } catch (IOException e) {
      problem(place, Printable.shown(name, 200) + " cannot be read: " + e.getMessage(), "");
      return;
    }
    String before = known.putIfAbsent(identity, place.text());
    if (before != null) {
      boolean isOpen = open.contains(name) || before.isEmpty();
      problem(
          place,
          isOpen
              ? "it includes itself: " + String.join(" -> ", open) + " -> " + name
              : name + " is already included in " + before,
          isOpen ? "remove one of these" : "keep one of them");
      return;
    }
    length += text.length();
    if (length > MAX_BYTES) {
      problem(place, "included files are larger than 8MiB together", "use less");
      return;
    }
    sources.add(name);
    included.add(new Included(ConfigFiles.absolute(file).toString(), text));
    int problemsBefore = problems.size();
    ConfigTree tree = new YamlReader(name, problems).read(text);
    if (tree instanceof ConfigTree.Mapping mapping) {
      open.add(name);
      add(file, mapping, depth);
      open.removeLast();
    } else if (tree != null && !(tree instanceof ConfigTree.Scalar scalar && scalar.isNull())) {
      problems.add(tree.place().problem("", "the file is not a mapping of keys", ""));
    } else if (problems.size() > problemsBefore) {
      isIncomplete = true;
    }
  }

  private void problem(SourceLocation place, String message, String right) {
    isIncomplete = true;
    problems.add(place.problem(ConfigKeys.INCLUDE.name(), message, right));
  }

  // --- joining ----------------------------------------------------------------------------------

  private ConfigTree joined() {
    Map<String, ConfigTree.Entry> joined = new LinkedHashMap<>();
    List<ConfigTree.Entry> unknown = new ArrayList<>();
    for (ConfigTree.Mapping part : parts) {
      for (ConfigTree.Entry entry : part.entries()) {
        Shape shape = shape(entry.key());
        if (shape == null) {
          unknown.add(entry);
        } else {
          joined.merge(
              entry.key(), entry, (before, now) -> joined(entry.key(), shape, before, now));
        }
      }
    }
    List<ConfigTree.Entry> all = new ArrayList<>(joined.values());
    all.addAll(unknown);
    return new ConfigTree.Mapping(parts.getFirst().place(), all);
  }

  private static @Nullable Shape shape(String key) {
    if (key.equals(ConfigKeys.ORIGIN.name())) {
      return Shape.ONCE;
    }
    for (Section<?> section : ConfigKeys.SECTIONS) {
      if (section.prefix().equals(key) && section.shape() != Shape.LIST_IN_NAMED) {
        return section.shape();
      }
    }
    return null;
  }

  private ConfigTree.Entry joined(
      String path, Shape shape, ConfigTree.Entry before, ConfigTree.Entry now) {
    if (isNull(now.value())) {
      return before;
    }
    if (isNull(before.value())) {
      return now;
    }
    ConfigTree both =
        switch (before.value()) {
          case ConfigTree.Sequence(SourceLocation place, List<ConfigTree> items)
              when shape == Shape.LIST && now.value() instanceof ConfigTree.Sequence more -> {
            List<ConfigTree> all = new ArrayList<>(items);
            all.addAll(more.items());
            yield new ConfigTree.Sequence(place, all);
          }
          case ConfigTree.Mapping(SourceLocation place, List<ConfigTree.Entry> entries)
              when shape != Shape.LIST && now.value() instanceof ConfigTree.Mapping more ->
              joined(path, shape == Shape.ONCE, place, entries, more);
          default -> {
            problems.add(
                now.place()
                    .problem(
                        path,
                        "is also in " + before.place().text(),
                        shape == Shape.LIST ? "write both as lists" : "keep one of them"));
            yield before.value();
          }
        };
    return new ConfigTree.Entry(before.place(), before.key(), both);
  }

  /**
   * The entries of two mappings.
   *
   * @param isDeep whether mappings below the same key are joined, too
   */
  private ConfigTree joined(
      String path,
      boolean isDeep,
      SourceLocation place,
      List<ConfigTree.Entry> entries,
      ConfigTree.Mapping more) {
    Map<String, ConfigTree.Entry> joined = new LinkedHashMap<>();
    entries.forEach(entry -> joined.put(entry.key(), entry));
    for (ConfigTree.Entry entry : more.entries()) {
      ConfigTree.Entry before = joined.putIfAbsent(entry.key(), entry);
      String own = path + "." + entry.key();
      if (before != null && isDeep) {
        joined.put(entry.key(), joined(own, Shape.ONCE, before, entry));
      } else if (before != null) {
        problems.add(
            entry.place().problem(own, "is also in " + before.place().text(), "use another name"));
      }
    }
    return new ConfigTree.Mapping(place, List.copyOf(joined.values()));
  }

  private static boolean isNull(ConfigTree tree) {
    return tree instanceof ConfigTree.Scalar scalar && scalar.isNull();
  }
}
