package io.forebay.cli.importer.vcl;

import io.forebay.cli.importer.model.Directive;
import io.forebay.cli.importer.model.ImportException;
import io.forebay.cli.importer.vcl.VclProgram.Acl;
import io.forebay.cli.importer.vcl.VclProgram.Backend;
import io.forebay.cli.importer.vcl.VclProgram.Entry;
import io.forebay.cli.importer.vcl.VclProgram.Probe;
import io.forebay.cli.importer.vcl.VclProgram.Setting;
import io.forebay.cli.importer.vcl.VclStatement.Assign;
import io.forebay.cli.importer.vcl.VclStatement.Branch;
import io.forebay.cli.importer.vcl.VclStatement.CallSub;
import io.forebay.cli.importer.vcl.VclStatement.If;
import io.forebay.cli.importer.vcl.VclStatement.Invoke;
import io.forebay.cli.importer.vcl.VclStatement.New;
import io.forebay.cli.importer.vcl.VclStatement.Return;
import io.forebay.cli.importer.vcl.VclStatement.Unknown;
import io.forebay.cli.importer.vcl.VclStatement.Unset;
import io.forebay.cli.importer.vcl.VclToken.Kind;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads VCL with its includes: declarations, and the statements of each {@code sub}. What is no VCL
 * is refused with file, line and column.
 */
final class VclParser {
  private static final int MAX_FILES = 100;
  private static final int MAX_INCLUDES = 16;
  private static final int MAX_DEPTH = 64;
  private static final int MAX_PARTS = 500;
  private static final long MAX_BYTES = 4 << 20;

  /** What names of included files without a dot are looked for in, after the directory. */
  private static final List<String> LIBRARIES = List.of("/etc/varnish", "/usr/share/varnish/vcl");

  private static final Set<String> COMPARISONS =
      Set.of("==", "!=", "~", "!~", "<", ">", "<=", ">=");

  private final Path directory;
  private final List<Directive> all = new ArrayList<>();
  private final VclProgram program = VclProgram.empty(all);
  private final Set<Directive> missing;
  private final Deque<Path> open = new ArrayDeque<>();
  private int files;

  private VclParser(Path directory, Set<Directive> missing) {
    this.directory = directory;
    this.missing = missing;
  }

  /**
   * Reads a file and what it includes.
   *
   * @param directory what relative names of includes begin at
   * @param missing gets the includes whose files do not exist
   */
  static VclProgram parse(Path file, Path directory, Set<Directive> missing)
      throws ImportException {
    VclParser parser = new VclParser(directory, missing);
    parser.file(file, null).program();
    return parser.program;
  }

  private Source file(Path file, @Nullable VclToken from) throws ImportException {
    String at = from == null ? file.toString() : from.place();
    if (++files > MAX_FILES || open.size() > MAX_INCLUDES) {
      throw new ImportException(at + ": more than " + MAX_FILES + " files, or a circle of them");
    }
    Path real = file.toAbsolutePath().normalize();
    if (open.contains(real)) {
      throw new ImportException(at + ": " + file + " includes itself");
    }
    open.push(real);
    try {
      if (Files.size(file) > MAX_BYTES) {
        throw new ImportException(file + ": larger than " + MAX_BYTES + " bytes");
      }
      String text = Files.readString(file, StandardCharsets.ISO_8859_1);
      return new Source(file, text, VclLexer.tokens(file.toString(), text));
    } catch (IOException e) {
      throw new ImportException(file + ": cannot be read: " + e.getMessage());
    }
  }

  private @Nullable Path included(String name, Path by) {
    List<Path> places = new ArrayList<>();
    Path parent = by.toAbsolutePath().getParent();
    if (parent != null) {
      places.add(parent);
    }
    places.add(directory);
    LIBRARIES.forEach(library -> places.add(Path.of(library)));
    try {
      for (Path place : places) {
        Path file = place.resolve(name);
        if (Files.isReadable(file) && Files.isRegularFile(file)) {
          return file;
        }
      }
    } catch (java.nio.file.InvalidPathException e) {
      return null;
    }
    return null;
  }

  /** One file that is being read. */
  private final class Source {
    private final Path file;
    private final String text;
    private final List<VclToken> tokens;
    private int at;
    private int depth;

    Source(Path file, String text, List<VclToken> tokens) {
      this.file = file;
      this.text = text;
      this.tokens = tokens;
    }

    private VclToken peek() {
      return tokens.get(at);
    }

    private VclToken peek(int ahead) {
      return tokens.get(Math.min(at + ahead, tokens.size() - 1));
    }

    private VclToken next() {
      VclToken token = tokens.get(at);
      if (token.kind() != Kind.END) {
        at++;
      }
      return token;
    }

    private ImportException problem(VclToken token, String what) {
      String found = token.kind() == Kind.END ? "the end of the file" : "\"" + token.text() + "\"";
      String shown = found.length() > 40 ? found.substring(0, 40) + "...\"" : found;
      return new ImportException(
          token.place() + ": " + what + ", not " + shown.replaceAll("\\s+", " "));
    }

    private VclToken expect(String sign) throws ImportException {
      VclToken token = next();
      if (!token.is(sign)) {
        throw problem(token, sign + " was expected");
      }
      return token;
    }

    private VclToken name(String what) throws ImportException {
      VclToken token = next();
      if (token.kind() != Kind.NAME) {
        throw problem(token, what + " was expected");
      }
      return token;
    }

    private VclToken string(String what) throws ImportException {
      VclToken token = next();
      if (token.kind() != Kind.STRING) {
        throw problem(token, what + " in quotes was expected");
      }
      return token;
    }

    private void enter(VclToken token) throws ImportException {
      if (++depth > MAX_DEPTH) {
        throw new ImportException(token.place() + ": nested deeper than " + MAX_DEPTH + " levels");
      }
    }

    /** What was read from a word on, as one line of the report. */
    private Directive directive(VclToken first, @Nullable List<Directive> block) {
      int last = at - 1;
      while (last > 0 && (tokens.get(last).is(";") || tokens.get(last).is("{"))) {
        last--;
      }
      return directive(first, tokens.get(last).end(), block);
    }

    private Directive directive(VclToken first, int end, @Nullable List<Directive> block) {
      String rest = text.substring(Math.min(first.end(), end), end).replaceAll("\\s+", " ").strip();
      String word = text.substring(first.start(), Math.min(first.end(), end));
      return new Directive(
          first.file(),
          first.line(),
          word.replaceAll("\\s+", " "),
          rest.isEmpty() ? List.of() : List.of(rest),
          block);
    }

    // --- declarations ---------------------------------------------------------------------------

    void program() throws ImportException {
      while (peek().kind() != Kind.END) {
        declaration();
      }
      open.pop();
    }

    private void declaration() throws ImportException {
      VclToken first = next();
      if (first.kind() == Kind.INLINE_C) {
        all.add(new Directive(first.file(), first.line(), "C{...}C", List.of(), null));
        return;
      }
      if (first.kind() != Kind.NAME) {
        throw problem(first, "a declaration such as backend, acl or sub was expected");
      }
      switch (first.text()) {
        case "vcl" -> {
          next();
          expect(";");
          all.add(directive(first, null));
        }
        case "import" -> {
          name("the name of a module");
          if (peek().is("from")) {
            next();
            string("a file");
          }
          expect(";");
          all.add(directive(first, null));
        }
        case "include" -> all.addAll(include(first));
        case "acl" -> acl(first);
        case "backend" -> backend(first);
        case "probe" -> {
          String name = name("the name of a probe").text();
          int end = tokens.get(at - 1).end();
          List<Setting> settings = settings();
          Directive of = directive(first, end, directives(settings));
          all.add(of);
          program.probes().put(name, new Probe(of, settings));
        }
        case "sub" -> sub(first);
        case "director" -> {
          // Of Varnish 3.
          while (!peek().is("{") && peek().kind() != Kind.END) {
            next();
          }
          int end = tokens.get(at - 1).end();
          skipBlock();
          all.add(directive(first, end, List.of()));
        }
        default -> throw problem(first, "a declaration such as backend, acl or sub was expected");
      }
    }

    private void skipBlock() throws ImportException {
      VclToken first = expect("{");
      int open = 1;
      while (open > 0) {
        VclToken token = next();
        if (token.kind() == Kind.END) {
          throw new ImportException(first.place() + ": the brace that opens here is not closed");
        }
        open += token.is("{") ? 1 : token.is("}") ? -1 : 0;
      }
    }

    private List<Directive> include(VclToken first) throws ImportException {
      VclToken name = string("the name of a file");
      expect(";");
      Directive of = directive(first, null);
      Path found = included(name.text(), file);
      if (found == null) {
        missing.add(of);
        return List.of(of);
      }
      file(found, first).program();
      // What it has stands in its place already.
      return List.of(of);
    }

    private void acl(VclToken first) throws ImportException {
      String name = name("the name of an ACL").text();
      while (peek().is("+")
          || peek().is("-")
          || peek().text().matches("[+-]?(log|pedantic|table|fold)")) {
        next();
      }
      int end = tokens.get(at - 1).end();
      expect("{");
      List<Entry> entries = new ArrayList<>();
      while (!peek().is("}")) {
        VclToken start = peek();
        boolean isOptional = peek().is("(");
        if (isOptional) {
          next();
        }
        boolean isNegated = peek().is("!");
        if (isNegated) {
          next();
        }
        String address = string("an address").text();
        int bits = bits(address);
        if (isOptional) {
          expect(")");
        }
        if (peek().is("/")) {
          next();
          bits = number(next());
        }
        expect(";");
        entries.add(
            new Entry(directive(start, null), isNegated, address.replaceAll("/.*", ""), bits));
      }
      expect("}");
      Directive of = directive(first, end, entries.stream().map(Entry::of).toList());
      all.add(of);
      program.acls().put(name, new Acl(of, entries));
    }

    private int bits(String address) {
      int slash = address.indexOf('/');
      String after = slash < 0 ? "" : address.substring(slash + 1);
      return after.matches("\\d{1,3}") ? Integer.parseInt(after) : -1;
    }

    private int number(VclToken token) throws ImportException {
      if (token.kind() != Kind.NUMBER || !token.text().matches("\\d{1,3}")) {
        throw problem(token, "a number of bits was expected");
      }
      return Integer.parseInt(token.text());
    }

    private void backend(VclToken first) throws ImportException {
      String name = name("the name of a backend").text();
      int end = tokens.get(at - 1).end();
      if (peek().is("none")) {
        next();
        expect(";");
        Directive of = directive(first, null);
        all.add(of);
        program.backends().put(name, new Backend(of, name, List.of()));
        return;
      }
      List<Setting> settings = settings();
      Directive of = directive(first, end, directives(settings));
      all.add(of);
      program.backends().put(name, new Backend(of, name, settings));
    }

    private static List<Directive> directives(List<Setting> settings) {
      return settings.stream().map(Setting::of).toList();
    }

    /** Settings between braces. */
    private List<Setting> settings() throws ImportException {
      VclToken opening = expect("{");
      enter(opening);
      List<Setting> settings = new ArrayList<>();
      while (!peek().is("}")) {
        VclToken first = expect(".");
        String name = name("the name of a setting").text();
        expect("=");
        if (peek().is("{")) {
          int end = tokens.get(at - 1).end();
          List<Setting> block = settings();
          if (peek().is(";")) {
            next();
          }
          Directive of = directive(first, end, directives(block));
          settings.add(new Setting(named(of, name), name, List.of(), block));
          continue;
        }
        List<VclExpression> values = new ArrayList<>();
        while (!peek().is(";")) {
          values.add(primary());
        }
        expect(";");
        settings.add(new Setting(named(directive(first, null), name), name, values, null));
      }
      expect("}");
      depth--;
      return settings;
    }

    /** The dot belongs to the name. */
    private static Directive named(Directive of, String name) {
      String rest = of.argument(0);
      String after = rest.startsWith(name) ? rest.substring(name.length()).strip() : rest;
      return new Directive(
          of.file(), of.line(), "." + name, List.of(after), of.hasBlock() ? of.block() : null);
    }

    private void sub(VclToken first) throws ImportException {
      String name = name("the name of a sub").text();
      int end = tokens.get(at - 1).end();
      Body body = body();
      all.add(directive(first, end, body.directives()));
      program.subs().computeIfAbsent(name, key -> new ArrayList<>()).addAll(body.statements());
    }

    // --- statements -----------------------------------------------------------------------------

    private record Body(List<VclStatement> statements, List<Directive> directives) {}

    private Body body() throws ImportException {
      VclToken opening = expect("{");
      enter(opening);
      List<VclStatement> statements = new ArrayList<>();
      List<Directive> directives = new ArrayList<>();
      while (!peek().is("}")) {
        if (peek().kind() == Kind.END) {
          throw new ImportException(opening.place() + ": the brace that opens here is not closed");
        }
        statement(statements, directives);
      }
      expect("}");
      depth--;
      return new Body(statements, directives);
    }

    private void statement(List<VclStatement> statements, List<Directive> directives)
        throws ImportException {
      VclToken first = next();
      if (first.is(";")) {
        return;
      }
      if (first.is("if")) {
        statements.add(conditional(first, directives));
        return;
      }
      if (first.is("{")) {
        at--;
        Body inner = body();
        statements.addAll(inner.statements());
        directives.addAll(inner.directives());
        return;
      }
      if (first.is("include")) {
        VclToken name = string("the name of a file");
        expect(";");
        Directive of = directive(first, null);
        directives.add(of);
        Path found = included(name.text(), file);
        if (found == null) {
          missing.add(of);
          return;
        }
        Source source = file(found, first);
        while (source.peek().kind() != Kind.END) {
          source.statement(statements, directives);
        }
        open.pop();
        return;
      }
      VclStatement read = simple(first);
      statements.add(read);
      directives.add(read.of());
    }

    private VclStatement simple(VclToken first) throws ImportException {
      if (first.kind() == Kind.INLINE_C) {
        return new Unknown(
            new Directive(first.file(), first.line(), "C{...}C", List.of(), null),
            "program text in C");
      }
      if (first.kind() != Kind.NAME) {
        throw problem(first, "a statement was expected");
      }
      return switch (first.text()) {
        case "set" -> {
          String target = name("a variable").text();
          VclToken operator = next();
          if (!Set.of("=", "+=", "-=", "*=", "/=").contains(operator.text())) {
            throw problem(operator, "= was expected");
          }
          VclExpression value = expression();
          expect(";");
          yield new Assign(directive(first, null), variable(target), operator.text(), value);
        }
        case "unset", "remove" -> {
          String target = name("a variable").text();
          expect(";");
          yield new Unset(directive(first, null), variable(target));
        }
        case "call" -> {
          String name = name("the name of a sub").text();
          if (peek().is("(")) {
            next();
            expect(")");
          }
          expect(";");
          yield new CallSub(directive(first, null), name);
        }
        case "new" -> {
          String name = name("the name of an object").text();
          expect("=");
          VclExpression value = expression();
          expect(";");
          yield new New(directive(first, null), name, value);
        }
        case "return" -> {
          if (peek().is(";")) {
            next();
            yield new Return(directive(first, null), "", List.of());
          }
          expect("(");
          VclToken action = name("an action");
          List<VclExpression> arguments = peek().is("(") ? arguments() : List.of();
          expect(")");
          expect(";");
          yield new Return(directive(first, null), action.text(), arguments);
        }
        case "error" -> {
          // Of Varnish 3: error 403 "text";
          List<VclExpression> arguments = new ArrayList<>();
          while (!peek().is(";")) {
            arguments.add(primary());
          }
          expect(";");
          yield new Return(directive(first, null), "synth", arguments);
        }
        default -> {
          List<VclExpression> arguments = new ArrayList<>();
          if (peek().is("(")) {
            arguments.addAll(arguments());
          } else {
            while (!peek().is(";")) {
              arguments.add(expression());
            }
          }
          expect(";");
          Directive read = directive(first, null);
          Directive of =
              new Directive(
                  read.file(), read.line(), first.text() + read.argument(0), List.of(), null);
          yield new Invoke(of, new VclExpression.Call(first.text(), arguments));
        }
      };
    }

    private If conditional(VclToken first, List<Directive> directives) throws ImportException {
      List<Branch> branches = new ArrayList<>();
      VclToken word = first;
      while (true) {
        expect("(");
        VclExpression condition = expression();
        expect(")");
        branch(word, condition, branches, directives);
        VclToken after = peek();
        if (after.is("elseif") || after.is("elsif") || after.is("elif")) {
          word = next();
          continue;
        }
        if (!after.is("else")) {
          return new If(branches);
        }
        word = next();
        if (peek().is("if")) {
          next();
          continue;
        }
        branch(word, null, branches, directives);
        return new If(branches);
      }
    }

    private void branch(
        VclToken word,
        @Nullable VclExpression condition,
        List<Branch> branches,
        List<Directive> directives)
        throws ImportException {
      int end = tokens.get(at - 1).end();
      Body body = body();
      Directive of = directive(word, end, body.directives());
      branches.add(new Branch(of, condition, body.statements()));
      directives.add(of);
    }

    /** Names of Varnish 3 as they are today. */
    private static String variable(String name) {
      return switch (name.toLowerCase(Locale.ROOT)) {
        case "req.request" -> "req.method";
        case "bereq.request" -> "bereq.method";
        case "req.backend" -> "req.backend_hint";
        case "obj.status" -> "resp.status";
        case "obj.response" -> "resp.reason";
        default -> name;
      };
    }

    // --- expressions ----------------------------------------------------------------------------

    private List<VclExpression> arguments() throws ImportException {
      expect("(");
      List<VclExpression> arguments = new ArrayList<>();
      while (!peek().is(")")) {
        if (peek().kind() == Kind.NAME && peek(1).is("=")) {
          // A named argument: its value counts.
          next();
          next();
        }
        arguments.add(expression());
        if (peek().is(",")) {
          next();
        } else if (!peek().is(")")) {
          throw problem(peek(), ") was expected");
        }
      }
      expect(")");
      return arguments;
    }

    private VclExpression expression() throws ImportException {
      enter(peek());
      VclExpression left = conjunction();
      int parts = 0;
      while (peek().is("||")) {
        bounded(++parts);
        next();
        left = new VclExpression.Binary("||", left, conjunction());
      }
      depth--;
      return left;
    }

    /** Expressions are walked through in depth. */
    private void bounded(int parts) throws ImportException {
      if (parts > MAX_PARTS) {
        throw new ImportException(peek().place() + ": more than " + MAX_PARTS + " parts");
      }
    }

    private VclExpression conjunction() throws ImportException {
      VclExpression left = comparison();
      int parts = 0;
      while (peek().is("&&")) {
        bounded(++parts);
        next();
        left = new VclExpression.Binary("&&", left, comparison());
      }
      return left;
    }

    private VclExpression comparison() throws ImportException {
      VclToken first = peek();
      if (first.is("!")) {
        next();
        enter(first);
        VclExpression inner = comparison();
        depth--;
        return new VclExpression.Not(inner);
      }
      VclExpression left = sum();
      if (COMPARISONS.contains(peek().text()) && peek().kind() == Kind.SIGN) {
        String operator = next().text();
        return new VclExpression.Binary(operator, left, sum());
      }
      return left;
    }

    private VclExpression sum() throws ImportException {
      VclExpression left = primary();
      for (int parts = 0; true; parts++) {
        bounded(parts);
        VclToken token = peek();
        if (token.kind() == Kind.SIGN && Set.of("+", "-", "*", "/", "%").contains(token.text())) {
          next();
          left = new VclExpression.Binary(token.text(), left, primary());
        } else if (token.kind() == Kind.STRING
            || (token.kind() == Kind.NAME && !(left instanceof VclExpression.Amount))) {
          left = new VclExpression.Binary("+", left, primary());
        } else {
          return left;
        }
      }
    }

    private VclExpression primary() throws ImportException {
      VclToken token = next();
      return switch (token.kind()) {
        case STRING -> new VclExpression.Text(token.text());
        case NUMBER -> {
          // 10 s is 10s.
          if (peek().kind() == Kind.NAME && peek().text().matches("ms|s|m|h|d|w|y|[KMG]?B")) {
            yield new VclExpression.Amount(token.text() + next().text());
          }
          yield new VclExpression.Amount(token.text());
        }
        case NAME -> {
          if (peek().is("(")) {
            yield new VclExpression.Call(token.text(), arguments());
          }
          yield new VclExpression.Name(variable(token.text()));
        }
        default -> {
          if (token.is("-")) {
            VclToken number = next();
            if (number.kind() != Kind.NUMBER) {
              throw problem(number, "a number was expected");
            }
            yield new VclExpression.Amount("-" + number.text());
          }
          if (token.is("(")) {
            VclExpression inner = expression();
            expect(")");
            yield inner;
          }
          throw problem(token, "a value was expected");
        }
      };
    }
  }
}
