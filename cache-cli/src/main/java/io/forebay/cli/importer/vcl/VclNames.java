package io.forebay.cli.importer.vcl;

import io.forebay.cli.importer.model.UntranslatableException;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Variables, times and sizes of VCL. */
final class VclNames {
  private static final Pattern FIELD =
      Pattern.compile(
          "(req|bereq|beresp|resp|obj)\\.http\\.([A-Za-z0-9_.-]+)", Pattern.CASE_INSENSITIVE);

  private static final Pattern AMOUNT =
      Pattern.compile("(\\d{1,12})(?:\\.(\\d{1,3})\\d*)?(ms|s|m|h|d|w|y)?");

  private VclNames() {}

  /** The name of the field that a variable stands for, or an empty text. */
  static String field(String variable) {
    Matcher matcher = FIELD.matcher(variable);
    return matcher.matches() ? matcher.group(2) : "";
  }

  static boolean isRequestField(String variable) {
    return variable.toLowerCase(Locale.ROOT).matches("(req|bereq)\\.http\\.[a-z0-9_.-]+");
  }

  static boolean isResponseField(String variable) {
    return variable.toLowerCase(Locale.ROOT).matches("(beresp|resp|obj)\\.http\\.[a-z0-9_.-]+");
  }

  /** Milliseconds of a time, or -1. */
  static long millis(VclExpression expression) {
    if (expression
        instanceof VclExpression.Binary(String operator, VclExpression left, VclExpression right)) {
      // 60 * 1s
      boolean isProduct =
          operator.equals("*")
              && left instanceof VclExpression.Amount(String times)
              && times.matches("\\d{1,6}");
      return isProduct ? Long.parseLong(((VclExpression.Amount) left).value()) * millis(right) : -1;
    }
    if (!(expression instanceof VclExpression.Amount(String text))) {
      return -1;
    }
    Matcher matcher = AMOUNT.matcher(text);
    if (!matcher.matches()) {
      return -1;
    }
    long unit =
        switch (matcher.group(3)) {
          case "ms" -> 1;
          case "m" -> 60_000;
          case "h" -> 3_600_000;
          case "d" -> 86_400_000;
          case "w" -> 7 * 86_400_000L;
          case "y" -> 365 * 86_400_000L;
          case null, default -> 1000;
        };
    String fraction = matcher.group(2) == null ? "" : matcher.group(2);
    long thousandths = fraction.isEmpty() ? 0 : Long.parseLong((fraction + "00").substring(0, 3));
    return Math.min(
        3650L * 86_400_000L, Long.parseLong(matcher.group(1)) * unit + thousandths * unit / 1000);
  }

  /** A time of the configuration. */
  static String duration(VclExpression expression) throws UntranslatableException {
    long millis = millis(expression);
    if (millis < 0) {
      throw new UntranslatableException("a time that is not fixed");
    }
    if (millis % 1000 != 0) {
      return millis + "ms";
    }
    long seconds = millis / 1000;
    if (seconds == 0) {
      return "0s";
    }
    return seconds % 86_400 == 0
        ? seconds / 86_400 + "d"
        : seconds % 3600 == 0
            ? seconds / 3600 + "h"
            : seconds % 60 == 0 ? seconds / 60 + "m" : seconds + "s";
  }

  /** A text that is the same for every request. */
  static String constant(VclExpression expression) throws UntranslatableException {
    return switch (expression) {
      case VclExpression.Text(String text) -> text;
      case VclExpression.Amount(String number) -> number;
      case VclExpression.Binary(String operator, VclExpression left, VclExpression right)
          when operator.equals("+") ->
          constant(left) + constant(right);
      case VclExpression.Call(String name, List<VclExpression> arguments)
          when arguments.size() == 1 && (name.equals("synthetic") || name.equals("std.tolower")) ->
          name.equals("std.tolower")
              ? constant(arguments.getFirst()).toLowerCase(Locale.ROOT)
              : constant(arguments.getFirst());
      default -> throw new UntranslatableException("a text that is not fixed");
    };
  }

  static boolean isConstant(VclExpression expression) {
    try {
      constant(expression);
      return true;
    } catch (UntranslatableException e) {
      return false;
    }
  }
}
