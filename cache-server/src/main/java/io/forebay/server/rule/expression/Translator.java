package io.forebay.server.rule.expression;

import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.ast.CelExpr.CelCall;
import dev.cel.common.ast.CelExpr.CelComprehension;
import dev.cel.common.ast.CelExpr.CelSelect;
import dev.cel.common.ast.CelReference;
import dev.cel.common.types.CelType;
import dev.cel.common.types.MapType;
import io.forebay.server.rule.expression.ExpressionException.Problem;
import io.forebay.server.text.LinearRegex;
import io.forebay.server.text.Printable;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Makes nodes of what the library has parsed and checked. For one expression. */
final class Translator {
  /** Operators and parentheses within each other. */
  static final int MAX_DEPTH = 64;

  private static final Pattern DURATION =
      Pattern.compile("(\\d{1,9}h)?(\\d{1,9}m)?(\\d{1,9}s)?(\\d{1,9}ms)?");

  private final String text;
  private final Variable.Subject subject;
  private final CelAbstractSyntaxTree ast;
  private final Set<VariableUse> uses = new LinkedHashSet<>();

  /** The variables of the macros around, and their slots. */
  private final Map<String, Integer> locals = new HashMap<>();

  private int slots;
  private int depth;

  Translator(String text, Variable.Subject subject, CelAbstractSyntaxTree ast) {
    this.text = text;
    this.subject = subject;
    this.ast = ast;
  }

  Expression translate() throws ExpressionException {
    Node root = node(ast.getExpr());
    return new Expression(text, root, slots, uses);
  }

  private Node node(CelExpr expr) throws ExpressionException {
    if (++depth > MAX_DEPTH) {
      throw refused(expr, "nested deeper than " + MAX_DEPTH + " levels", "split the condition");
    }
    Node node =
        switch (expr.exprKind().getKind()) {
          case CONSTANT -> constant(expr);
          case IDENT -> named(expr, expr.ident().name());
          case SELECT -> select(expr, expr.select());
          case CALL -> call(expr, expr.call());
          case LIST -> list(expr);
          case COMPREHENSION -> fold(expr.comprehension());
          default -> throw refused(expr, "maps and messages cannot be written here", "");
        };
    depth--;
    return node;
  }

  private static Node value(Object value) {
    return frame -> {
      frame.charge(1);
      return value;
    };
  }

  private Node constant(CelExpr expr) throws ExpressionException {
    CelConstant constant = expr.constant();
    return switch (constant.getKind()) {
      case BOOLEAN_VALUE -> value(constant.booleanValue());
      case INT64_VALUE -> value(constant.int64Value());
      case DOUBLE_VALUE -> value(constant.doubleValue());
      case STRING_VALUE -> value(constant.stringValue());
      default -> throw refused(expr, "null, bytes and unsigned numbers are not available here", "");
    };
  }

  private Node list(CelExpr expr) throws ExpressionException {
    List<Node> parts = new ArrayList<>();
    for (CelExpr element : expr.list().elements()) {
      parts.add(node(element));
    }
    Node[] elements = parts.toArray(new Node[0]);
    return frame -> {
      frame.charge(1);
      List<Object> values = new ArrayList<>(elements.length);
      for (Node element : elements) {
        values.add(element.value(frame));
      }
      return values;
    };
  }

  // --- variables --------------------------------------------------------------------------------

  private Node named(CelExpr expr, String name) throws ExpressionException {
    Variable variable = variable(expr);
    if (variable != null) {
      uses.add(new VariableUse(variable, null));
      return of(variable);
    }
    Integer slot = locals.get(name);
    if (slot == null) {
      throw refused(expr, "\"" + Printable.shown(name) + "\" is no value", "");
    }
    return Logic.local(slot);
  }

  private static Node of(Variable variable) {
    if (variable.type() == Variable.Type.TEXTS) {
      return value(variable);
    }
    return frame -> {
      frame.charge(2);
      return frame.value(variable);
    };
  }

  /** The variable that a name or a path of names stands for; names of macros hide it. */
  private @Nullable Variable variable(CelExpr expr) {
    return switch (expr.exprKind().getKind()) {
      case IDENT -> locals.containsKey(expr.ident().name()) ? null : referenced(expr);
      case SELECT -> referenced(expr);
      default -> null;
    };
  }

  private @Nullable Variable referenced(CelExpr expr) {
    return ast.getReference(expr.id())
        .map(CelReference::name)
        .map(name -> Variable.named(name, subject))
        .orElse(null);
  }

  private @Nullable Variable map(CelExpr expr) {
    Variable variable = variable(expr);
    return variable != null && variable.type() == Variable.Type.TEXTS ? variable : null;
  }

  private Node select(CelExpr expr, CelSelect select) throws ExpressionException {
    if (variable(expr) != null) {
      return named(expr, "");
    }
    Node name = value(select.field());
    Node map = mapAt(select.operand(), expr, select.field());
    return select.testOnly() ? has(map, name) : at(map, name);
  }

  /** A map of which one name is asked for. */
  private Node mapAt(CelExpr operand, CelExpr place, @Nullable String name)
      throws ExpressionException {
    Variable map = map(operand);
    if (map == null || name == null) {
      return node(operand);
    }
    if (map.hasFieldNames()) {
      String lower = name.toLowerCase(Locale.ROOT);
      if (!name.equals(lower)) {
        throw refused(
            place,
            map + " has names in lower case, so there is never a " + Printable.shown(name),
            "write " + Printable.shown(lower));
      }
      if (map == Variable.HEADERS && name.equals("host")) {
        throw refused(place, "HTTP/2 requests have no Host field", "use " + Variable.HOST);
      }
    }
    uses.add(new VariableUse(map, name));
    return of(map);
  }

  private static Node has(Node map, Node name) {
    return frame -> {
      frame.charge(1);
      Object in = map.value(frame);
      if (in instanceof Variable variable) {
        return frame.entry(variable, Operators.text(name.value(frame))) != null;
      }
      throw EvaluationException.of("not a map");
    };
  }

  private static Node at(Node value, Node index) {
    return frame -> {
      frame.charge(1);
      return Operators.at(frame, value.value(frame), index.value(frame));
    };
  }

  private static @Nullable String literal(CelExpr expr) {
    return expr.exprKind().getKind() == CelExpr.ExprKind.Kind.CONSTANT
            && expr.constant().getKind() == CelConstant.Kind.STRING_VALUE
        ? expr.constant().stringValue()
        : null;
  }

  // --- calls ------------------------------------------------------------------------------------

  private Node call(CelExpr expr, CelCall call) throws ExpressionException {
    List<CelExpr> args = new ArrayList<>();
    call.target().ifPresent(args::add);
    args.addAll(call.args());
    String function = call.function();
    return switch (function) {
      case "_&&_" -> Logic.and(node(args.get(0)), node(args.get(1)));
      case "_||_" -> Logic.or(node(args.get(0)), node(args.get(1)));
      case "_?_:_" -> Logic.choice(node(args.get(0)), node(args.get(1)), node(args.get(2)));
      case "@not_strictly_false", "__not_strictly_false__" ->
          Logic.notStrictlyFalse(node(args.get(0)));
      case "!_" -> unary(args, (frame, value) -> !Operators.bool(value));
      case "-_" -> unary(args, (frame, value) -> Operators.negated(value));
      case "_==_", "_!=_" -> equality(expr, args, function.equals("_==_"));
      case "_<_", "_<=_", "_>_", "_>=_" -> comparison(args, function.replace("_", ""));
      case "_+_", "_-_", "_*_", "_/_", "_%_" -> arithmetic(args, function.replace("_", ""));
      case "_[_]" -> at(mapAt(args.get(0), args.get(1), literal(args.get(1))), node(args.get(1)));
      case "@in", "_in_", "in" -> in(args);
      case "get" -> get(args);
      case "size" -> unary(args, Operators::size);
      case "contains" -> texts(args, Operators::contains);
      case "startsWith" -> texts(args, Operators::startsWith);
      case "endsWith" -> texts(args, Operators::endsWith);
      case "lowerAscii" ->
          unary(args, (frame, value) -> Operators.lowerAscii(frame, Operators.text(value)));
      case "matches" -> matches(args);
      case "int" -> unary(args, Operators::integer);
      case "double" -> unary(args, Operators::floating);
      case "string" -> string(expr, args);
      case "timestamp" -> timestamp(expr, args);
      case "duration" -> duration(expr, args);
      case "getFullYear",
          "getMonth",
          "getDayOfYear",
          "getDayOfMonth",
          "getDate",
          "getDayOfWeek",
          "getHours",
          "getMinutes",
          "getSeconds",
          "getMilliseconds" ->
          part(args, function);
      default ->
          throw refused(expr, "\"" + Printable.shown(function) + "\" is not available here", "");
    };
  }

  private Node unary(List<CelExpr> args, BiFunction<Frame, Object, Object> apply)
      throws ExpressionException {
    Node node = node(args.get(0));
    return frame -> {
      frame.charge(1);
      return apply.apply(frame, node.value(frame));
    };
  }

  private interface TextTest {
    boolean test(Frame frame, String text, String part);
  }

  private Node texts(List<CelExpr> args, TextTest test) throws ExpressionException {
    Node text = node(args.get(0));
    Node part = node(args.get(1));
    return frame -> {
      frame.charge(1);
      return test.test(frame, Operators.text(text.value(frame)), Operators.text(part.value(frame)));
    };
  }

  private Node equality(CelExpr expr, List<CelExpr> args, boolean wanted)
      throws ExpressionException {
    for (CelExpr arg : args) {
      CelType type = ast.getType(arg.id()).orElse(null);
      if (type instanceof MapType) {
        throw refused(expr, "maps cannot be compared", "compare values of them");
      }
    }
    Node left = node(args.get(0));
    Node right = node(args.get(1));
    return frame -> {
      frame.charge(1);
      return Operators.equal(frame, left.value(frame), right.value(frame)) == wanted;
    };
  }

  private Node comparison(List<CelExpr> args, String operator) throws ExpressionException {
    Node left = node(args.get(0));
    Node right = node(args.get(1));
    return frame -> {
      frame.charge(1);
      int order = Operators.compare(frame, operator, left.value(frame), right.value(frame));
      return order != Integer.MIN_VALUE
          && switch (operator) {
            case "<" -> order < 0;
            case "<=" -> order <= 0;
            case ">" -> order > 0;
            default -> order >= 0;
          };
    };
  }

  private Node arithmetic(List<CelExpr> args, String operator) throws ExpressionException {
    Node left = node(args.get(0));
    Node right = node(args.get(1));
    return frame -> {
      frame.charge(1);
      return Operators.arithmetic(frame, operator, left.value(frame), right.value(frame));
    };
  }

  private Node in(List<CelExpr> args) throws ExpressionException {
    CelExpr of = args.get(1);
    Node value = node(args.get(0));
    Node range = mapAt(of, args.get(0), literal(args.get(0)));
    return frame -> {
      frame.charge(1);
      Object wanted = value.value(frame);
      return switch (range.value(frame)) {
        case Variable variable -> frame.entry(variable, Operators.text(wanted)) != null;
        case List<?> list -> Operators.isIn(frame, wanted, list);
        default -> throw EvaluationException.of("in: neither a list nor a map");
      };
    };
  }

  private Node get(List<CelExpr> args) throws ExpressionException {
    Node map = mapAt(args.get(0), args.get(1), literal(args.get(1)));
    Node name = node(args.get(1));
    return frame -> {
      frame.charge(1);
      if (map.value(frame) instanceof Variable variable) {
        String value = frame.entry(variable, Operators.text(name.value(frame)));
        return value == null ? "" : value;
      }
      throw EvaluationException.of("not a map");
    };
  }

  private Node matches(List<CelExpr> args) throws ExpressionException {
    Node node = node(args.get(0));
    String pattern = literal(args.get(1));
    if (pattern == null) {
      throw refused(args.get(1), "a regular expression must be a literal", "write it in quotes");
    }
    LinearRegex regex;
    try {
      regex = LinearRegex.of(pattern);
    } catch (IllegalArgumentException e) {
      throw refused(args.get(1), Printable.shown(String.valueOf(e.getMessage()), 200), "");
    }
    int size = regex.programSize();
    return frame -> {
      frame.charge(8);
      String value = Operators.text(node.value(frame));
      if (!value.startsWith(regex.literalPrefix())) {
        return false;
      }
      frame.charge(((long) value.length() * size) >> 2);
      return regex.isFoundIn(value);
    };
  }

  private Node string(CelExpr expr, List<CelExpr> args) throws ExpressionException {
    List<String> known = List.of("string_to_string", "int64_to_string", "bool_to_string");
    boolean isKnown =
        ast.getReference(expr.id()).stream()
            .flatMap(reference -> reference.overloadIds().stream())
            .anyMatch(known::contains);
    if (!isKnown) {
      throw refused(expr, "string() takes a text, an int or a bool here", "");
    }
    return unary(args, Operators::string);
  }

  private Node timestamp(CelExpr expr, List<CelExpr> args) throws ExpressionException {
    try {
      return value(Instant.parse(literalOf(expr, args)));
    } catch (DateTimeParseException e) {
      throw refused(
          args.get(0), "not a time", "write one such as timestamp(\"2026-01-31T08:30:00Z\")");
    }
  }

  private Node duration(CelExpr expr, List<CelExpr> args) throws ExpressionException {
    String given = literalOf(expr, args);
    Matcher parts = DURATION.matcher(given);
    if (given.isEmpty() || !parts.matches()) {
      throw refused(args.get(0), "not a duration", "write one such as duration(\"1h30m\")");
    }
    Duration sum =
        Duration.ofHours(amount(parts.group(1), 1))
            .plusMinutes(amount(parts.group(2), 1))
            .plusSeconds(amount(parts.group(3), 1))
            .plusMillis(amount(parts.group(4), 2));
    return value(sum);
  }

  private static long amount(@Nullable String part, int unit) {
    return part == null ? 0 : Long.parseLong(part.substring(0, part.length() - unit));
  }

  private String literalOf(CelExpr expr, List<CelExpr> args) throws ExpressionException {
    String given = literal(args.get(0));
    if (given == null) {
      throw refused(expr, "the value must be a literal here", "write it in quotes");
    }
    return given;
  }

  private Node part(List<CelExpr> args, String function) throws ExpressionException {
    Node time = node(args.get(0));
    ZoneId zone = args.size() == 1 ? ZoneOffset.UTC : zone(args.get(1));
    return frame -> {
      frame.charge(1);
      return Operators.part(frame, function, time.value(frame), zone);
    };
  }

  private ZoneId zone(CelExpr expr) throws ExpressionException {
    String name = literal(expr);
    if (name != null) {
      try {
        return ZoneId.of(name);
      } catch (DateTimeException e) {
        // Said below.
      }
    }
    throw refused(expr, "not a time zone", "write a name such as \"Europe/Berlin\"");
  }

  // --- macros -----------------------------------------------------------------------------------

  private Node fold(CelComprehension loop) throws ExpressionException {
    Node range = node(loop.iterRange());
    Node first = node(loop.accuInit());
    int element = slots++;
    int soFar = slots++;
    Integer hiddenElement = locals.put(loop.iterVar(), element);
    Integer hiddenResult = locals.put(loop.accuVar(), soFar);
    Node goesOn = node(loop.loopCondition());
    Node step = node(loop.loopStep());
    restore(loop.iterVar(), hiddenElement);
    Node result = node(loop.result());
    restore(loop.accuVar(), hiddenResult);
    return Logic.fold(range, first, goesOn, step, result, element, soFar);
  }

  private void restore(String name, @Nullable Integer slot) {
    if (slot == null) {
      locals.remove(name);
    } else {
      locals.put(name, slot);
    }
  }

  // --- places -----------------------------------------------------------------------------------

  private ExpressionException refused(CelExpr expr, String message, String right) {
    Integer offset = ast.getSource().getPositionsMap().get(expr.id());
    int line = 0;
    int column = 0;
    int[] points = text.codePoints().limit(offset == null ? 0 : offset).toArray();
    for (int point : points) {
      if (point == '\n') {
        line++;
        column = 0;
      } else {
        column++;
      }
    }
    return new ExpressionException(List.of(new Problem(line, column, message, right)));
  }
}
