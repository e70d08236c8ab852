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

  private static String withExpression(String expression) {
    return "origin: http://127.0.0.1:9\nroutes:\n  - rules:\n      - when:\n"
        + "          expression: \""
        + expression
        + "\"\n        deny: 403\n";
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
