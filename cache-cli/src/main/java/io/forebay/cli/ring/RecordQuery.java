package io.forebay.cli.ring;

import io.forebay.cli.console.CommandException;
import io.forebay.cli.console.ExitCode;
import io.forebay.server.ring.RingRecord;
import io.forebay.server.ring.RingText;
import io.forebay.server.rule.expression.EvaluationException;
import io.forebay.server.rule.expression.Expression;
import io.forebay.server.rule.expression.ExpressionCompiler;
import io.forebay.server.rule.expression.ExpressionException;
import io.forebay.server.rule.expression.ExpressionInputs;
import io.forebay.server.rule.expression.StepBudget;
import io.forebay.server.rule.expression.Variable;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.function.BiConsumer;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Which records are taken: a condition in CEL, as rules have them. In addition {@code and}, {@code
 * or} and {@code not} stand for {@code &&}, {@code ||} and {@code !}, and a number with a unit for
 * a duration or a number of bytes.
 */
final class RecordQuery {
  /** A literal, which stays as it is; a word; or a number with a unit. */
  private static final Pattern PART =
      Pattern.compile(
          "\"(?:[^\"\\\\]|\\\\.)*\"|'(?:[^'\\\\]|\\\\.)*'"
              + "|(?<number>(?<![\\w.])\\d{1,15})(?<unit>ms|s|m|h|KiB|MiB|GiB|kB|MB|GB)(?!\\w)"
              + "|(?<![\\w.])(?<word>and|or|not)(?!\\w)");

  private final @Nullable Expression expression;
  private final StepBudget budget = new StepBudget();

  private RecordQuery(@Nullable Expression expression) {
    this.expression = expression;
  }

  static RecordQuery of(@Nullable String text) {
    if (text == null) {
      return new RecordQuery(null);
    }
    String cel = cel(text);
    try {
      return new RecordQuery(ExpressionCompiler.compile(cel, Variable.Subject.RECORD));
    } catch (ExpressionException e) {
      throw new CommandException(
          ExitCode.USAGE,
          e.problems().stream()
              .map(problem ->
                  "query: "
                      + problem.message()
                      + (problem.right().isEmpty() ? "" : " (" + problem.right() + ")")
                      + " at column "
                      + (problem.column() + 1)
                      + " of: "
                      + cel)
              .collect(Collectors.joining("\n")),
          e);
    }
  }

  /** The query in CEL alone. */
  static String cel(String text) {
    return PART.matcher(text).replaceAll(part -> Matcher.quoteReplacement(replaced(part)));
  }

  private static String replaced(MatchResult part) {
    String word = part.group("word");
    if (word != null) {
      return switch (word) {
        case "and" -> "&&";
        case "or" -> "||";
        default -> "!";
      };
    }
    String number = part.group("number");
    if (number == null) {
      return part.group();
    }
    return switch (part.group("unit")) {
      case "KiB" -> bytes(number, 1L << 10);
      case "MiB" -> bytes(number, 1L << 20);
      case "GiB" -> bytes(number, 1L << 30);
      case "kB" -> bytes(number, 1_000);
      case "MB" -> bytes(number, 1_000_000);
      case "GB" -> bytes(number, 1_000_000_000);
      default -> "duration(\"" + part.group() + "\")";
    };
  }

  private static String bytes(String number, long unit) {
    try {
      return Long.toString(Math.multiplyExact(Long.parseLong(number), unit));
    } catch (ArithmeticException e) {
      return Long.toString(Long.MAX_VALUE);
    }
  }

  /** Whether the record is taken; one for which the condition has no value is not. */
  boolean holds(RingRecord record) {
    if (expression == null) {
      return true;
    }
    budget.renew();
    try {
      return expression.holds(new Inputs(record), budget);
    } catch (EvaluationException noValue) {
      return false;
    }
  }

  /** A record as expressions see it: a text that is absent is empty, a time below 0. */
  private record Inputs(RingRecord record) implements ExpressionInputs {

    @Override
    public Object value(Variable variable) {
      return switch (variable) {
        case RECORD_TIME -> Instant.ofEpochMilli(record.startMillis());
        case RECORD_STATUS -> (long) record.status();
        case RECORD_BYTES -> record.bytes();
        case RECORD_FIRST_BYTE -> Duration.ofNanos(record.firstByteNanos());
        case RECORD_LAST_BYTE -> Duration.ofNanos(record.durationNanos());
        case RECORD_FETCH -> Duration.ofNanos(record.fetchNanos());
        case RECORD_URL -> record.url();
        case RECORD_CACHE -> record.cacheName();
        default ->
            record.textOrEmpty(
                RingText.valueOf(
                    variable.name().substring("RECORD_".length()).toUpperCase(Locale.ROOT)));
      };
    }

    @Override
    public @Nullable String field(Variable variable, String lowerCaseName) {
      throw new IllegalStateException(variable.toString());
    }

    @Override
    public void forEach(Variable variable, BiConsumer<String, String> visitor) {
      throw new IllegalStateException(variable.toString());
    }
  }
}
