package io.forebay.server.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is refused of expressions, and where that is. */
final class ExpressionConfigTest {
  @TempDir Path directory;

  private ConfigOutcome load(String yaml) throws IOException {
    Path file = directory.resolve("forebay.yaml");
    Files.writeString(file, yaml);
    return new ConfigLoader(ConfigEnvironment.system()).load(file, Map.of());
  }

  private ConfigProblem problem(String yaml) throws IOException {
    ConfigOutcome outcome = load(yaml);
    List<ConfigProblem> problems =
        assertInstanceOf(ConfigOutcome.Refused.class, outcome, yaml).problems();
    assertEquals(1, problems.size(), problems::toString);
    return problems.getFirst();
  }

  /** The expression begins in line 5, column 24. */
  private static String withExpression(String expression) {
    return "origin: http://127.0.0.1:9\nroutes:\n  - rules:\n      - when:\n"
        + "          expression: \""
        + expression
        + "\"\n        deny: 403\n";
  }

  private static final int LINE = 5;
  private static final int COLUMN = 24;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        // Expression | place in it | what is said
        "request.pth == 'a'                     | 0  | undeclared reference to 'request'; did you mean request.path?",
        "true && request.header['a'] == 'b'     | 8  | undeclared reference to 'request'; did you mean request.headers?",
        "reqest.path == 'a'                     | 0  | undeclared reference to 'reqest'; did you mean request.path?",
        "response.status == 200                 | 0  | undeclared reference to 'response'",
        "foo(1)                                 | 3  | undeclared reference to 'foo'",
        "request.path                           | 7  | expected type 'bool' but found 'string'",
        "1 + 1                                  | 2  | expected type 'bool' but found 'int'",
        "request.path == 1                      | 13 | found no matching overload for '_==_'",
        "request.path < 1                       | 13 | found no matching overload for '_<_'",
        "request.path && true                   | 13 | found no matching overload for '_&&_'",
        "request.path.foo == 'a'                | 12 | type 'string' does not support field selection",
        "request.headers['a'] == 1              | 21 | found no matching overload for '_==_'",
        "request.headers[1] == 'a'              | 15 | found no matching overload for '_[_]'",
        "request.path.startsWith('a'            | 27 | missing ')'",
        "request.path == 'a                     | 16 | token recognition error",
        "request.path = 'a'                     | 13 | token recognition error",
        "request.path == 'a' and true           | 20 | mismatched input 'and'",
        "&& true                                | 0  | extraneous input '&&'",
        "request.headers['X-A'] == '1'          | 16 | request.headers has names in lower case, so there is never a X-A; write x-a",
        "'X-A' in request.headers               | 0  | request.headers has names in lower case",
        "request.headers.get('X-A') == ''       | 20 | request.headers has names in lower case",
        "request.headers['host'] == 'a'         | 16 | HTTP/2 requests have no Host field; use request.host",
        "has(request.path)                      | 3  | expression does not select a field",
        "has('a')                               | 3  | invalid argument to has() macro",
        "request.headers == request.query       | 16 | maps cannot be compared; compare values of them",
        "request.path.matches(request.host)     | 28 | a regular expression must be a literal; write it in quotes",
        "request.path.matches('(')              | 21 | not a regular expression",
        "request.path.matches('(a{99}){99}')    | 21 | the expression's repetitions make it too large",
        "request.path.matches('(a)\\\\\\\\1')   | 21 | not a regular expression",
        "{'a': true}['a']                       | 0  | maps and messages cannot be written here",
        "google.protobuf.Int64Value{value: 1} == 1 | 26 | undeclared reference to 'google.protobuf.Int64Value'",
        "b'a' == b'a'                           | 0  | null, bytes and unsigned numbers are not available here",
        "1u == 1u                               | 0  | null, bytes and unsigned numbers are not available here",
        "null == null                           | 0  | null, bytes and unsigned numbers are not available here",
        "dyn(1) == 1                            | 3  | \\\"dyn\\\" is not available here",
        "type(1) == int                         | 4  | \\\"type\\\" is not available here",
        "bytes('a').size() == 1                 | 5  | \\\"bytes\\\" is not available here",
        "string(1.5) == 'a'                     | 6  | string() takes a text, an int or a bool here",
        "timestamp('x') > request.time          | 10 | not a time; write one such as timestamp(",
        "timestamp(request.host) > request.time | 9  | the value must be a literal here; write it in quotes",
        "duration('1x') > duration('1s')        | 9  | not a duration; write one such as duration(",
        "request.time.getHours('Mars') == 1     | 22 | not a time zone; write a name such as",
        "request.time.getHours(request.host) == 1 | 29 | not a time zone",
        "[1].all(n.x, true)                     | 9  | The argument must be a simple name",
        "[1].map(n, n)                          | 7  | expected type 'bool' but found 'list(int)'",
        "request.path.all(c, true)              | 7  | expression of type 'string' cannot be range of a comprehension",
      })
  void whatIsWrongIsSaidWithItsPlace(String expression, int at, String expected)
      throws IOException {
    ConfigOutcome outcome = load(withExpression(expression));
    List<ConfigProblem> problems =
        assertInstanceOf(ConfigOutcome.Refused.class, outcome, expression).problems();
    String text = problems.toString();
    ConfigProblem first = problems.getFirst();
    assertTrue(first.text().contains(expected.replace("\\\"", "\"")), text);
    assertEquals("routes.0.rules.0.when.expression", first.path());
    assertEquals(LINE + ":" + (COLUMN + at), first.line() + ":" + first.column(), text);
  }

  @Test
  void placesAreThoseOfTheFileInEveryWayToWriteATextAndInSeveralLines() throws IOException {
    String begin = "origin: http://127.0.0.1:9\nroutes:\n  - rules:\n      - deny: 403\n";
    for (String[] style :
        new String[][] {
          {"        when: {expression: 'true && reqest.path == \"\"'}\n", "5:37"},
          {"        when: {expression: \"true && reqest.path == ''\"}\n", "5:37"},
          {"        when:\n          expression: true && reqest.path == ''\n", "6:31"},
          {
            "        when:\n          expression: |\n            true &&\n\n            reqest.path == ''\n",
            "9:13"
          },
          {
            "        when:\n          expression: |-\n\n            true && reqest.path == ''\n",
            "8:21"
          },
        }) {
      ConfigProblem problem = problem(begin + style[0]);
      assertEquals(style[1], problem.line() + ":" + problem.column(), problem.text());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"(", "!", "-", "[", "true ? true : ", "1 + ", "[1].all(n, "})
  void whatIsTooLongOrTooDeepIsRefused(String part) throws IOException {
    String end = part.startsWith("[1]") || part.equals("(") ? ")" : part.equals("[") ? "]" : "";
    ConfigProblem tooLong = problem(withExpression("true || " + part.repeat(2100)));
    assertTrue(tooLong.message().contains("characters"), tooLong::text);
    int times = 1500 / (part.length() + end.length());
    if (part.equals("!") || part.equals("-")) {
      // The library takes pairs of these away.
      return;
    }
    String text = part.repeat(times) + (part.contains("+") ? "1 == 1" : "true") + end.repeat(times);
    ConfigOutcome outcome = load(withExpression(text));
    assertInstanceOf(ConfigOutcome.Refused.class, outcome, text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{when: {expression: }, deny: 403}                    | .when.expression: no value is given",
        "{when: {expression: ' '}, deny: 403}                 | .when.expression: an empty expression; write a condition",
        "{when: {expression: [a]}, deny: 403}                 | .when.expression: not a plain value",
        "{when: {path: /a}, on-error: skip, deny: 403}        | .on-error: only an expression can have no value, and the rule has none; remove it",
        "{when: {expression: 'true'}, on-error: deny, deny: 403} | .on-error: \"deny\" is not known here; known here: apply, skip",
        "{when: {expression: 'true'}, on-error: skip}         | the rule does nothing; add one of deny,",
        "{response: {expression: 'request.path == \"\"'}, ttl: 1s} | undeclared reference to 'request'; known here: response.status",
        "{response: {expression: 'response.headers[\"Age\"] == \"\"'}, ttl: 1s} | response.headers has names in lower case",
        "{response: {expression: 'response.status'}, ttl: 1s} | expected type 'bool' but found 'int'",
      })
  void whatIsWrongAroundThemIsSaid(String rule, String expected) throws IOException {
    ConfigProblem problem =
        problem("origin: http://127.0.0.1:9\nroutes:\n  - rules: [" + rule + "]\n");
    assertTrue(problem.text().contains(expected), problem::text);
  }

  /** As for matchers: what the origin is asked depends on nothing that is not in the key. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "                      | request.path == '/a' && request.host != '' && request.scheme == 'https' | true",
        "                      | request.query['q'] == '1'                  | true",
        "                      | request.query.exists(q, q == 'a')          | false",
        "                      | request.query_string == ''                 | false",
        "                      | request.method == 'GET'                    | false",
        "                      | request.time.getHours() == 1               | false",
        "                      | client.ip == ''                            | false",
        "                      | tls.version == ''                          | false",
        "                      | request.listener == '' && request.protocol == '' | false",
        "                      | request.headers['x-a'] == '1'              | false",
        "key: {headers: [X-A]} | request.headers['x-a'] == '1'              | true",
        "key: {headers: [X-A]} | request.headers.get('x-a') == '1' && 'x-a' in request.headers | true",
        "key: {headers: [X-A]} | request.headers[request.path] == '1'       | false",
        "key: {headers: [X-A]} | size(request.headers) == 1                 | false",
        "key: {cookies: [a]}   | has(request.cookies.a)                     | true",
        "key: {cookies: [a]}   | has(request.cookies.b)                     | false",
      })
  void theOriginIsChosenByWhatIsInTheKey(String setting, String expression, boolean isFine)
      throws IOException {
    String yaml =
        "origins: {a: http://127.0.0.1:9, b: http://127.0.0.1:9}\n"
            + "routes: [{origin: a, "
            + (setting == null ? "" : setting + ", ")
            + "rules: [{when: {expression: \""
            + expression
            + "\"}, origin: b}]}]\n";
    ConfigOutcome outcome = load(yaml);
    if (isFine) {
      assertInstanceOf(ConfigOutcome.Loaded.class, outcome, outcome::toString);
    } else {
      assertTrue(problem(yaml).text().contains("which is not in the key of what is stored"));
    }
  }
}
