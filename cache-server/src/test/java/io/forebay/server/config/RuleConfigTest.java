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

/** What is refused of rules, and what is said of it. */
final class RuleConfigTest {
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

  private static String withRules(String rules) {
    return "origin: http://127.0.0.1:9\nlisten: [{name: web, address: ':8080'}]\n"
        + "matchers: {bots: {header: {User-Agent: '*bot*'}}}\n"
        + "rule-sets: {safe: [{response-headers: {set: {x-a: b}}}]}\n"
        + "routes:\n  - rules: "
        + rules
        + "\n";
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{} | .client-certificate: an empty condition; known here: verified, subject,",
        "{subjct: a} | .client-certificate.subjct: unknown key; did you mean subject?",
        "{subject: {}} | .subject: names nothing; known here: CN, O,",
        "{subject: {cn: a}} | .subject.cn: unknown key; known here: CN, O,",
        "{subject: {regex: '('}} | .subject.regex: not a regular expression",
        "{issuer: []} | .issuer: an empty list",
        "{san: {dns: 'a:80'}} | .san.dns: \"a:80\" is not a host without a port",
        "{san: {ip: 10.0.0.1}} | .san.ip: unknown key",
        "{verified: maybe} | .verified: \"maybe\" is not known here",
        "{fingerprint: 'ab:cd'} | .fingerprint: \"ab:cd\" is not the SHA-256 of a certificate",
      })
  void conditionsOnCertificatesAreChecked(String condition, String message) throws IOException {
    List<ConfigProblem> problems =
        refused(
            "origin: http://127.0.0.1:9\nlisten: [{address: ':8443', tls: {default: a}}]\n"
                + "certificates: {a: {certificate: a.pem, key: a.key, client-ca: ca.pem,"
                + " client-auth: optional}}\n"
                + "routes:\n  - rules:\n      - when: {client-certificate: "
                + condition
                + "}\n        deny: 403\n");
    assertTrue(problems.toString().contains(message), problems.toString());
    assertTrue(problems.toString().contains("forebay.yaml:6"), problems.toString());
  }

  @Test
  void conditionsOnCertificatesNeedClientsThatAreAskedForOne() throws IOException {
    assertTrue(
        refused(withRules("[{when: {client-certificate: {verified: true}}, deny: 403}]"))
            .toString()
            .contains("no client is asked for a certificate; set certificates.NAME.client-auth"));
  }

  @Test
  void matchersThatNameEachOtherAreRefused() throws IOException {
    List<ConfigProblem> problems =
        refused(
            "origin: http://127.0.0.1:9\n"
                + "matchers:\n  a: {matches: b}\n  b: {not: {matches: c}}\n  c: {matches: a}\n");
    assertEquals(1, problems.size(), problems::toString);
    assertEquals(3, problems.getFirst().line());
    assertTrue(
        problems.getFirst().text().contains("matchers.a: it names itself: a -> b -> c -> a"),
        problems::toString);
  }

  @Test
  void aSetOfRulesCannotUseAnotherAndIsReportedOnce() throws IOException {
    List<ConfigProblem> problems =
        refused(
            "origin: http://127.0.0.1:9\n"
                + "rule-sets: {a: [{use: b}], b: [{deny: 1}]}\n"
                + "routes: [{match: {path: /a}, rules: [{use: b}]}, {rules: [{use: b}]}]\n");
    assertEquals(2, problems.size(), problems::toString);
    assertTrue(
        problems.toString().contains("rule-sets.a.0.use: a set of rules cannot use another"));
    assertTrue(problems.toString().contains("rule-sets.b.0.deny: \"1\" is not a number"));
  }

  /** As long as the origin's answer depends on nothing but the key, the next client may get it. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "                                       | {host: a, path: /a, query: {q: 1}}     | true",
        "                                       | {method: [POST, PUT]}                  | true",
        "                                       | {method: [GET, HEAD]}                  | true",
        "                                       | {any: [{path: /a}, {listener: web}]}   | false",
        "key: {headers: [X-A]}                  | {header: {x-a: b}}                     | true",
        "key: {headers: [X-A]}                  | {header: {x-b: b}}                     | false",
        "key: {headers: [Accept-Language]}      | {header: {accept-language: de}}        | false",
        "key: {headers: [Authorization]}        | {header: {authorization: x}}           | false",
        "key: {cookies: [a]}                    | {cookie: {a: b}}                       | true",
        "{key: {cookies: [a]}, request-cookies: {strip: [a]}} | {cookie: {a: b}}        | false",
        "                                       | {scheme: https}                        | true",
        "key: {scheme: false}                   | {scheme: https}                        | false",
        "key: {host: one.example}               | {host: a}                              | false",
        "key: {fold-path-case: true}            | {path: /a}                             | false",
        "key: {query: ignore}                   | {query: {q: 1}}                        | false",
        "key: {strip: [q*]}                     | {query: {q: 1}}                        | false",
        "key: {keep: [r]}                       | {query: {q: 1}}                        | false",
        "key: {keep: [q]}                       | {query: {q: 1}}                        | true",
      })
  void theOriginIsChosenByWhatIsInTheKey(String setting, String condition, boolean isFine)
      throws IOException {
    String key =
        setting == null
            ? ""
            : (setting.startsWith("{") ? setting.substring(1, setting.length() - 1) : setting)
                + ", ";
    String yaml =
        "origins: {a: http://127.0.0.1:9, b: http://127.0.0.1:9}\n"
            + "listen: [{name: web, address: ':8080'}]\n"
            + "routes: [{origin: a, "
            + key
            + "rules: [{when: "
            + condition
            + ", origin: b, PASS}]}]\n";
    ConfigOutcome outcome = load(yaml.replace(", PASS", ""));
    assertEquals(isFine, outcome instanceof ConfigOutcome.Loaded, outcome::toString);
    ConfigOutcome passing = load(yaml.replace("PASS", "pass: true"));
    assertTrue(passing instanceof ConfigOutcome.Loaded, passing::toString);
  }

  @Test
  void thereAreBounds() throws IOException {
    String many = "[" + "{deny: 403}, ".repeat(1000) + "{deny: 403}]";
    assertTrue(refused(withRules(many)).toString().contains("1001 rules; use at most 1000"));
    String wide = "[{when: {any: [" + "{path: /a}, ".repeat(256) + "{path: /b}]}, deny: 403}]";
    assertTrue(refused(withRules(wide)).toString().contains("more than 256 conditions"));
    String expanded =
        "origin: http://127.0.0.1:9\nmatchers:\n  a: {any: ["
            + "{path: /a}, ".repeat(99)
            + "{path: /b}]}\n  b: {any: [{matches: a}, {not: {matches: a}}, {not: {matches: a}}]}\n";
    assertTrue(refused(expanded).toString().contains("conditions with those of its matchers"));
    String longText = "[{respond: {text: '" + "a".repeat(65_537) + "'}}]";
    assertTrue(refused(withRules(longText)).toString().contains("write at most 65536"));
  }

  @Test
  void rulesAreDumpedSoThatTheyLoadTheSame() throws IOException {
    ConfigOutcome.Loaded loaded =
        assertInstanceOf(
            ConfigOutcome.Loaded.class,
            load(
                withRules(
                    "[{use: safe}, {name: x, when: {matches: bots, path: {regex: '^/(.*)\"\\\\.a$'}},"
                        + " redirect: {to: '/$$${x/$1', status: 308}}]".replace("$$${x", "$$x"))));
    String dumped = ConfigView.yaml(loaded);
    assertTrue(dumped.contains("forebay.yaml:6"), dumped);
    ConfigOutcome.Loaded again = assertInstanceOf(ConfigOutcome.Loaded.class, load(dumped), dumped);
    assertEquals(loaded.config().routes(), again.config().routes());
    assertEquals(loaded.config().matchers(), again.config().matchers());
    assertEquals(loaded.config().ruleSets(), again.config().ruleSets());
    assertTrue(ConfigView.json(loaded.config()).contains("\"redirect\" : {"));
    assertTrue(ConfigView.diff(loaded.config(), again.config()).changed().isEmpty());
  }

  @Test
  void aChangedRuleIsAChangedRoute() throws IOException {
    ServerConfig before = loaded(withRules("[{deny: 403}]"));
    ServerConfig after = loaded(withRules("[{deny: 404}]"));
    assertEquals(List.of("routes.route-1.rules"), ConfigView.diff(before, after).changed());
    assertEquals(List.of(), ConfigView.diff(before, after).needsRestart());
  }

  @Test
  void theEnvironmentMayHoldRules() throws IOException {
    Path file = directory.resolve("forebay.yaml");
    Files.writeString(file, "origin: http://127.0.0.1:9\nroutes: [{match: {path: /}}]\n");
    ConfigOutcome outcome =
        new ConfigLoader(ConfigEnvironment.system())
            .load(file, Map.of("routes.0.rules", "[{deny: 410}]"));
    ServerConfig config = assertInstanceOf(ConfigOutcome.Loaded.class, outcome).config();
    assertEquals("[{\"deny\": \"410\"}]", config.routes().getFirst().rules().toString());
  }

  private ServerConfig loaded(String yaml) throws IOException {
    return assertInstanceOf(ConfigOutcome.Loaded.class, load(yaml)).config();
  }
}
