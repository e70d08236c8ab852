package io.forebay.server.esi;

import java.math.BigDecimal;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The {@code test} of {@code <esi:when>}: an expression of ESI 1.0 (§5), read strictly.
 *
 * <pre>
 *   either   = both *( "|" both )
 *   both     = term *( "&amp;" term )
 *   term     = "!" term / "(" either ")" / operand compared operand / variable
 *   compared = "==" / "!=" / "&lt;" / "&gt;" / "&lt;=" / "&gt;="
 *   operand  = variable / "'" text "'" / number
 *   variable = "$(" NAME [ "{" key "}" ] [ "|" default ] ")"
 *   number   = [ "-" ] 1*15DIGIT [ "." 1*15DIGIT ]
 * </pre>
 *
 * <p>Two numbers are compared as numbers, everything else as text; a value that reads as a number
 * is one, quoted text is not. A comparison with an empty operand is false. A variable by itself is
 * true unless it is empty or {@code false}.
 *
 * <p>Values are read when the expression is evaluated, from what was parsed before: none is parsed.
 */
sealed interface EsiExpression {

  int MAX_LENGTH = 1024;
  int MAX_OPERANDS = 32;

  /** Parentheses and negations within each other. */
  int MAX_DEPTH = 8;

  boolean holds(Variables variables);

  /**
   * Reads an expression.
   *
   * @param text with its entities decoded
   * @return null where it is malformed or beyond a bound
   */
  static @Nullable EsiExpression of(String text) {
    return text.length() > MAX_LENGTH ? null : new Reader(text).whole();
  }

  /** {@code left | right}. */
  record Either(EsiExpression left, EsiExpression right) implements EsiExpression {
    @Override
    public boolean holds(Variables variables) {
      return left.holds(variables) || right.holds(variables);
    }
  }

  /** {@code left & right}. */
  record Both(EsiExpression left, EsiExpression right) implements EsiExpression {
    @Override
    public boolean holds(Variables variables) {
      return left.holds(variables) && right.holds(variables);
    }
  }

  /** {@code !negated}. */
  record Not(EsiExpression negated) implements EsiExpression {
    @Override
    public boolean holds(Variables variables) {
      return !negated.holds(variables);
    }
  }

  /** A variable by itself. */
  record Present(Variable variable) implements EsiExpression {
    @Override
    public boolean holds(Variables variables) {
      String value = variable.value(variables);
      return !value.isEmpty() && !value.equals("false");
    }
  }

  /** {@code left == right} and the like. */
  record Comparison(Operand left, Operator operator, Operand right) implements EsiExpression {
    @Override
    public boolean holds(Variables variables) {
      String first = left.value(variables);
      String second = right.value(variables);
      if (first.isEmpty() || second.isEmpty()) {
        return false;
      }
      boolean areNumbers = left.isNumber(first) && right.isNumber(second);
      return operator.holds(
          areNumbers
              ? new BigDecimal(first).compareTo(new BigDecimal(second))
              : first.compareTo(second));
    }
  }

  /** Signs of comparisons; those that begin as another one come first. */
  enum Operator {
    EQUAL("=="),
    NOT_EQUAL("!="),
    AT_MOST("<="),
    AT_LEAST(">="),
    LESS("<"),
    GREATER(">");

    private final String sign;

    Operator(String sign) {
      this.sign = sign;
    }

    boolean holds(int order) {
      return switch (this) {
        case EQUAL -> order == 0;
        case NOT_EQUAL -> order != 0;
        case AT_MOST -> order <= 0;
        case AT_LEAST -> order >= 0;
        case LESS -> order < 0;
        case GREATER -> order > 0;
      };
    }
  }

  /** What is compared. */
  sealed interface Operand {
    Pattern NUMBER = Pattern.compile("-?[0-9]{1,15}(?:[.][0-9]{1,15})?");

    String value(Variables variables);

    /** Whether its value is a number. */
    boolean isNumber(String value);
  }

  /**
   * A variable of the request.
   *
   * @param expression what stands between its parentheses
   */
  record Variable(String expression) implements Operand {
    @Override
    public String value(Variables variables) {
      return variables.value(expression, Variables.Into.TEST);
    }

    @Override
    public boolean isNumber(String value) {
      return NUMBER.matcher(value).matches();
    }
  }

  /** Text, which stands between quotes, or a number. */
  record Literal(String text, boolean isQuoted) implements Operand {
    @Override
    public String value(Variables variables) {
      return text;
    }

    @Override
    public boolean isNumber(String value) {
      return !isQuoted;
    }
  }

  /** Reads one expression; null stands for what is malformed. */
  final class Reader {
    private static final Pattern VARIABLE =
        Pattern.compile("[A-Z_]{1,64}(?:[{][^{}|']{1,256}[}])?(?:[|](?:'[^']*'|[^ '|]*))?");

    private final String text;
    private int at;
    private int operands;
    private int depth;

    private Reader(String text) {
      this.text = text;
    }

    private @Nullable EsiExpression whole() {
      EsiExpression read = either();
      skipBlanks();
      return at == text.length() ? read : null;
    }

    private @Nullable EsiExpression either() {
      EsiExpression left = both();
      while (left != null && takes("|")) {
        EsiExpression right = both();
        left = right == null ? null : new Either(left, right);
      }
      return left;
    }

    private @Nullable EsiExpression both() {
      EsiExpression left = term();
      while (left != null && takes("&")) {
        EsiExpression right = term();
        left = right == null ? null : new Both(left, right);
      }
      return left;
    }

    private @Nullable EsiExpression term() {
      if (depth > MAX_DEPTH) {
        return null;
      }
      if (takes("!")) {
        depth++;
        EsiExpression negated = term();
        depth--;
        return negated == null ? null : new Not(negated);
      }
      if (takes("(")) {
        depth++;
        EsiExpression inner = either();
        depth--;
        return takes(")") ? inner : null;
      }
      return comparison();
    }

    private @Nullable EsiExpression comparison() {
      Operand left = operand();
      if (left == null) {
        return null;
      }
      for (Operator operator : Operator.values()) {
        if (takes(operator.sign)) {
          Operand right = operand();
          return right == null ? null : new Comparison(left, operator, right);
        }
      }
      return left instanceof Variable alone ? new Present(alone) : null;
    }

    private @Nullable Operand operand() {
      if (++operands > MAX_OPERANDS) {
        return null;
      }
      if (takes("$(")) {
        int end = Variables.end(text, at);
        String variable = end < 0 ? "" : text.substring(at, end);
        at = end + 1;
        return VARIABLE.matcher(variable).matches() ? new Variable(variable) : null;
      }
      if (takes("'")) {
        int end = text.indexOf('\'', at);
        String literal = end < 0 ? null : text.substring(at, end);
        at = end + 1;
        return literal == null ? null : new Literal(literal, true);
      }
      var number = Operand.NUMBER.matcher(text).region(at, text.length());
      if (!number.lookingAt()) {
        return null;
      }
      at = number.end();
      return new Literal(number.group(), false);
    }

    /** Whether that comes next, behind blanks; goes on behind it. */
    private boolean takes(String token) {
      skipBlanks();
      boolean isNext = text.startsWith(token, at);
      if (isNext) {
        at += token.length();
      }
      return isNext;
    }

    private void skipBlanks() {
      while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
        at++;
      }
    }
  }
}
