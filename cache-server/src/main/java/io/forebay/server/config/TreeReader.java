package io.forebay.server.config;

import io.forebay.server.text.Printable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads values out of a {@link ConfigTree} whose shape is not in the table of keys. What is wrong
 * is recorded, and the value is then missing.
 */
public final class TreeReader {
  static final int MAX_TEXT = 1024;
  static final int MAX_LIST = 1000;

  private final List<ConfigProblem> problems;

  /** A reader that adds what is wrong to a list. */
  public TreeReader(List<ConfigProblem> problems) {
    this.problems = problems;
  }

  /** Records a problem, once: what several routes use is read for each of them. */
  public void problem(SourceLocation place, String path, String message, String right) {
    ConfigProblem problem = place.problem(path, message, right);
    if (!problems.contains(problem)) {
      problems.add(problem);
    }
  }

  /** The entries of a mapping, or null; keys beyond the known ones are problems. */
  public @Nullable Map<String, ConfigTree.Entry> entries(
      String path, ConfigTree tree, Collection<String> known) {
    Map<String, ConfigTree.Entry> entries = entries(path, tree);
    if (entries != null) {
      entries
          .values()
          .removeIf(entry -> {
            if (known.contains(entry.key())) {
              return false;
            }
            problem(
                entry.place(),
                path + "." + entry.key(),
                "unknown key",
                Printable.suggestion(entry.key(), known));
            return true;
          });
    }
    return entries;
  }

  /** The same where keys are names. */
  public @Nullable Map<String, ConfigTree.Entry> entries(String path, ConfigTree tree) {
    if (!(tree instanceof ConfigTree.Mapping mapping)) {
      problem(tree.place(), path, "keys are required here", "write a key and a colon");
      return null;
    }
    Map<String, ConfigTree.Entry> entries = new LinkedHashMap<>();
    for (ConfigTree.Entry entry : mapping.entries()) {
      entries.put(entry.key(), entry);
    }
    if (entries.size() > MAX_LIST) {
      problem(tree.place(), path, "more than " + MAX_LIST + " keys", "use fewer");
      return null;
    }
    return entries;
  }

  /** A single text, or null. */
  public @Nullable String text(String path, ConfigTree tree) {
    if (!(tree instanceof ConfigTree.Scalar scalar)) {
      problem(tree.place(), path, "not a plain value", "write a single value");
      return null;
    }
    return text(path, scalar, MAX_TEXT);
  }

  /** A single text of a bounded length, or null. */
  public @Nullable String text(String path, ConfigTree tree, int maxLength) {
    if (!(tree instanceof ConfigTree.Scalar scalar)) {
      return text(path, tree);
    }
    if (scalar.isNull()) {
      problem(scalar.place(), path, "no value is given", "write one, or remove the key");
      return null;
    }
    if (scalar.text().length() > maxLength) {
      problem(
          scalar.place(),
          path,
          "a text of " + scalar.text().length() + " characters",
          "write at most " + maxLength);
      return null;
    }
    return scalar.text();
  }

  /** One text or a list of them; null after a problem. */
  public @Nullable List<String> texts(String path, ConfigTree tree) {
    if (!(tree instanceof ConfigTree.Sequence sequence)) {
      String text = text(path, tree);
      return text == null ? null : List.of(text);
    }
    if (sequence.items().isEmpty() || sequence.items().size() > MAX_LIST) {
      problem(
          tree.place(),
          path,
          sequence.items().isEmpty() ? "an empty list" : "more than " + MAX_LIST + " entries",
          "list 1 to " + MAX_LIST + " values");
      return null;
    }
    List<String> texts = new ArrayList<>();
    boolean isWhole = true;
    for (ConfigTree item : sequence.items()) {
      String text = text(path, item);
      if (text == null) {
        isWhole = false;
      } else {
        texts.add(text);
      }
    }
    return isWhole ? texts : null;
  }

  /** Each text of a list has to be one of some words; null after a problem. */
  public @Nullable List<String> words(String path, ConfigTree tree, Collection<String> known) {
    List<String> texts = texts(path, tree);
    if (texts == null) {
      return null;
    }
    boolean isWhole = true;
    for (String text : texts) {
      if (!known.contains(text)) {
        isWhole = false;
        problem(
            tree.place(),
            path,
            "\"" + Printable.shown(text) + "\" is not known here",
            Printable.suggestion(text, known));
      }
    }
    return isWhole ? texts : null;
  }

  /** A number within a range, or null. */
  public @Nullable Integer number(String path, ConfigTree tree, int min, int max) {
    String text = text(path, tree);
    if (text == null) {
      return null;
    }
    if (text.matches("\\d{1,9}")) {
      int number = Integer.parseInt(text);
      if (number >= min && number <= max) {
        return number;
      }
    }
    problem(
        tree.place(),
        path,
        "\"" + Printable.shown(text) + "\" is not a number from " + min + " to " + max,
        "");
    return null;
  }

  /** A value of a type of the table of keys, or null. */
  <T> @Nullable T value(String path, ConfigTree tree, ValueType<T> type) {
    String text = text(path, tree);
    if (text == null) {
      return null;
    }
    try {
      return type.reader().read(text.strip());
    } catch (ValueType.WrongValueException e) {
      problem(tree.place(), path, e.message(), e.right());
      return null;
    }
  }
}
