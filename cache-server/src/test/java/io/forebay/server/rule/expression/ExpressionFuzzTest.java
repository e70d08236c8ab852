package io.forebay.server.rule.expression;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelFunctionBinding;
import dev.cel.runtime.CelRuntime;
import dev.cel.runtime.CelRuntimeFactory;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Instant;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Random expressions: the library's own runtime says the same of them, nothing breaks the compiler,
 * and no evaluation takes long. {@code -Dtest.seed=} repeats a run.
 */
@Tag("slow")
final class ExpressionFuzzTest {
  private static final long SEED = Long.getLong("test.seed", System.nanoTime());

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private static final CelRuntime LIBRARY =
      CelRuntimeFactory.legacyCelRuntimeBuilder()
          .addFunctionBindings(
              CelFunctionBinding.from(
                  "forebay_get",
                  Map.class,
                  String.class,
                  (map, name) -> map.containsKey(name) ? map.get(name) : ""),
              CelFunctionBinding.from(
                  "string_lower_ascii", String.class, text -> text.toLowerCase(Locale.ROOT)))
          .build();

  /** What one of both says: yes, no, or an error. */
  private static String library(CelAbstractSyntaxTree ast, Map<String, Object> values)
      throws CelEvaluationException {
    CelRuntime.Program program = LIBRARY.createProgram(ast);
    try {
      return String.valueOf(program.eval(values));
    } catch (CelEvaluationException e) {
      return "error";
    }
  }

  private static String own(Expression expression, MessageFake message) {
    try {
      return String.valueOf(expression.holds(message, new StepBudget()));
    } catch (EvaluationException e) {
      return e.isLimit() ? "limit" : "error";
    }
  }

  @Tag("full")
  @Test
  void theLibrarySaysTheSame() throws Exception {
    System.out.println("seed " + SEED);
    SplittableRandom random = new SplittableRandom(SEED);
    Map<String, Integer> verdicts = new HashMap<>();
    for (int i = 0; i < 4000; i++) {
      String text = bool(random, 3);
      CelAbstractSyntaxTree ast;
      Expression expression;
      try {
        ast = ExpressionCompiler.check(text, Variable.Subject.REQUEST);
        expression = ExpressionCompiler.compile(text, Variable.Subject.REQUEST);
      } catch (ExpressionException e) {
        throw new AssertionError(text + " seed " + SEED, e);
      }
      for (int j = 0; j < 4; j++) {
        MessageFake message = message(random);
        String own = own(expression, message);
        verdicts.merge(own, 1, Integer::sum);
        if (!own.equals("limit")) {
          assertEquals(library(ast, values(message)), own, text + " seed " + SEED);
        }
      }
    }
    System.out.println("verdicts " + verdicts);
    for (String verdict : new String[] {"true", "false", "error"}) {
      assertTrue(verdicts.getOrDefault(verdict, 0) > 500, verdicts::toString);
    }
    assertTrue(verdicts.getOrDefault("limit", 0) < 100, verdicts::toString);
  }

  @Test
  void whatIsNoExpressionIsRefusedInTime() {
    System.out.println("seed " + SEED);
    SplittableRandom random = new SplittableRandom(SEED);
    String letters = "ab1.\"'()[]{}?:&|!<>=+-*/%, \n\\$@\u00e4";
    long worst = 0;
    for (int i = 0; i < 3000; i++) {
      StringBuilder text = new StringBuilder(bool(random, 3));
      for (int j = random.nextInt(6); j >= 0; j--) {
        int at = random.nextInt(text.length() + 1);
        switch (random.nextInt(3)) {
          case 0 -> text.insert(at, letters.charAt(random.nextInt(letters.length())));
          case 1 -> text.delete(at, Math.min(text.length(), at + 1 + random.nextInt(4)));
          default -> text.insert(at, text.substring(at, Math.min(text.length(), at + 20)));
        }
      }
      if (i % 100 == 0) {
        int depth = 1 + random.nextInt(1000);
        text.insert(0, "(".repeat(depth)).append(")".repeat(depth));
      }
      long start = System.nanoTime();
      try {
        ExpressionCompiler.compile(text.toString(), Variable.Subject.REQUEST);
      } catch (ExpressionException e) {
        assertTrue(!e.problems().isEmpty(), () -> text + " seed " + SEED);
      }
      worst = Math.max(worst, System.nanoTime() - start);
    }
    System.out.println("longest compilation " + worst / 1_000_000 + " ms");
    assertTrue(worst < 20_000_000_000L, () -> "seed " + SEED);
  }

  /**
   * Expressions that come close to the bound, on messages that are as large as they may be. CPU
   * time, so that a busy machine does not matter.
   */
  @Tag("full")
  @Test
  void noEvaluationTakesLong() throws Exception {
    System.out.println("seed " + SEED);
    SplittableRandom random = new SplittableRandom(SEED);
    String list = "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]";
    String[] hostile = {
      list + ".all(a, " + list + ".all(b, " + list + ".all(c, a + b + c >= 0)))",
      list + ".map(a, a).map(a, a).map(a, a).map(a, a).map(a, a).map(a, a) == []",
      list + ".all(a, 'none' in request.headers || request.headers.get('x-255') == 'b')",
      list + ".all(a, !request.headers.exists(n, request.headers[n].contains('aab')))",
      list + ".all(a, !request.query.exists(n, request.query[n] == request.path))",
      "!request.cookies.exists(n, request.cookies[n] != 'a' && n.startsWith('x'))",
      list + ".all(a, request.path.contains('ab') || true)",
      list + ".all(a, !request.path.matches('(a|b|ab|ba|aab)*c'))",
      list + ".all(a, !'/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'.matches('(a|aa|aaa|aaaa)*b'))",
      "!request.headers['x-agent'].matches('(?i)(bot|crawler|spider|slurp)/[0-9]+')",
      "request.headers['x-agent'].matches('^Mozilla/5[.]0 .*Chrome/[0-9]+[.][0-9.]+ Safari')",
      list + ".all(a, !request.headers['x-1'].matches('([a-z]+)*[0-9]'))",
      list + ".all(a, request.path + request.path + request.path != '')",
      list + ".all(a, request.path.lowerAscii() != 'x')",
      list + ".all(a, request.time.getHours('Europe/Berlin') >= 0)",
      list + ".all(a, " + list + ".all(b, string(a) != string(b * 100) && int('77') > 0))",
      list + ".all(a, [a, a, a, a, a, a] == [a, a, a, a, a, a])",
      list + ".exists(a, " + list + ".exists(b, 1 / (a - a) == b))",
    };
    MessageFake message = message(random).set(Variable.PATH, "/" + "a".repeat(8000));
    message.add(
        Variable.HEADERS,
        "x-agent",
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0"
            + " Safari/537.36");
    for (int i = 0; i < 250; i++) {
      message.add(Variable.HEADERS, "x-" + i, "a".repeat(i % 60));
      message.add(Variable.QUERY, "q" + i, "a".repeat(20));
      message.add(Variable.COOKIES, "c" + i, "a");
    }
    for (int round = 0; round < 3; round++) {
      double worst = 0;
      for (String text : hostile) {
        Expression expression = ExpressionCompiler.compile(text, Variable.Subject.REQUEST);
        String verdict = own(expression, message);
        int times = 2000;
        long start = THREADS.getCurrentThreadCpuTime();
        for (int i = 0; i < times; i++) {
          own(expression, message);
        }
        double micros = (THREADS.getCurrentThreadCpuTime() - start) / 1e3 / times;
        worst = Math.max(worst, micros);
        System.out.printf(Locale.ROOT, "%8.1f us %-6s %s%n", micros, verdict, text);
      }
      System.out.printf(Locale.ROOT, "%8.1f us at most%n", worst);
      // Far above what is measured, and far below what a client would notice.
      assertTrue(worst < 2000, "" + worst);
    }
  }

  // --- messages ---------------------------------------------------------------------------------

  private static MessageFake message(SplittableRandom random) {
    MessageFake message = new MessageFake();
    for (Variable variable : Variable.of(Variable.Subject.REQUEST)) {
      switch (variable.type()) {
        case TEXT -> message.set(variable, word(random));
        case TIME -> message.set(variable, Instant.ofEpochSecond(random.nextLong(4_000_000_000L)));
        case TEXTS -> {
          for (String name : new String[] {"a", "b", "c"}) {
            if (random.nextBoolean()) {
              message.add(variable, name, word(random));
            }
          }
        }
        case NUMBER, DURATION -> throw new IllegalStateException();
      }
    }
    return message;
  }

  private static Map<String, Object> values(MessageFake message) {
    Map<String, Object> values = new HashMap<>();
    for (Variable variable : Variable.of(Variable.Subject.REQUEST)) {
      values.put(
          variable.toString(),
          variable.type() == Variable.Type.TEXTS ? message.map(variable) : message.value(variable));
    }
    return values;
  }

  private static String word(SplittableRandom random) {
    StringBuilder word = new StringBuilder();
    for (int length = random.nextInt(4); length > 0; length--) {
      word.append("abA1".charAt(random.nextInt(4)));
    }
    return word.toString();
  }

  // --- expressions ------------------------------------------------------------------------------

  private static String bool(SplittableRandom random, int depth) {
    int d = depth - 1;
    if (depth == 0) {
      return random.nextInt(4) == 0 ? "true" : text(random, 0) + " == " + text(random, 0);
    }
    return switch (random.nextInt(20)) {
      case 0, 1 -> "(" + bool(random, d) + " && " + bool(random, d) + ")";
      case 2, 3 -> "(" + bool(random, d) + " || " + bool(random, d) + ")";
      case 4 -> "!(" + bool(random, d) + ")";
      case 5 -> "(" + bool(random, d) + " ? " + bool(random, d) + " : " + bool(random, d) + ")";
      case 6 -> text(random, d) + comparison(random) + text(random, d);
      case 7 -> number(random, d) + comparison(random) + number(random, d);
      case 8 -> floating(random, d) + comparison(random) + floating(random, d);
      case 9 -> text(random, d) + ".contains(" + text(random, d) + ")";
      case 10 -> text(random, d) + ".startsWith(" + text(random, d) + ")";
      case 11 -> text(random, d) + ".endsWith(" + text(random, d) + ")";
      case 12 -> text(random, d) + ".matches('" + pattern(random) + "')";
      case 13 -> "'" + letter(random) + "' in " + map(random);
      case 14 -> "has(" + map(random) + "." + letter(random) + ")";
      case 15 -> number(random, d) + " in " + list(random, d);
      case 16 -> list(random, d) + (random.nextBoolean() ? " == " : " != ") + list(random, d);
      case 17 ->
          list(random, d)
              + "."
              + macro(random)
              + "(n, n"
              + comparison(random)
              + number(random, d)
              + ")";
      case 18 -> list(random, d) + "." + macro(random) + "(n, 4 / n == " + number(random, d) + ")";
      default ->
          map(random)
              + "."
              + macro(random)
              + "(k, "
              + bool(random, d)
              + " || k == "
              + text(random, d)
              + ")";
    };
  }

  private static String comparison(SplittableRandom random) {
    return new String[] {" == ", " != ", " < ", " <= ", " > ", " >= "}[random.nextInt(6)];
  }

  private static String macro(SplittableRandom random) {
    return new String[] {"all", "exists", "exists_one"}[random.nextInt(3)];
  }

  private static String letter(SplittableRandom random) {
    return "abc".substring(random.nextInt(3)).substring(0, 1);
  }

  private static String map(SplittableRandom random) {
    return new String[] {"request.query", "request.headers", "request.cookies"}[random.nextInt(3)];
  }

  private static String pattern(SplittableRandom random) {
    return new String[] {"a", "^a", "a$", "(a|b)+1", "^[aA]b*$", "b|1", "^ab"}[random.nextInt(7)];
  }

  private static String text(SplittableRandom random, int depth) {
    int d = depth - 1;
    return switch (random.nextInt(depth == 0 ? 3 : 9)) {
      case 0 -> "'" + word(random) + "'";
      case 1 -> "request.path";
      case 2 -> "client.ip";
      case 3 -> "(" + text(random, d) + " + " + text(random, d) + ")";
      case 4 -> map(random) + "." + letter(random);
      case 5 -> map(random) + ".get('" + letter(random) + "')";
      case 6 -> "string(" + number(random, d) + ")";
      case 7 -> text(random, d) + ".lowerAscii()";
      default -> "(" + bool(random, d) + " ? " + text(random, d) + " : " + text(random, d) + ")";
    };
  }

  private static String number(SplittableRandom random, int depth) {
    int d = depth - 1;
    String[] operators = {" + ", " - ", " * ", " / ", " % "};
    return switch (random.nextInt(depth == 0 ? 2 : 8)) {
      case 0 -> Integer.toString(random.nextInt(4));
      case 1 -> random.nextBoolean() ? "9223372036854775807" : "-1";
      case 2, 3 -> "(" + number(random, d) + operators[random.nextInt(5)] + number(random, d) + ")";
      case 4 -> "size(" + text(random, d) + ")";
      case 5 -> "int(" + text(random, d) + ")";
      case 6 -> "-(" + number(random, d) + ")";
      default -> "request.time." + part(random);
    };
  }

  private static String part(SplittableRandom random) {
    String[] parts = {
      "getFullYear", "getMonth", "getDate", "getDayOfWeek", "getDayOfYear", "getHours", "getMinutes"
    };
    String zone = random.nextBoolean() ? "" : "'Europe/Berlin'";
    return parts[random.nextInt(parts.length)] + "(" + zone + ")";
  }

  private static String floating(SplittableRandom random, int depth) {
    return switch (random.nextInt(depth == 0 ? 1 : 3)) {
      case 0 -> random.nextInt(3) + ".5";
      case 1 -> "(" + floating(random, depth - 1) + " / " + floating(random, depth - 1) + ")";
      default -> "double(" + number(random, depth - 1) + ")";
    };
  }

  private static String list(SplittableRandom random, int depth) {
    int d = Math.max(0, depth - 1);
    return switch (random.nextInt(depth == 0 ? 1 : 4)) {
      case 0 -> "[" + number(random, d) + ", " + number(random, d) + "]";
      case 1 -> "(" + list(random, d) + " + " + list(random, d) + ")";
      case 2 -> list(random, d) + ".map(n, n + " + number(random, d) + ")";
      default -> list(random, d) + ".filter(n, n > " + number(random, d) + ")";
    };
  }
}
