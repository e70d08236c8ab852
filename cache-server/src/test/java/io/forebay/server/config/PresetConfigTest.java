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

/** What is refused of error pages, CORS and security headers, and what is said of it. */
final class PresetConfigTest {
  @TempDir Path directory;

  private ConfigOutcome load(String yaml) throws IOException {
    Path file = directory.resolve("forebay.yaml");
    Files.writeString(file, yaml);
    return new ConfigLoader(ConfigEnvironment.system()).load(file, Map.of());
  }

  private List<ConfigProblem> refused(String yaml) throws IOException {
    ConfigOutcome outcome = load(yaml);
    return assertInstanceOf(ConfigOutcome.Refused.class, outcome, yaml).problems();
  }

  private static String route(String settings) {
    return "origin: http://127.0.0.1:9\nroutes:\n  - " + settings + "\n";
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "error-pages: a | routes.0.error-pages: keys are required here",
        "error-pages: {} | names no page; write statuses and their pages",
        "error-pages: {200: {text: a}} | .error-pages.200: not a status of an error; write statuses such as 404",
        "error-pages: {3xx: {text: a}} | .error-pages.3xx: not a status of an error",
        "error-pages: {504-502: {text: a}} | .error-pages.504-502: not a status of an error",
        "error-pages: {499-600: {text: a}} | not a status of an error",
        "error-pages: {404: a} | .error-pages.404: keys are required here",
        "error-pages: {404: {}} | .error-pages.404: has no text and no file; write one of them",
        "error-pages: {404: {type: text/html}} | has no text and no file",
        "error-pages: {404: {txt: a, text: b}} | .404.txt: unknown key; did you mean text?",
        "error-pages: {404: {text: a, file: b}} | .404.file: text is given as well; keep one of them",
        "error-pages: {404: {file: /does/not/exist}} | \"/does/not/exist\" is not a file that can be read",
        "error-pages: {404: {text: a, json: b, json-file: c}} | .404.json-file: json is given as well",
        "error-pages: {404: {text: a, type: html}} | .404.type: not a media type; write one such as text/html",
        "error-pages: {404: {text: a, type: \"text/html\\r\\nx: y\"}} | .404.type: not a media type",
        "error-pages: {404: {text: a, from: [orign]}} | .404.from: \"orign\" is not known here; did you mean origin?",
        "error-pages: {502-504: {text: a}, 503-505: {text: b}} | .503-505: has statuses of another page as well; give each one page",
        "error-pages: {5xx: {text: a}, 500-599: {text: b}} | has statuses of another page as well",
        "error-pages: {404: {text: '$uri$uri$uri$uri$uri$uri$uri$uri$uri$uri$uri$uri$uri$uri$uri$uri$uri$uri$uri$uri$uri$uri$uri$uri$uri$uri$uri$uri$uri$uri$uri$uri$uri'}} | .404.text: it has 33 variables; use at most 32",
        "cors: https://a.example | routes.0.cors: keys are required here",
        "cors: {} | routes.0.cors.origins: is missing; list origins such as",
        "cors: {origins: '*', origin: a} | .cors.origin: unknown key; did you mean origins?",
        "cors: {origins: []} | .cors.origins: an empty list",
        "cors: {origins: a.example} | .cors.origins: \"a.example\" is not an origin; write scheme and host",
        "cors: {origins: https://a.example/} | \"https://a.example/\" is not an origin",
        "cors: {origins: https://A.example} | \"https://A.example\" is not an origin",
        "cors: {origins: 'https://*'} | is not an origin",
        "cors: {origins: 'https://a*.example'} | is not an origin",
        "cors: {origins: 'https://a.example:443'} | \"https://a.example:443\" names the port that browsers leave out",
        "cors: {origins: 'http://a.example:80'} | names the port that browsers leave out",
        "cors: {origins: \"https://a\\r\\nx: y\"} | is not an origin",
        "cors: {origins: ['*', https://a.example]} | .cors.origins: * stands for every origin; remove the others, or *",
        "cors: {origins: '*', credentials: true} | .cors.credentials: origins has *, which browsers do not take together with credentials",
        "cors: {origins: https://a.example, methods: '*', credentials: true} | methods has *, which browsers do not take",
        "cors: {origins: https://a.example, request-headers: '*', credentials: true} | request-headers has *",
        "cors: {origins: https://a.example, expose-headers: '*', credentials: true} | expose-headers has *",
        "cors: {origins: ['null'], credentials: true} | origins has null, which every sandboxed page is",
        "cors: {origins: '*', credentials: maybe} | .cors.credentials: \"maybe\" is neither true nor false",
        "cors: {origins: '*', methods: ['G T']} | .cors.methods: \"G T\" is not a method; write methods such as PUT",
        "cors: {origins: '*', request-headers: ['a b']} | \"a b\" is not the name of a header field",
        "cors: {origins: '*', expose-headers: \"a\\r\\nb: c\"} | is not the name of a header field",
        "cors: {origins: '*', max-age: 2d} | .cors.max-age: \"2d\"",
        "security-headers: onn | .security-headers: \"onn\" is not known here; did you mean on?",
        "security-headers: {prest: on} | .security-headers.prest: unknown key; did you mean preset?",
        "security-headers: {preset: all} | .security-headers.preset: \"all\" is not known here",
        "security-headers: {overwrite: maybe} | .security-headers.overwrite: \"maybe\" is neither true nor false",
      })
  void whatIsWrongIsSaidWithItsPlace(String settings, String expected) throws IOException {
    List<ConfigProblem> problems = refused(route(settings));
    String text = problems.toString();
    assertTrue(text.contains(expected), text);
    assertEquals(1, problems.size(), text);
    assertTrue(text.contains("forebay.yaml:3:"), text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{404x: {text: a}} | error-pages.404x: not a status of an error",
        "{404: {text: a, typ: b}} | error-pages.404.typ: unknown key; did you mean type?",
        "{5xx: {from: edge}} | error-pages.5xx: has no text and no file",
      })
  void soItIsOfThePagesOfAllRoutes(String pages, String expected) throws IOException {
    List<ConfigProblem> problems =
        refused("error-pages: " + pages + "\norigin: http://127.0.0.1:9\n");
    assertTrue(problems.toString().contains(expected), problems::toString);
    assertEquals(1, problems.size(), problems::toString);
  }

  @Test
  void aFileOfMoreThanAMebibyteIsNoPage() throws IOException {
    Path page = directory.resolve("large.html");
    Files.write(page, new byte[(1 << 20) + 1]);
    List<ConfigProblem> problems = refused(route("error-pages: {404: {file: '" + page + "'}}"));
    assertTrue(problems.toString().contains("is larger than 1MiB"), problems::toString);
    Files.write(page, new byte[1 << 20]);
    assertInstanceOf(
        ConfigOutcome.Loaded.class, load(route("error-pages: {404: {file: '" + page + "'}}")));
  }

  @Test
  void theyAreDumpedSoThatTheyLoadTheSame() throws IOException {
    ConfigOutcome.Loaded loaded =
        loaded(
            "error-pages: {5xx: {text: \"all: $status\\n\"}, 404: {text: a}}\n"
                + route(
                    "{error-pages: {502-504: {text: b, json: '{}', from: [edge, origin]}},"
                        + " cors: {origins: ['https://*.a.example'], max-age: 1m},"
                        + " security-headers: {preset: strict, overwrite: true}}"));
    String dumped = ConfigView.yaml(loaded);
    ServerConfig config = loaded.config();
    ServerConfig again = loaded(dumped).config();
    assertEquals(config.routes(), again.routes(), dumped);
    assertEquals(config.errorPages(), again.errorPages(), dumped);
    assertEquals(List.of(), ConfigView.diff(config, again).changed());
    String json = ConfigView.json(config);
    assertTrue(json.contains("\"502-504\" : {"), json);
    assertTrue(json.contains("\"preset\" : \"strict\""), json);
  }

  @Test
  void aChangeOfThemIsOneOfTheRoute() throws IOException {
    ServerConfig before = loaded(route("cors: {origins: '*'}")).config();
    ServerConfig after =
        loaded(
                route(
                    "{cors: {origins: https://a.example}, security-headers: on,"
                        + " error-pages: {404: {text: a}}}"))
            .config();
    assertEquals(
        List.of(
            "routes.route-1.error-pages", "routes.route-1.cors", "routes.route-1.security-headers"),
        ConfigView.diff(before, after).changed());
    assertEquals(List.of(), ConfigView.diff(before, after).needsRestart());
  }

  private ConfigOutcome.Loaded loaded(String yaml) throws IOException {
    ConfigOutcome outcome = load(yaml);
    return assertInstanceOf(ConfigOutcome.Loaded.class, outcome, outcome::toString);
  }
}
