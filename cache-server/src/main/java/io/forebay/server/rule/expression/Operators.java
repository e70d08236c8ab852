package io.forebay.server.rule.expression;

import java.time.DateTimeException;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The operators and functions of CEL on values. What takes long for long texts takes steps. */
final class Operators {
  private static final double TWO_TO_63 = 0x1p63;

  private Operators() {}

  /** Steps for going through some characters. */
  static int steps(int characters) {
    return 1 + (characters >> 4);
  }

  static boolean bool(Object value) {
    if (value instanceof Boolean bool) {
      return bool;
    }
    throw noOverload("a condition", value);
  }

  static String text(Object value) {
    if (value instanceof String text) {
      return text;
    }
    throw noOverload("a text", value);
  }

  private static EvaluationException noOverload(String wanted, Object value) {
    return EvaluationException.of(wanted + " is needed, not " + typeOf(value));
  }

  private static EvaluationException noOverload(String operator, Object left, Object right) {
    return EvaluationException.of(
        operator + " does not apply to " + typeOf(left) + " and " + typeOf(right));
  }

  private static String typeOf(Object value) {
    return switch (value) {
      case Boolean _ -> "bool";
      case Long _ -> "int";
      case Double _ -> "double";
      case String _ -> "string";
      case Instant _ -> "timestamp";
      case Duration _ -> "duration";
      case List<?> _ -> "list";
      default -> "map";
    };
  }

  // --- comparison -------------------------------------------------------------------------------

  static boolean equal(Frame frame, Object left, Object right) {
    if (left instanceof String one && right instanceof String other) {
      frame.charge(steps(Math.min(one.length(), other.length())));
      return one.equals(other);
    }
    if (left instanceof List<?> one && right instanceof List<?> other) {
      if (one.size() != other.size()) {
        return false;
      }
      for (int i = 0; i < one.size(); i++) {
        frame.charge(1);
        if (!equal(frame, one.get(i), other.get(i))) {
          return false;
        }
      }
      return true;
    }
    if (left instanceof Double || right instanceof Double) {
      return left instanceof Number && right instanceof Number && order(left, right) == 0;
    }
    if (left instanceof Variable || right instanceof Variable) {
      throw EvaluationException.of("maps cannot be compared");
    }
    return left.equals(right);
  }

  static boolean isIn(Frame frame, Object value, List<?> list) {
    for (Object one : list) {
      frame.charge(1);
      if (equal(frame, value, one)) {
        return true;
      }
    }
    return false;
  }

  /** Below 0, 0 or above; {@link Integer#MIN_VALUE} where neither holds, as for NaN. */
  static int compare(Frame frame, String operator, Object left, Object right) {
    if (left instanceof String one && right instanceof String other) {
      frame.charge(steps(Math.min(one.length(), other.length())));
      return Integer.signum(one.compareTo(other));
    }
    if (left instanceof Number && right instanceof Number) {
      return order(left, right);
    }
    if (left instanceof Boolean one && right instanceof Boolean other) {
      return Boolean.compare(one, other);
    }
    if (left instanceof Instant one && right instanceof Instant other) {
      return Integer.signum(one.compareTo(other));
    }
    if (left instanceof Duration one && right instanceof Duration other) {
      return Integer.signum(one.compareTo(other));
    }
    throw noOverload(operator, left, right);
  }

  private static int order(Object left, Object right) {
    if (left instanceof Long one && right instanceof Long other) {
      return Long.compare(one, other);
    }
    double one = ((Number) left).doubleValue();
    double other = ((Number) right).doubleValue();
    if (Double.isNaN(one) || Double.isNaN(other)) {
      return Integer.MIN_VALUE;
    }
    if (left instanceof Long exact && Math.abs(other) < TWO_TO_63) {
      return orderExactly(exact, other);
    }
    if (right instanceof Long exact && Math.abs(one) < TWO_TO_63) {
      return -orderExactly(exact, one);
    }
    return one < other ? -1 : one > other ? 1 : 0;
  }

  private static int orderExactly(long one, double other) {
    long whole = (long) other;
    return one != whole ? Long.compare(one, whole) : other > whole ? -1 : other < whole ? 1 : 0;
  }

  // --- arithmetic -------------------------------------------------------------------------------

  static Object arithmetic(Frame frame, String operator, Object left, Object right) {
    try {
      if (left instanceof Long one && right instanceof Long other) {
        return ofIntegers(operator, one, other);
      }
      if (left instanceof Double one && right instanceof Double other && !operator.equals("%")) {
        return switch (operator) {
          case "+" -> one + other;
          case "-" -> one - other;
          case "*" -> one * other;
          default -> one / other;
        };
      }
      return switch (operator) {
        case "+" -> sum(frame, left, right);
        case "-" -> difference(left, right);
        default -> throw noOverload(operator, left, right);
      };
    } catch (ArithmeticException | DateTimeException e) {
      throw EvaluationException.of(operator + ": the result is out of range");
    }
  }

  private static Long ofIntegers(String operator, long left, long right) {
    if (right == 0 && (operator.equals("/") || operator.equals("%"))) {
      throw EvaluationException.of("division by zero");
    }
    return switch (operator) {
      case "+" -> Math.addExact(left, right);
      case "-" -> Math.subtractExact(left, right);
      case "*" -> Math.multiplyExact(left, right);
      case "/" -> Math.divideExact(left, right);
      default -> {
        if (left == Long.MIN_VALUE && right == -1) {
          throw new ArithmeticException();
        }
        yield left % right;
      }
    };
  }

  private static Object sum(Frame frame, Object left, Object right) {
    if (left instanceof String one && right instanceof String other) {
      frame.charge(steps(one.length() + other.length()));
      return one + other;
    }
    if (left instanceof List<?> one && right instanceof List<?> other) {
      frame.charge(1 + (one.size() + other.size()) / 4);
      List<Object> both = new ArrayList<>(one.size() + other.size());
      both.addAll(one);
      both.addAll(other);
      return both;
    }
    if (left instanceof Instant instant && right instanceof Duration duration) {
      return instant.plus(duration);
    }
    if (left instanceof Duration duration && right instanceof Instant instant) {
      return instant.plus(duration);
    }
    if (left instanceof Duration one && right instanceof Duration other) {
      return one.plus(other);
    }
    throw noOverload("+", left, right);
  }

  private static Object difference(Object left, Object right) {
    if (left instanceof Instant instant && right instanceof Duration duration) {
      return instant.minus(duration);
    }
    if (left instanceof Instant one && right instanceof Instant other) {
      return Duration.between(other, one);
    }
    if (left instanceof Duration one && right instanceof Duration other) {
      return one.minus(other);
    }
    throw noOverload("-", left, right);
  }

  static Object negated(Object value) {
    return switch (value) {
      case Long number when number != Long.MIN_VALUE -> -number;
      case Long _ -> throw EvaluationException.of("-: the result is out of range");
      case Double number -> -number;
      default -> throw noOverload("a number", value);
    };
  }

  // --- texts and lists --------------------------------------------------------------------------

  static Long size(Frame frame, Object value) {
    return switch (value) {
      case String text -> {
        frame.charge(steps(text.length()));
        yield (long) text.codePointCount(0, text.length());
      }
      case List<?> list -> (long) list.size();
      case Variable variable -> (long) frame.map(variable).size();
      default -> throw noOverload("a text, list or map", value);
    };
  }

  /** A search takes the product of both lengths at worst. */
  static boolean contains(Frame frame, String text, String part) {
    long places = Math.max(0, text.length() - part.length()) + 1L;
    frame.charge(steps(text.length()) + ((places * part.length()) >> 5));
    return text.contains(part);
  }

  static boolean startsWith(Frame frame, String text, String part) {
    frame.charge(steps(part.length()));
    return text.startsWith(part);
  }

  static boolean endsWith(Frame frame, String text, String part) {
    frame.charge(steps(part.length()));
    return text.endsWith(part);
  }

  static String lowerAscii(Frame frame, String text) {
    frame.charge(4L * steps(text.length()));
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) >= 0x80) {
        return lowerAsciiOnly(text);
      }
    }
    return text.toLowerCase(Locale.ROOT);
  }

  private static String lowerAsciiOnly(String text) {
    char[] lower = text.toCharArray();
    for (int i = 0; i < lower.length; i++) {
      if (lower[i] >= 'A' && lower[i] <= 'Z') {
        lower[i] = (char) (lower[i] + ('a' - 'A'));
      }
    }
    return new String(lower);
  }

  static Object at(Frame frame, Object value, Object index) {
    if (value instanceof Variable variable) {
      String name = text(index);
      String found = frame.entry(variable, name);
      if (found == null) {
        throw EvaluationException.of("there is no " + variable + " named " + name);
      }
      return found;
    }
    if (value instanceof List<?> list && index instanceof Long at) {
      if (at < 0 || at >= list.size()) {
        throw EvaluationException.of("there is no place " + at + " in a list of " + list.size());
      }
      return list.get(at.intValue());
    }
    throw noOverload("[]", value, index);
  }

  // --- conversions ------------------------------------------------------------------------------

  static Object integer(Frame frame, Object value) {
    frame.charge(2);
    return switch (value) {
      case Long number -> number;
      case Double number -> {
        if (!(number > -TWO_TO_63 && number < TWO_TO_63)) {
          throw EvaluationException.of("int: the number is out of range");
        }
        yield (long) (double) number;
      }
      case Instant time -> time.getEpochSecond();
      case String text -> {
        // The longest number there is has 20 characters.
        if (text.length() <= 20) {
          try {
            yield Long.parseLong(text);
          } catch (NumberFormatException e) {
            // Said below.
          }
        }
        throw EvaluationException.of("int: not a whole number");
      }
      default -> throw noOverload("a number or text", value);
    };
  }

  static Object floating(Frame frame, Object value) {
    frame.charge(4);
    return switch (value) {
      case Double number -> number;
      case Long number -> (double) number;
      case String text -> {
        // Parsing takes time with the square of the length.
        if (text.length() <= 32) {
          try {
            yield Double.parseDouble(text);
          } catch (NumberFormatException e) {
            // Said below.
          }
        }
        throw EvaluationException.of("double: not a number");
      }
      default -> throw noOverload("a number or text", value);
    };
  }

  static Object string(Frame frame, Object value) {
    frame.charge(2);
    return switch (value) {
      case String text -> text;
      case Long number -> Long.toString(number);
      case Boolean bool -> Boolean.toString(bool);
      default -> throw noOverload("a text, int or bool", value);
    };
  }

  // --- time -------------------------------------------------------------------------------------

  /** A part of a time, or of a duration. */
  static Long part(Frame frame, String function, Object value, ZoneId zone) {
    frame.charge(8);
    if (value instanceof Duration duration) {
      return switch (function) {
        case "getHours" -> duration.toHours();
        case "getMinutes" -> duration.toMinutes();
        case "getSeconds" -> duration.toSeconds();
        case "getMilliseconds" -> (long) duration.toMillisPart();
        default -> throw noOverload("a timestamp", value);
      };
    }
    if (!(value instanceof Instant instant)) {
      throw noOverload("a timestamp", value);
    }
    ZonedDateTime time = instant.atZone(zone);
    return (long)
        switch (function) {
          case "getFullYear" -> time.getYear();
          case "getMonth" -> time.getMonthValue() - 1;
          case "getDayOfYear" -> time.getDayOfYear() - 1;
          case "getDayOfMonth" -> time.getDayOfMonth() - 1;
          case "getDate" -> time.getDayOfMonth();
          case "getDayOfWeek" ->
              time.getDayOfWeek() == DayOfWeek.SUNDAY ? 0 : time.getDayOfWeek().getValue();
          case "getHours" -> time.getHour();
          case "getMinutes" -> time.getMinute();
          case "getSeconds" -> time.getSecond();
          case "getMilliseconds" -> time.getNano() / 1_000_000;
          default -> throw new IllegalStateException(function);
        };
  }
}
