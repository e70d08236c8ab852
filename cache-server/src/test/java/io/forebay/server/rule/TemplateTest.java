package io.forebay.server.rule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.RequestView;
import io.forebay.core.http.SyntheticRequest;
import io.forebay.core.http.TargetUri;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class TemplateTest {

  private static RequestView request(String path, @Nullable String query) {
    return SyntheticRequest.of(
        "GET", new TargetUri("http", "www.example.com:8080", path, query), HeaderFields.EMPTY);
  }

  @ParameterizedTest
  @CsvSource({
    "https://$host$uri, https://www.example.com/a/b?c=d",
    "$scheme://$host:1/x$path, http://www.example.com:1/x/a/b",
    "/new$1-$2-$9?$query, /newone-two-?c=d",
    "/$(host)x, /www.example.comx",
    "/a$$1, /a$1",
    "/a b\"<é, /a%20b%22%3C%C3%A9",
  })
  void variablesBecomeParts(String template, String expected) {
    assertEquals(
        expected,
        Template.of(template).url(request("/a/b", "c=d"), new String[] {"all", "one", "two"}));
  }

  @ParameterizedTest
  @CsvSource({"/x?$query, /x", "/x?a=1&$query, /x?a=1", "$uri, /a"})
  void noQuestionMarkIsLeftOfAQueryThatIsNotThere(String template, String expected) {
    assertEquals(expected, Template.of(template).url(request("/a", null), null));
  }

  /** A path that begins with two slashes would name a host. */
  @ParameterizedTest
  @ValueSource(strings = {"$path", "$uri", "/$1"})
  void aPathStaysAPath(String template) {
    assertEquals(
        "/evil.example/",
        Template.of(template)
            .url(request("//evil.example/", null), new String[] {"", "/evil.example/"}));
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\r\nset-cookie: x", "a\u0000b", "a\u007fb", "a\u20acb"})
  void nothingEndsAFieldLine(String captured) {
    String value = Template.of("$1").fieldValue(request("/", null), new String[] {"", captured});
    assertEquals(captured.replaceAll("[\\x00-\\x1f\\x7f\u20ac]", "?"), value);
  }

  @ParameterizedTest
  @CsvSource({
    "/x$1, true",
    "$path/x, true",
    "$uri, true",
    "https://a.example/$1, true",
    "https://a.example$uri, true",
    "https://$host$path, true",
    "$scheme://$host:8443/$1, true",
    "https://a.example, true",
    "https://a.example?$query, true",
    "$1, false",
    "//a.example/, false",
    "https://$1/, false",
    "https://a.example$1, false",
    "https://a$query, false",
    "https://user@$host/, false",
    "$host/x, false",
    "ftp://a/, false",
    "'', false",
  })
  void noClientChoosesTheHostOfATarget(String template, boolean isSafe) {
    assertEquals(isSafe, Template.of(template).isSafeTarget());
  }

  @ParameterizedTest
  @ValueSource(strings = {"$", "$x", "a$0", "$(host", "$()", "$Host"})
  void whatIsNoVariableIsRefused(String template) {
    assertThrows(IllegalArgumentException.class, () -> Template.of(template));
  }
}
