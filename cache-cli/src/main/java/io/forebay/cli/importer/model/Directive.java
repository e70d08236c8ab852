package io.forebay.cli.importer.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One statement of another server's configuration. Two of them are equal only if they are the same
 * object: a report accounts for each.
 */
public final class Directive {
  private static final int SHOWN = 80;

  private final String file;
  private final int line;
  private final String name;
  private final List<String> arguments;
  private final @Nullable List<Directive> block;

  /**
   * A statement.
   *
   * @param file as the user named it, or as an include found it
   * @param line from 1 on
   * @param block what is between its braces, or null where it has none
   */
  public Directive(
      String file, int line, String name, List<String> arguments, @Nullable List<Directive> block) {
    this.file = file;
    this.line = line;
    this.name = name;
    this.arguments = List.copyOf(arguments);
    this.block = block == null ? null : List.copyOf(block);
  }

  public String file() {
    return file;
  }

  public int line() {
    return line;
  }

  public String name() {
    return name;
  }

  public List<String> arguments() {
    return arguments;
  }

  /** The argument of that number, from 0 on, or an empty text. */
  public String argument(int number) {
    return number < arguments.size() ? arguments.get(number) : "";
  }

  /** What is between its braces; empty where it has none. */
  public List<Directive> block() {
    return block == null ? List.of() : block;
  }

  public boolean hasBlock() {
    return block != null;
  }

  /** The statement in one line, shortened. */
  public String text() {
    StringBuilder text = new StringBuilder(name);
    arguments.forEach(argument -> text.append(' ').append(argument.isEmpty() ? "\"\"" : argument));
    String all = text.toString().replaceAll("\\s+", " ");
    return all.length() <= SHOWN ? all : all.substring(0, SHOWN - 3) + "...";
  }
}
