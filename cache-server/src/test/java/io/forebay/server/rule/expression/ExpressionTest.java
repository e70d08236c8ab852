package io.forebay.server.rule.expression;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Instant;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What expressions say of a message. */
final class ExpressionTest {

  private static MessageFake request() {
    return new MessageFake()
        .set(Variable.METHOD, "GET")
        .set(Variable.SCHEME, "https")
        .set(Variable.HOST, "www.example.com")
        .set(Variable.PATH, "/a/b.html")
        .set(Variable.QUERY_STRING, "x=1&y=a%20b")
        .set(Variable.PROTOCOL, "HTTP/2")
        .set(Variable.LISTENER, "default")
        .set(Variable.CLIENT_IP, "192.0.2.7")
        .set(Variable.TLS_VERSION, "TLSv1.3")
        .set(Variable.TLS_SERVER_NAME, "www.example.com")
        // A Thursday.
        .set(Variable.TIME, Instant.parse("2026-11-26T10:30:15Z"))
        .add(Variable.HEADERS, "X-A", "1")
        .add(Variable.HEADERS, "accept", "text/html")
        .add(Variable.HEADERS, "x-two", "one")
        .add(Variable.HEADERS, "X-Two", "two")
        .add(Variable.QUERY, "x", "1")
        .add(Variable.QUERY, "y", "a b")
        .add(Variable.QUERY, "y", "second")
        .add(Variable.COOKIES, "session", "7");
  }

  private static MessageFake response() {
    return new MessageFake()
        .set(Variable.STATUS, 404L)
        .set(Variable.CONTENT_TYPE, "text/html")
        .add(Variable.RESPONSE_HEADERS, "Cache-Control", "max-age=60");
  }

  private static Expression of(String text) throws ExpressionException {
    return ExpressionCompiler.compile(
        text, text.contains("response.") ? Variable.Subject.RESPONSE : Variable.Subject.REQUEST);
  }

  private static boolean holds(String text) throws ExpressionException {
    return of(text).holds(text.contains("response.") ? response() : request(), new StepBudget());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        // Variables
        "request.method == 'GET'",
        "request.scheme + '://' + request.host + request.path == 'https://www.example.com/a/b.html'",
        "request.query_string.startsWith('x=')",
        "request.query['y'] == 'a b'",
        "request.query.y == 'a b' && request.query.size() == 2",
        "request.headers['x-a'] == '1'",
        "request.headers.accept == 'text/html'",
        "request.headers['x-two'] == 'one, two'",
        "request.headers.exists(n, n == 'x-a' && request.headers[n] == '1')",
        "size(request.headers) == 3",
        "request.cookies.session == '7'",
        "request.protocol == 'HTTP/2' && request.listener == 'default'",
        "client.ip.startsWith('192.0.2.')",
        "tls.version == 'TLSv1.3' && tls.server_name == request.host",
        "response.status >= 400 && response.status < 500",
        "response.content_type in ['text/html', 'text/plain']",
        "response.headers['cache-control'].contains('max-age')",
        // Names that may be missing
        "has(request.headers.accept) && !has(request.headers.referer)",
        "'x-a' in request.headers && !('x-b' in request.headers)",
        "request.headers.get('x-b') == '' && request.headers.get('x-a') == '1'",
        "request.headers[request.headers.get('x-b') + 'x-a'] == '1'",
        "!('toString' in request.query)",
        // Logic: an error does not matter where the other side decides
        "true || 1 / 0 == 1",
        "1 / 0 == 1 || true",
        "!(false && request.headers['x-b'] == '1')",
        "!(request.headers['x-b'] == '1' && false)",
        "(request.method == 'GET' ? 1 : 1 / 0) == 1",
        // Numbers
        "1 + 2 * 3 - 4 / 2 == 5 && -7 % 3 == -1 && -7 / 2 == -3",
        "1.5 + 1.5 == 3.0 && 0.1 + 0.2 != 0.3 && -0.0 == 0.0",
        "1.0 / 0.0 > 1.0 && !(0.0 / 0.0 == 0.0 / 0.0)",
        "9223372036854775807 > 9223372036854775806",
        "-(3) == -3 && int('-5') == -5 && int(2.9) == 2 && double('1.5') == 1.5",
        "int(request.query.x) + 1 == 2 && string(12) == '12' && string(true) == 'true'",
        // Texts
        "'abc'.contains('b') && 'abc'.startsWith('ab') && 'abc'.endsWith('bc')",
        "'abc'.contains('') && ''.contains('') && !''.contains('a')",
        "'a' < 'b' && 'a' <= 'a' && 'B' < 'a'",
        "size('\\u00e4\\U0001F600') == 2 && 'abc'.size() == 3",
        "'AbC'.lowerAscii() == 'abc' && '\\u00c4A'.lowerAscii() == '\\u00c4a'",
        "request.path.matches('^/a/.*[.]html$') && !request.path.matches('^/b')",
        "matches(request.path, 'b')",
        // Lists and macros
        "[1, 2, 3].all(n, n > 0) && [1, 2].exists(n, n == 2) && ![1, 2].exists(n, n == 3)",
        "[1, 2, 2].exists_one(n, n == 1) && ![1, 2, 2].exists_one(n, n == 2)",
        "[1, 2, 3].filter(n, n > 1) == [2, 3] && [1, 2].map(n, n * 2) == [2, 4]",
        "[1, 2, 3].map(n, n > 1, n * 2) == [4, 6]",
        "[0, 2].exists(n, 4 / n == 2) && ![0, 2].all(n, 4 / n == 1)",
        "[[1, 2], [3]].exists(l, l.exists(n, n == 3))",
        "['b', 'a'][1] == 'a' && [1] + [2] == [1, 2] && size([]) == 0",
        "[1, 2].all(n, [n].all(m, m == n))",
        "request.query.map(n, request.query[n]) == ['1', 'a b']",
        "2 in [1, 2] && !(3 in [1, 2]) && !('a' in [])",
        // Time
        "request.time.getHours() == 10 && request.time.getHours('Europe/Berlin') == 11",
        "request.time.getDayOfWeek() == 4 && request.time.getFullYear() == 2026",
        "request.time.getMonth() == 10 && request.time.getDate() == 26",
        "request.time.getDayOfMonth() == 25 && request.time.getDayOfYear() == 329",
        "request.time.getMinutes() == 30 && request.time.getSeconds() == 15",
        "request.time > timestamp('2026-01-01T00:00:00Z')",
        "request.time - timestamp('2026-11-26T10:00:15Z') == duration('30m')",
        "request.time + duration('1h30m15s') < timestamp('2026-11-26T12:00:31Z')",
        "int(timestamp('1970-01-01T00:01:00Z')) == 60",
      })
  void holdsFor(String text) throws ExpressionException {
    assertTrue(holds(text));
    assertFalse(holds("!(" + text + ")"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "request.headers['x-b'] == '1'          | there is no request.headers named x-b",
        "request.query.z == '1'                 | there is no request.query named z",
        "1 / 0 == 1                             | division by zero",
        "1 % 0 == 1                             | division by zero",
        "9223372036854775807 + 1 > 0            | +: the result is out of range",
        "-9223372036854775807 - 2 < 0           | -: the result is out of range",
        "9223372036854775807 * 2 > 0            | *: the result is out of range",
        "int('a') == 1                          | int: not a whole number",
        "int(1e30) == 1                         | int: the number is out of range",
        "double(request.host) == 1.0            | double: not a number",
        "[1, 2][2] == 1                         | there is no place 2 in a list of 2",
        "[1, 2][-1] == 1                        | there is no place -1 in a list of 2",
        "[0, 1].all(n, 4 / n == 4)              | division by zero",
        "[0, 1].exists_one(n, 4 / n == 4)       | division by zero",
        "[1, 'a'][1] > 0                        | > does not apply to string and int",
        "[true, 1][1]                           | a condition is needed, not int",
        "1 / 0 == 1 && request.query.z == '1'   | there is no request.query named z",
      })
  void hasNoValueFor(String text, String reason) throws ExpressionException {
    Expression expression = of(text);
    EvaluationException failure =
        assertThrows(
            EvaluationException.class, () -> expression.holds(request(), new StepBudget()));
    assertEquals(reason, failure.getMessage());
    assertFalse(failure.isLimit());
    assertEquals(0, failure.getStackTrace().length);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        // Steps
        "LIST.all(a, LIST.all(b, LIST.all(c, a + b + c >= 0)))",
        "['TEXT'].map(a, a + a + a + a).map(a, a + a + a + a).map(a, a + a + a + a)"
            + ".map(a, a + a + a + a) == []",
        "request.path.contains(request.query_string)",
        "request.path.matches('(a|b|ab|ba|aab|bba)*c')",
        "LIST.map(a, LIST.map(b, LIST)) == []",
        // What a bound refuses is not taken as an error that the other side can absorb
        "[1].exists(z, request.path.contains(request.query_string)) || true",
        // Size of what comes in
        "request.host == 'a'",
        "request.host == 'a' || true",
        "'none' in request.cookies || true",
        "request.cookies.exists(n, n == 'none')",
        "'none' in request.cookies",
        "request.headers['x-long'] == 'a'",
      })
  void isEndedByABound(String pattern) throws ExpressionException {
    String list = "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20]";
    String text = pattern.replace("LIST", list).replace("TEXT", "0123456789".repeat(20));
    MessageFake hostile =
        request()
            .set(Variable.PATH, "/" + "ab".repeat(4000))
            .set(Variable.QUERY_STRING, "ab".repeat(2000) + "c")
            .set(Variable.HOST, "a".repeat(Frame.MAX_VALUE + 1))
            .add(Variable.HEADERS, "x-long", "a".repeat(Frame.MAX_VALUE + 1));
    for (int i = 0; i <= Frame.MAX_NAMES; i++) {
      hostile.add(Variable.COOKIES, "n" + i, "1");
    }
    Expression expression = of(text);
    EvaluationException failure =
        assertThrows(EvaluationException.class, () -> expression.holds(hostile, new StepBudget()));
    assertTrue(failure.isLimit(), failure::getMessage);
  }

  @Test
  void fieldsInManyLinesEndAtTheBoundToo() throws ExpressionException {
    MessageFake hostile = request();
    for (int i = 0; i < 200; i++) {
      hostile.add(Variable.HEADERS, "x-many", "a".repeat(500));
    }
    Expression expression = of("request.headers.exists(n, n == 'none')");
    EvaluationException failure =
        assertThrows(EvaluationException.class, () -> expression.holds(hostile, new StepBudget()));
    assertTrue(failure.isLimit(), failure::getMessage);
  }

  /** Many expressions of a route take no longer together than a few. */
  @Test
  void allExpressionsOfAMessageShareABudget() throws ExpressionException {
    Expression expression = of("['" + "a".repeat(1000) + "'].all(a, a.lowerAscii() + a != '')");
    StepBudget budget = new StepBudget();
    int times = 0;
    while (times < 10_000) {
      try {
        assertTrue(expression.holds(request(), budget));
        times++;
      } catch (EvaluationException e) {
        assertTrue(e.isLimit());
        break;
      }
    }
    assertTrue(times > 10 && times < 1000, "evaluations: " + times);
    budget.renew();
    assertTrue(expression.holds(request(), budget));
  }

  @Test
  void saysWhatItDependsOn() throws ExpressionException {
    assertEquals(
        Set.of(
            new VariableUse(Variable.METHOD, null),
            new VariableUse(Variable.HEADERS, "x-a"),
            new VariableUse(Variable.HEADERS, "accept"),
            new VariableUse(Variable.QUERY, "q"),
            new VariableUse(Variable.COOKIES, null)),
        of("request.method == 'GET' && request.headers['x-a'] == '1' && has(request.headers.accept)"
                + " && 'q' in request.query && request.cookies.exists(c, c == 'a')")
            .uses());
    assertEquals(
        Set.of(new VariableUse(Variable.HEADERS, null), new VariableUse(Variable.PATH, null)),
        of("request.headers.get(request.path) == ''").uses());
  }
}
