package io.forebay.cli.importer.model;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What became of each directive. A directive may have several lines, and has at least one. */
public final class ImportReport {

  /** One line of the report. */
  public record Item(String file, int line, String directive, Verdict verdict, String text) {}

  private final Map<Directive, List<Item>> items = new HashMap<>();

  public void taken(Directive of) {
    add(of, Verdict.TAKEN, "");
  }

  /** The directive and all within it are taken, but for what has a verdict. */
  public void allTaken(Directive of) {
    if (!knows(of)) {
      taken(of);
    }
    of.block().forEach(this::allTaken);
  }

  public void adapted(Directive of, String text) {
    add(of, Verdict.ADAPTED, text);
  }

  public void unneeded(Directive of, String text) {
    add(of, Verdict.UNNEEDED, text);
  }

  public void left(Directive of, String text) {
    add(of, Verdict.LEFT, text);
  }

  /** The directive and all within it are left. */
  public void allLeft(Directive of, String text) {
    left(of, text);
    of.block().forEach(inner -> allLeft(inner, text));
  }

  /** Nothing of the directive and of all within it has to be configured. */
  public void allUnneeded(Directive of, String text) {
    unneeded(of, text);
    of.block().forEach(inner -> allUnneeded(inner, text));
  }

  private void add(Directive of, Verdict verdict, String text) {
    List<Item> known = items.computeIfAbsent(of, key -> new ArrayList<>(1));
    Item item = new Item(of.file(), of.line(), of.text(), verdict, text);
    if (!known.contains(item)) {
      known.add(item);
    }
  }

  public boolean knows(Directive of) {
    return items.containsKey(of);
  }

  /** Marks every directive that has no verdict yet as left, with all directives within it. */
  public void closeWith(List<Directive> all, String text) {
    for (Directive each : all) {
      if (!knows(each)) {
        left(each, text);
      }
      closeWith(each.block(), text);
    }
  }

  /** All lines by file and line. */
  public List<Item> items() {
    return items.values().stream()
        .flatMap(List::stream)
        // A snippet that is imported twice is reported once.
        .distinct()
        .sorted(Comparator.comparing(Item::file).thenComparingInt(Item::line))
        .toList();
  }

  public long count(Verdict verdict) {
    return items().stream().filter(item -> item.verdict() == verdict).count();
  }
}
