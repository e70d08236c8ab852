package io.forebay.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code forebay config test}: what it reports where expectations, scripts or files are wrong. */
@Timeout(120)
@Tag("slow")
final class ConfigTestCommandTest {
  private static final String CONFIG =
      """
      listen:
        - {name: front, address: "192.0.2.1:80"}
        - name: secure
          address: "192.0.2.1:443"
          tls: {certificate: /nowhere/cert.pem, key: /nowhere/key.pem}
      admin: {address: "192.0.2.1:8081", token-file: /nowhere/token}
      store: {memory: 4TiB, data: /nowhere/data}
      stores: {nvme0: {path: /nowhere/nvme0, size: 7TiB}}
      access-log: /nowhere/access.json
      origins:
        site: {url: "https://site.example.com/base", trust: /nowhere/ca.pem, probe: {type: http}}
        other: http://other.example.com
      routes:
        - {name: all, origin: site, default-ttl: 1m, stale-if-error: 1h}
        - {name: api, match: {path: /api/}, origin: other, cache: false}
      """;

  private static final String TWO_STEPS =
      """
      config: edge.yaml
      origin: {headers: {X-A: b}, body: one}
      steps:
        - request: http://www.example.com/
          expect: {status: 200, cache: miss}
        - name: the second
          request: http://www.example.com/
          expect:
            %s
      """;

  @TempDir Path directory;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String script, String... more) throws IOException {
    Files.writeString(directory.resolve("edge.yaml"), CONFIG);
    Path file = Files.writeString(directory.resolve("script.yaml"), script);
    CommandLine line = Forebay.commandLine();
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err));
    return line.execute(
        Stream.concat(Stream.of("config", "test", file.toString()), Stream.of(more))
            .toArray(String[]::new));
  }

  /** Nothing of what the configuration names is there, and nothing of it is missed. */
  @Tag("full")
  @Test
  void aConfigurationOfAnotherMachineIsTestedHere() throws Exception {
    int code =
        run(
            """
            config: edge.yaml
            time: 2026-01-31T12:00:00Z
            steps:
              - name: the base path of the origin goes before the path
                request: {url: "https://www.example.com/a?b=c", client: "2001:db8::7"}
                origin: {body: one}
                expect:
                  {status: 200, cache: miss, route: all, body: one,
                   headers: {Date: "Sat, 31 Jan 2026 12:00:00 GMT", Via: {glob: "*forebay*"}},
                   asked: {origin: site, path: "/base/a?b=c",
                           headers: {X-Forwarded-For: "2001:db8:0:0:0:0:0:7", X-Forwarded-Proto: https}}}
              - name: the clock moves
                after: 59s
                request: https://www.example.com/a?b=c
                expect: {cache: hit, headers: {Age: "59"}, asked: none}
              - name: an origin that fails
                after: 2s
                request: https://www.example.com/a?b=c
                origins: {site: {fails: closes}}
                expect: {cache: stale, body: {regex: ^on}}
              - name: by listener
                request: {method: POST, url: "http://www.example.com/api/x", listener: front, body: sent}
                origins: {other: [{status: 500}, {status: 201}]}
                expect: {status: 500, asked: {origin: other, method: POST, body: sent}}
              - name: a response that breaks off
                request: http://www.example.com/api/y
                origins: {other: {body: 0123456789, fails: breaks-off}}
                expect: {breaks-off: true}
            """);

    assertEquals(0, code, () -> out + "\n" + err);
    assertTrue(out.toString().contains("5 of 5 steps as expected"), out.toString());
    assertEquals("", err.toString());
  }

  @Test
  void nothingIsLeftBehind() throws Exception {
    assertEquals(0, run(TWO_STEPS.formatted("cache: hit")), () -> out + "\n" + err);

    for (Path place : List.of(Path.of("/dev/shm"), Path.of(System.getProperty("java.io.tmpdir")))) {
      if (Files.isDirectory(place)) {
        try (Stream<Path> files = Files.list(place)) {
          String pid = "forebay-config-test-" + ProcessHandle.current().pid() + "-";
          assertFalse(
              files.anyMatch(file -> file.getFileName().toString().startsWith(pid)),
              place.toString());
        }
      }
    }
  }

  private record Wrong(String expect, String what, String expected, String came) {}

  private static final List<Wrong> WRONG =
      List.of(
          new Wrong("status: 404", "status", "404", "200 (hit-fresh)"),
          new Wrong("cache: miss", "cache", "miss", "hit (hit-fresh)"),
          new Wrong("cache: [miss, pass]", "cache", "miss or pass", "hit (hit-fresh)"),
          new Wrong("reason: miss-uri", "reason", "miss-uri", "hit-fresh"),
          new Wrong("route: api", "route", "api", "all"),
          new Wrong("body: two", "body", "two", "one"),
          new Wrong("body: {glob: '*x*'}", "body", "glob *x*", "one"),
          new Wrong("body: {regex: '^n'}", "body", "regex ^n", "one"),
          new Wrong("size: 4", "size", "4 bytes", "3 bytes"),
          new Wrong("headers: {X-A: c}", "headers.X-A", "c", "b"),
          new Wrong("headers: {X-B: c}", "headers.X-B", "c", "(none)"),
          new Wrong("absent: [x-a]", "absent", "no x-a", "x-a: b"),
          new Wrong("redirect: /x", "redirect", "/x", "200, no Location"),
          new Wrong("asked: site", "asked", "site, once", "none"),
          new Wrong("asked: {origin: site, times: 2}", "asked", "site, 2 times", "none"),
          new Wrong(
              "breaks-off: true", "breaks-off", "a response that breaks off", "a whole response"));

  /** A wrong expectation fails, at its line, with what was expected and what came. */
  @Test
  void saysWhatWasExpectedAndWhatCame() throws Exception {
    StringBuilder script =
        new StringBuilder(
            """
            config: edge.yaml
            origin: {headers: {X-A: b}, body: one}
            steps:
              - request: http://www.example.com/
            """);
    for (Wrong wrong : WRONG) {
      script.append("  - request: http://www.example.com/\n    expect:\n      ");
      script.append(wrong.expect()).append('\n');
    }

    int code = run(script.toString(), "--json");

    assertEquals(1, code, () -> out + "\n" + err);
    List<String> lines = out.toString().lines().toList();
    assertEquals(WRONG.size() + 2, lines.size());
    for (int i = 0; i < WRONG.size(); i++) {
      Wrong wrong = WRONG.get(i);
      JsonNode step = JsonMapper.shared().readTree(lines.get(i + 1));
      assertEquals("step " + (i + 2), step.path("step").asString(""));
      assertFalse(step.path("ok").asBoolean(true));
      JsonNode mismatch = step.path("mismatches").path(0);
      assertEquals(wrong.what(), mismatch.path("what").asString(""));
      assertEquals(wrong.expected(), mismatch.path("expected").asString(""));
      assertEquals(wrong.came(), mismatch.path("came").asString(""));
      int stepLine = 5 + 3 * i;
      assertEquals(
          wrong.what().equals("breaks-off") ? stepLine : stepLine + 2,
          mismatch.path("line").asInt(0));
    }
    JsonNode sum = JsonMapper.shared().readTree(lines.getLast());
    assertEquals(WRONG.size(), sum.path("failed").asInt(0));
    assertFalse(sum.path("ok").asBoolean(true));
  }

  @Test
  void textNamesFileLineAndColumn() throws Exception {
    int code = run(TWO_STEPS.formatted("cache: miss"));

    assertEquals(1, code);
    String text = out.toString();
    assertTrue(text.contains("failed: the second"), text);
    assertTrue(text.contains("GET http://www.example.com/ -> 200 hit (hit-fresh)"), text);
    assertTrue(text.contains("script.yaml:9:7: cache"), text);
    assertTrue(text.contains("expected: miss"), text);
    assertTrue(text.contains("came:     hit (hit-fresh)"), text);
    assertTrue(text.contains("1 of 2 steps failed"), text);
  }

  @Test
  void anOriginThatTheScriptForgotIsNamed() throws Exception {
    int code =
        run(
            """
            config: edge.yaml
            steps:
              - request: http://www.example.com/
            """);

    assertEquals(1, code, () -> out + "\n" + err);
    assertTrue(out.toString().contains("an answer of origin site"), out.toString());
    assertTrue(out.toString().contains("it was asked: site GET /base/"), out.toString());
  }

  @Test
  void unexpectedRequestsToOriginsAreShown() throws Exception {
    int code =
        run(
            """
            config: edge.yaml
            steps:
              - request: http://www.example.com/x
                origin: {}
                expect: {asked: none}
            """);

    assertEquals(1, code, () -> out + "\n" + err);
    assertTrue(out.toString().contains("site GET /base/x"), out.toString());
  }

  /** A script that is wrong is not run: place, key, and the nearest that is known. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      textBlock =
          """
          cach: hit;                :9:7: steps.1.expect.cach: unknown key; cache
          cache: hitt;              "hitt" is not known here; hit
          status: 99;               :9:15: steps.1.expect.status; not a number from 100 to 599
          body: {globe: x};         steps.1.expect.body.globe: unknown key; glob
          body: {regex: "("};       not a regular expression of RE2; missing
          asked: {origin: siet};    there is no origin named siet; site
          headers: {"a b": c};      is not the name of a field; a b
          """)
  void refusesAScriptThatIsWrong(String expect, String message, String right) throws Exception {
    int code = run(TWO_STEPS.formatted(expect));

    assertEquals(78, code, () -> out + "\n" + err);
    assertTrue(err.toString().contains(message), err.toString());
    assertTrue(err.toString().contains(right), err.toString());
    assertEquals("", out.toString());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      textBlock =
          """
          request: www.example.com/;                               not an absolute URL
          request: {url: "http://a/", client: nobody};             is not an address
          {request: "http://a/", after: 5 weeks};                  is not a duration
          {request: "http://a/", purge: {tag: x}};                 both request and purge
          name: nothing;                                           neither request nor purge
          {request: "http://a/", repeat: 1001};                    from 1 to 1000
          {request: "http://a/", origin: {size: 1073741824}};      from 0 to
          {request: "http://a/", origin: {fails: sometimes}};      "sometimes" is not known here
          {request: "http://a/", origin: {headers: {Content-Length: 1}}}; is written by who sends
          {purge: {}};                                             names nothing
          {purge: {tag: x}, expect: {status: 200}};                nothing is requested
          """)
  void refusesAStepThatIsWrong(String step, String message) throws Exception {
    int code = run("config: edge.yaml\nsteps:\n  - " + step + "\n");

    assertEquals(78, code, () -> out + "\n" + err);
    assertTrue(err.toString().contains("script.yaml:3:"), err.toString());
    assertTrue(err.toString().contains(message), err.toString());
  }

  @Test
  void aConfigurationThatIsWrongIsReportedAsByCheck() throws Exception {
    int code =
        run(
            """
            config: edge.yaml
            set: {origins.site.protocl: http2}
            steps:
              - request: http://www.example.com/
            """);

    assertEquals(78, code, () -> out + "\n" + err);
    assertTrue(err.toString().contains("origins.site.protocl: unknown key"), err.toString());
  }

  @Test
  void aListenerThatIsNotThereFailsTheStep() throws Exception {
    int code =
        run(
            """
            config: edge.yaml
            steps:
              - request: {url: "http://www.example.com/", listener: frnt}
            """);

    assertEquals(1, code, () -> out + "\n" + err);
    assertTrue(out.toString().contains("front (http), secure (https)"), out.toString());
  }

  @Test
  void theConfigurationIsNamedByScriptOrOption() throws Exception {
    String script = "steps: [{request: 'http://www.example.com/', origin: {}}]\n";

    assertEquals(78, run(script));
    assertTrue(err.toString().contains("config: is missing"), err.toString());
    assertEquals(0, run(script, "-c", directory.resolve("edge.yaml").toString()), out::toString);
  }

  @Test
  void aMissingScriptIsNamed() {
    CommandLine line = Forebay.commandLine();
    line.setErr(new PrintWriter(err));

    assertEquals(78, line.execute("config", "test", directory.resolve("none.yaml").toString()));
    assertTrue(err.toString().contains("none.yaml: cannot be read: no such file"), err.toString());
  }
}
