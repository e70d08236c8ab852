package io.forebay.cli.importer.trafficserver;

import io.forebay.cli.importer.model.Directive;
import io.forebay.cli.importer.model.ImportException;
import io.forebay.cli.importer.model.SourceFile;
import io.forebay.server.config.ConfigProblem;
import io.forebay.server.config.ConfigTree;
import io.forebay.server.config.YamlReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Settings of {@code records.config} or {@code records.yaml}, by their names without {@code
 * proxy.config.}
 */
final class Records {
  private static final String PREFIX = "proxy.config.";

  private final Map<String, Directive> all = new LinkedHashMap<>();

  /** The settings of a directory; {@code records.yaml} comes first. */
  static Records of(Path directory) throws ImportException {
    Records records = new Records();
    Path yaml = directory.resolve("records.yaml");
    Path lines = directory.resolve("records.config");
    if (Files.isRegularFile(yaml)) {
      records.yaml(yaml);
    } else if (Files.isRegularFile(lines)) {
      for (Directive each : LineReader.read(lines)) {
        if (!each.name().matches("CONFIG|LOCAL") || each.arguments().size() < 2) {
          throw new ImportException(
              each.file(), each.line(), each.name() + ": write CONFIG NAME TYPE VALUE");
        }
        records.put(
            each.argument(0),
            String.join(" ", each.arguments().subList(2, each.arguments().size())),
            each);
      }
    }
    return records;
  }

  private void put(String name, String value, Directive of) {
    String own = name.startsWith(PREFIX) ? name.substring(PREFIX.length()) : name;
    // The later one holds.
    all.put(own, new Directive(of.file(), of.line(), own, List.of(value), null));
  }

  private void yaml(Path file) throws ImportException {
    List<ConfigProblem> problems = new ArrayList<>();
    ConfigTree tree = new YamlReader(file.toString(), problems).read(SourceFile.read(file));
    if (!problems.isEmpty()) {
      throw new ImportException(problems.getFirst().toString());
    }
    if (tree instanceof ConfigTree.Mapping mapping) {
      for (ConfigTree.Entry entry : mapping.entries()) {
        if (entry.key().equals("records") || entry.key().equals("ts")) {
          yaml(file, "", entry.value());
        }
      }
    }
  }

  private void yaml(Path file, String name, ConfigTree tree) {
    switch (tree) {
      case ConfigTree.Mapping mapping -> {
        for (ConfigTree.Entry entry : mapping.entries()) {
          yaml(file, name.isEmpty() ? entry.key() : name + "." + entry.key(), entry.value());
        }
      }
      case ConfigTree.Sequence sequence -> {
        List<String> items = new ArrayList<>();
        for (ConfigTree item : sequence.items()) {
          items.add(item instanceof ConfigTree.Scalar scalar ? scalar.text() : "...");
        }
        add(file, name, String.join(" ", items), tree);
      }
      case ConfigTree.Scalar scalar -> add(file, name, scalar.text(), tree);
    }
  }

  private void add(Path file, String name, String value, ConfigTree tree) {
    put(name, value, new Directive(file.toString(), tree.place().line(), name, List.of(), null));
  }

  /** These settings, with that of a rule in place of one of them. */
  Records with(String name, String value, Directive of) {
    Records copy = new Records();
    copy.all.putAll(all);
    copy.put(name, value, of);
    return copy;
  }

  /** All settings, in their order. */
  List<Directive> all() {
    return List.copyOf(all.values());
  }

  /** The statement that has a setting, or null. */
  @Nullable Directive find(String name) {
    return all.get(name);
  }

  String text(String name, String otherwise) {
    Directive of = all.get(name);
    return of == null ? otherwise : of.argument(0);
  }

  /** A number, perhaps with a suffix such as {@code 2G}. */
  long number(String name, long otherwise) {
    long bytes = bytes(text(name, ""));
    return bytes == Long.MIN_VALUE ? otherwise : bytes;
  }

  boolean isOn(String name, boolean otherwise) {
    return number(name, otherwise ? 1 : 0) != 0;
  }

  /** A number with K, M, G or T behind it, or the least one where it is none. */
  static long bytes(String text) {
    if (!text.matches("-?\\d{1,15}[KMGTkmgt]?")) {
      return Long.MIN_VALUE;
    }
    int shift = "kmgt".indexOf(Character.toLowerCase(text.charAt(text.length() - 1))) + 1;
    String digits = shift == 0 ? text : text.substring(0, text.length() - 1);
    long number = Long.parseLong(digits);
    return Math.abs(number) > Long.MAX_VALUE >> (10 * shift)
        ? Long.MIN_VALUE
        : number << (10 * shift);
  }
}
