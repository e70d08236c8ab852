package io.forebay.cli.importer.caddy;

import io.forebay.cli.importer.caddy.CaddyfileLexer.Word;
import io.forebay.cli.importer.model.Directive;
import io.forebay.cli.importer.model.ImportException;
import io.forebay.cli.importer.model.ImportReport;
import io.forebay.cli.importer.model.SourceFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads a Caddyfile: global options, sites, and snippets and files where they are imported. */
final class CaddyfileParser {
  private static final int MAX_FILES = 1000;
  private static final int MAX_DEPTH = 32;
  private static final int MAX_STATEMENTS = 100_000;
  private static final Pattern ARGUMENT =
      Pattern.compile("\\{args(?:\\.(\\d{1,3})|\\[(\\d{1,3})])}");
  private static final Pattern ARGUMENTS = Pattern.compile("\\{args\\[(\\d{0,3}):(\\d{0,3})]}");

  private final ImportReport report;
  private final Function<String, @Nullable String> environment;
  private final Map<String, Directive> snippets = new HashMap<>();
  private final Set<String> used = new HashSet<>();
  private final List<Directive> options = new ArrayList<>();
  private final List<Directive> sites = new ArrayList<>();
  private int files;
  private int statements;

  private CaddyfileParser(ImportReport report, Function<String, @Nullable String> environment) {
    this.report = report;
    this.environment = environment;
  }

  /**
   * What a Caddyfile has, besides snippets and named routes, which have their verdicts.
   *
   * @param options the global ones
   * @param sites whose name and arguments are their addresses
   */
  record Content(List<Directive> options, List<Directive> sites) {}

  static Content parse(
      Path file, ImportReport report, Function<String, @Nullable String> environment)
      throws ImportException {
    CaddyfileParser parser = new CaddyfileParser(report, environment);
    parser.top(file, 0);
    List<Directive> expanded = new ArrayList<>();
    for (Directive site : parser.sites) {
      Path directory = parser.directory(site);
      expanded.add(
          new Directive(
              site.file(),
              site.line(),
              site.name(),
              site.arguments(),
              parser.expand(site.block(), List.of(), directory, 0)));
    }
    List<Directive> options = new ArrayList<>();
    for (Directive option : parser.options) {
      options.addAll(parser.expand(List.of(option), List.of(), parser.directory(option), 0));
    }
    for (Map.Entry<String, Directive> snippet : parser.snippets.entrySet()) {
      if (parser.used.contains(snippet.getKey())) {
        report.taken(snippet.getValue());
      } else {
        report.allUnneeded(snippet.getValue(), "imported nowhere");
      }
    }
    return new Content(options, expanded);
  }

  private Path directory(Directive of) {
    Path parent = Path.of(of.file()).toAbsolutePath().getParent();
    return parent == null ? Path.of("/") : parent;
  }

  // --- files -------------------------------------------------------------------------------------

  /** The words of a file, with a place in them. */
  private static final class Words {
    final String file;
    final List<Word> all;
    int at;

    Words(String file, List<Word> all) {
      this.file = file;
      this.all = all;
    }

    @Nullable Word peek() {
      return at < all.size() ? all.get(at) : null;
    }

    /** Whether the next word is on the line of the one before it. */
    boolean isLineGoingOn() {
      return at > 0 && at < all.size() && all.get(at).line() == all.get(at - 1).lastLine();
    }

    ImportException problem(String problem) {
      Word word = all.get(Math.min(at, all.size() - 1));
      return SourceFile.problem(file, word.line(), word.column(), problem);
    }
  }

  private Words words(Path file) throws ImportException {
    if (++files > MAX_FILES) {
      throw new ImportException(file + ": more than " + MAX_FILES + " files, or a circle of them");
    }
    String name = file.toString();
    return new Words(name, CaddyfileLexer.words(name, SourceFile.read(file), environment));
  }

  private void top(Path file, int depth) throws ImportException {
    if (depth > MAX_DEPTH) {
      throw new ImportException(file + ": files are imported too deeply, or in a circle");
    }
    Words words = words(file);
    boolean isFirst = true;
    Word word = words.peek();
    while (word != null) {
      if (word.isOpen()) {
        if (!isFirst || depth > 0) {
          throw words.problem("a block of global options stands at the beginning only");
        }
        options.addAll(block(words, 0));
      } else if (word.text().matches("&?\\(.+\\)") && !word.isQuoted()) {
        named(words, word);
      } else if (word.text().equals("import") && !word.isQuoted()) {
        topImport(statement(words, 0), file, depth);
      } else {
        site(words, word);
      }
      isFirst = false;
      word = words.peek();
    }
  }

  /** A snippet, or a named route. */
  private void named(Words words, Word word) throws ImportException {
    words.at++;
    Word open = words.peek();
    if (open == null || !open.isOpen()) {
      throw words.problem(word.text() + " has no block");
    }
    List<Directive> block = block(words, 0);
    Directive of = new Directive(words.file, word.line(), word.text(), List.of(), block);
    if (word.text().startsWith("&")) {
      report.allLeft(of, "rules have no named routes");
    } else {
      snippets.put(word.text().substring(1, word.text().length() - 1), of);
    }
  }

  private void topImport(Directive of, Path file, int depth) throws ImportException {
    Directive snippet = snippets.get(of.argument(0));
    if (snippet != null) {
      report.allLeft(of, "a snippet with sites: write them out");
      return;
    }
    List<Path> found = found(of, file);
    if (found.isEmpty()) {
      report.allLeft(of, "there is no such file");
      return;
    }
    report.taken(of);
    for (Path each : found) {
      top(each, depth + 1);
    }
  }

  private List<Path> found(Directive of, Path file) throws ImportException {
    Path parent = file.toAbsolutePath().getParent();
    return parent == null || of.argument(0).isEmpty()
        ? List.of()
        : SourceFile.matching(parent.resolve(of.argument(0)));
  }

  private void site(Words words, Word first) throws ImportException {
    List<String> addresses = new ArrayList<>();
    List<Directive> block = null;
    boolean isGoingOn = true;
    while (isGoingOn) {
      Word word = words.peek();
      if (word == null || word.isClose()) {
        throw words.problem(word == null ? "a site without a block" : "} was not expected here");
      }
      if (word.isOpen()) {
        block = block(words, 0);
        break;
      }
      for (String each : word.text().split(",", -1)) {
        if (!each.isEmpty()) {
          addresses.add(each);
        }
      }
      words.at++;
      isGoingOn = word.text().endsWith(",") || words.isLineGoingOn();
    }
    if (block == null) {
      // The only site of a file needs no braces.
      if (!sites.isEmpty()) {
        throw words.problem("{ is missing: a site has a block");
      }
      block = new ArrayList<>();
      while (words.peek() != null) {
        block.add(statement(words, 0));
      }
    }
    if (addresses.isEmpty()) {
      throw words.problem("a site without an address");
    }
    sites.add(
        new Directive(
            words.file,
            first.line(),
            addresses.getFirst(),
            addresses.subList(1, addresses.size()),
            block));
  }

  /** The statements of a block whose brace comes next. */
  private List<Directive> block(Words words, int depth) throws ImportException {
    if (depth > MAX_DEPTH) {
      throw words.problem("blocks are nested too deeply");
    }
    words.at++;
    if (words.isLineGoingOn()) {
      throw words.problem("a line ends behind {");
    }
    List<Directive> all = new ArrayList<>();
    while (true) {
      Word word = words.peek();
      if (word == null) {
        throw words.problem("a } is missing");
      }
      if (word.isClose()) {
        words.at++;
        if (words.isLineGoingOn()) {
          throw words.problem("a line ends behind }");
        }
        return all;
      }
      all.add(statement(words, depth));
    }
  }

  private Directive statement(Words words, int depth) throws ImportException {
    Word name = words.peek();
    if (name == null || name.isOpen() || name.isClose()) {
      throw words.problem(
          name == null ? "a word is missing" : name.text() + " was not expected here");
    }
    if (++statements > MAX_STATEMENTS) {
      throw words.problem("more than " + MAX_STATEMENTS + " statements");
    }
    words.at++;
    List<String> arguments = new ArrayList<>();
    List<Directive> block = null;
    while (words.isLineGoingOn()) {
      Word word = words.peek();
      if (word == null) {
        break;
      }
      if (word.isOpen()) {
        block = block(words, depth + 1);
        break;
      }
      if (word.isClose()) {
        throw words.problem("} stands on a line of its own");
      }
      arguments.add(word.text());
      words.at++;
    }
    return new Directive(words.file, name.line(), name.text(), arguments, block);
  }

  // --- imports -----------------------------------------------------------------------------------

  /** The statements with what they import in its place. */
  private List<Directive> expand(
      List<Directive> block, List<String> arguments, Path directory, int depth)
      throws ImportException {
    List<Directive> all = new ArrayList<>();
    for (Directive each : block) {
      if (++statements > MAX_STATEMENTS) {
        throw new ImportException(
            each.file(), each.line(), "more than " + MAX_STATEMENTS + " statements with imports");
      }
      if (depth > MAX_DEPTH) {
        throw new ImportException(
            each.file(), each.line(), "imports are nested too deeply, or in a circle");
      }
      Directive own =
          new Directive(
              each.file(),
              each.line(),
              substituted(each.name(), arguments),
              substituted(each.arguments(), arguments),
              each.hasBlock() && !each.name().equals("import")
                  ? expand(each.block(), arguments, directory, depth)
                  : each.hasBlock() ? each.block() : null);
      if (own.name().equals("import")) {
        all.add(own);
        all.addAll(imported(own, directory, depth));
      } else {
        all.add(own);
      }
    }
    return all;
  }

  private List<Directive> imported(Directive of, Path directory, int depth) throws ImportException {
    List<String> arguments =
        of.arguments().subList(Math.min(1, of.arguments().size()), of.arguments().size());
    if (of.hasBlock()) {
      report.allLeft(of, "an import with a block");
      return List.of();
    }
    Directive snippet = snippets.get(of.argument(0));
    if (snippet != null) {
      used.add(of.argument(0));
      report.taken(of);
      return expand(snippet.block(), arguments, directory(snippet), depth + 1);
    }
    List<Path> found =
        of.argument(0).isEmpty()
            ? List.of()
            : SourceFile.matching(directory.resolve(of.argument(0)));
    if (found.isEmpty()) {
      report.left(of, "there is no such snippet or file");
      return List.of();
    }
    report.taken(of);
    List<Directive> all = new ArrayList<>();
    for (Path each : found) {
      Words words = words(each);
      List<Directive> block = new ArrayList<>();
      while (words.peek() != null) {
        block.add(statement(words, 0));
      }
      Path parent = each.toAbsolutePath().getParent();
      all.addAll(expand(block, arguments, parent == null ? directory : parent, depth + 1));
    }
    return all;
  }

  private static String substituted(String text, List<String> arguments) {
    if (arguments.isEmpty()) {
      return text;
    }
    Matcher argument = ARGUMENT.matcher(text);
    StringBuilder out = new StringBuilder();
    while (argument.find()) {
      int number =
          Integer.parseInt(argument.group(1) == null ? argument.group(2) : argument.group(1));
      String value = number < arguments.size() ? arguments.get(number) : argument.group();
      argument.appendReplacement(out, Matcher.quoteReplacement(value));
    }
    return argument.appendTail(out).toString();
  }

  private static List<String> substituted(List<String> texts, List<String> arguments) {
    List<String> all = new ArrayList<>();
    for (String text : texts) {
      Matcher some = ARGUMENTS.matcher(text);
      if (some.matches()) {
        int first = some.group(1).isEmpty() ? 0 : Integer.parseInt(some.group(1));
        int end = some.group(2).isEmpty() ? arguments.size() : Integer.parseInt(some.group(2));
        int last = Math.min(end, arguments.size());
        all.addAll(arguments.subList(Math.min(first, last), last));
      } else {
        all.add(substituted(text, arguments));
      }
    }
    return all;
  }
}
