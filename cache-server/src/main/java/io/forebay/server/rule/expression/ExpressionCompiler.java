package io.forebay.server.rule.expression;

import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelFunctionDecl;
import dev.cel.common.CelIssue;
import dev.cel.common.CelOptions;
import dev.cel.common.CelOverloadDecl;
import dev.cel.common.CelValidationException;
import dev.cel.common.types.CelType;
import dev.cel.common.types.MapType;
import dev.cel.common.types.SimpleType;
import dev.cel.compiler.CelCompiler;
import dev.cel.compiler.CelCompilerBuilder;
import dev.cel.compiler.CelCompilerFactory;
import dev.cel.parser.CelStandardMacro;
import io.forebay.server.rule.expression.ExpressionException.Problem;
import io.forebay.server.rule.expression.Variable.Subject;
import io.forebay.server.text.Printable;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Compiles conditions in CEL. Any thread. */
public final class ExpressionCompiler {
  /** Characters of an expression. */
  public static final int MAX_LENGTH = 2048;

  private static final int MAX_PARSE_DEPTH = 48;
  private static final int MAX_MESSAGE = 200;

  private static final CelType TEXTS = MapType.create(SimpleType.STRING, SimpleType.STRING);

  /** The place in a sentence of the library that says nothing to operators. */
  private static final Pattern CONTAINER = Pattern.compile(" \\(in container '[^']*'\\)");

  private static final Pattern UNDECLARED = Pattern.compile("undeclared reference to '([^']*)'");
  private static final Pattern PATH = Pattern.compile("[A-Za-z_][A-Za-z_0-9.]*");

  // Made with the first expression: it takes a while.
  private static final class OfRequests {
    static final CelCompiler COMPILER = compiler(Subject.REQUEST);
  }

  private static final class OfResponses {
    static final CelCompiler COMPILER = compiler(Subject.RESPONSE);
  }

  private static final class OfRecords {
    static final CelCompiler COMPILER = compiler(Subject.RECORD);
  }

  private ExpressionCompiler() {}

  private static CelCompiler compiler(Subject subject) {
    CelCompilerBuilder builder =
        CelCompilerFactory.standardCelCompilerBuilder()
            .setOptions(
                CelOptions.current()
                    .maxExpressionCodePointSize(MAX_LENGTH)
                    .maxParseRecursionDepth(MAX_PARSE_DEPTH)
                    .maxParseErrorRecoveryLimit(4)
                    .build())
            .setStandardMacros(
                CelStandardMacro.HAS,
                CelStandardMacro.ALL,
                CelStandardMacro.EXISTS,
                CelStandardMacro.EXISTS_ONE,
                CelStandardMacro.MAP,
                CelStandardMacro.MAP_FILTER,
                CelStandardMacro.FILTER)
            .addFunctionDeclarations(
                CelFunctionDecl.newFunctionDeclaration(
                    "get",
                    CelOverloadDecl.newMemberOverload(
                        "forebay_get", SimpleType.STRING, TEXTS, SimpleType.STRING)),
                CelFunctionDecl.newFunctionDeclaration(
                    "lowerAscii",
                    CelOverloadDecl.newMemberOverload(
                        "string_lower_ascii", SimpleType.STRING, SimpleType.STRING)))
            .setResultType(SimpleType.BOOL);
    Variable.of(subject).forEach(variable -> builder.addVar(variable.toString(), type(variable)));
    return builder.build();
  }

  private static CelType type(Variable variable) {
    return switch (variable.type()) {
      case TEXT -> SimpleType.STRING;
      case NUMBER -> SimpleType.INT;
      case TIME -> SimpleType.TIMESTAMP;
      case DURATION -> SimpleType.DURATION;
      case TEXTS -> TEXTS;
    };
  }

  /**
   * Compiles an expression.
   *
   * @param subject what it is about
   */
  public static Expression compile(String text, Subject subject) throws ExpressionException {
    if (text.isBlank()) {
      throw refused("an empty expression", "write a condition such as request.method == \"GET\"");
    }
    if (text.length() > MAX_LENGTH) {
      throw refused(
          "an expression of " + text.length() + " characters", "write at most " + MAX_LENGTH);
    }
    try {
      return new Translator(text, subject, check(text, subject)).translate();
    } catch (StackOverflowError e) {
      throw refused("nested too deep", "use fewer parentheses");
    }
  }

  /** What the library makes of it. */
  static CelAbstractSyntaxTree check(String text, Subject subject) throws ExpressionException {
    CelCompiler compiler =
        switch (subject) {
          case REQUEST -> OfRequests.COMPILER;
          case RESPONSE -> OfResponses.COMPILER;
          case RECORD -> OfRecords.COMPILER;
        };
    try {
      return compiler.compile(text).getAst();
    } catch (CelValidationException e) {
      throw new ExpressionException(
          e.getErrors().stream().map(issue -> problem(issue, text, subject)).toList());
    }
  }

  private static ExpressionException refused(String message, String right) {
    return new ExpressionException(List.of(new Problem(0, 0, message, right)));
  }

  private static Problem problem(CelIssue issue, String text, Subject subject) {
    int line = Math.max(0, issue.getSourceLocation().getLine() - 1);
    int column = Math.max(0, issue.getSourceLocation().getColumn());
    String message = CONTAINER.matcher(issue.getMessage()).replaceAll("");
    Matcher undeclared = UNDECLARED.matcher(message);
    String right =
        undeclared.find() && !undeclared.group(1).isEmpty()
            ? suggestion(pathAt(text, line, column, undeclared.group(1)), subject)
            : "";
    return new Problem(line, column, Printable.shown(message.strip(), MAX_MESSAGE), right);
  }

  private static String suggestion(String path, Subject subject) {
    List<String> names = Variable.of(subject).stream().map(Variable::toString).toList();
    return Printable.suggestion(path, names);
  }

  /** The whole path that begins with a name: the library speaks of its first part only. */
  private static String pathAt(String text, int line, int column, String name) {
    List<String> lines = text.lines().toList();
    if (line < lines.size() && column < lines.get(line).length()) {
      Matcher path = PATH.matcher(lines.get(line)).region(column, lines.get(line).length());
      if (path.lookingAt() && path.group().startsWith(name)) {
        return path.group();
      }
    }
    return name;
  }
}
