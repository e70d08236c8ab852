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

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // Conditions
        "[{when: {pth: /a}, deny: 403}] | .0.when.pth: unknown key; did you mean path?",
        "[{when: {}, deny: 403}] | .0.when: an empty condition; known here: host, path,",
        "[{when: /a, deny: 403}] | .0.when: keys are required here",
        "[{when: {path: a}, deny: 403}] | .0.when.path: \"a\" is not a path",
        "[{when: {path: /a/../b}, deny: 403}] | \"/a/../b\" is a path that is not in normal form; write /b",
        "[{when: {path: '/a?b'}, deny: 403}] | .0.when.path: \"/a?b\" is not a path",
        "[{when: {path: {}}, deny: 403}] | .0.when.path: nothing to compare with; known here: is, prefix",
        "[{when: {path: {prefx: /a}}, deny: 403}] | .0.when.path.prefx: unknown key; did you mean prefix?",
        "[{when: {path: {extension: a/b}}, deny: 403}] | \"a/b\" is not the extension of a file",
        "[{when: {path: {glob: 'a*'}}, deny: 403}] | \"a*\" matches no path; begin it with / or *",
        "[{when: {path: {suffix: 'ä'}}, deny: 403}] | has characters that no path has; percent-encode them",
        "[{when: {path: {regex: '('}}, deny: 403}] | .0.when.path.regex: not a regular expression",
        "[{when: {path: {regex: '(a{1000}){1000}'}}, deny: 403}] | repetitions make it too large",
        "[{when: {path: {regex: ''}}, deny: 403}] | an empty expression matches everything",
        "[{when: {path: []}, deny: 403}] | .0.when.path: an empty list",
        "[{when: {path: }, deny: 403}] | .0.when.path: no value is given",
        "[{when: {host: 'a:80'}, deny: 403}] | .0.when.host: \"a:80\" is not a host without a port",
        "[{when: {host: {sufix: a}}, deny: 403}] | .0.when.host.sufix: unknown key; did you mean suffix?",
        "[{when: {method: get}, deny: 403}] | .0.when.method: methods are case-sensitive; write GET",
        "[{when: {method: 'G T'}, deny: 403}] | \"G T\" is not a method; write methods such as GET",
        "[{when: {header: {}}, deny: 403}] | .0.when.header: names nothing; write NAME: VALUE",
        "[{when: {header: {'a b': c}}, deny: 403}] | .0.when.header.a b: not the name of a header field",
        "[{when: {header: {Host: c}}, deny: 403}] | HTTP/2 requests have no Host field; use the condition host",
        "[{when: {header: {a: {present: no}}}, deny: 403}] | only true can be written here; put the condition below not",
        "[{when: {cookie: {'a=b': c}}, deny: 403}] | not the name of a cookie",
        "[{when: {query: a}, deny: 403}] | .0.when.query: keys are required here",
        "[{when: {client: 10.0.0.0/40}, deny: 403}] | .0.when.client: \"10.0.0.0/40\" is not a network",
        "[{when: {country: DE}, deny: 403}] | .0.when.country: there is no geo.country-file; set it",
        "[{when: {country: UK}, deny: 403}] | .0.when.country: \"UK\" is not known here",
        "[{when: {country: de}, deny: 403}] | .0.when.country: \"de\" is not known here",
        "[{when: {asn: 64500}, deny: 403}] | .0.when.asn: there is no geo.asn-file; set it",
        "[{when: {ja4: t13*}, deny: 403}] | .0.when.ja4: clients have no fingerprints; set tls.ja4 to true",
        "[{when: {client-certificate: {verified: true}}, deny: 403}] | .0.when.client-certificate: no client is asked for a certificate; set certificates.NAME.client-auth",
        "[{when: {listener: wb}, deny: 403}] | \"wb\" is not known here; did you mean web?",
        "[{when: {scheme: ftp}, deny: 403}] | .0.when.scheme: \"ftp\" is not known here",
        "[{when: {protocol: HTTP/4}, deny: 403}] | .0.when.protocol: \"HTTP/4\" is not known here; did you mean HTTP/",
        "[{when: {tls-version: TLSv1}, deny: 403}] | .0.when.tls-version: \"TLSv1\" is not known here",
        "[{when: {time: {}}, deny: 403}] | .0.when.time: names no time; give days, or from and to",
        "[{when: {time: {days: [Monday]}}, deny: 403}] | .0.when.time.days: \"Monday\" is not known here",
        "[{when: {time: {from: '8:00', to: '09:00'}}, deny: 403}] | \"8:00\" is not a time of day; write one such as \"08:30\"",
        "[{when: {time: {from: '08:00'}}, deny: 403}] | from and to belong together",
        "[{when: {time: {days: [mon], zone: Mars/X}}, deny: 403}] | \"Mars/X\" is not a time zone",
        "[{when: {matches: bot}, deny: 403}] | there is no matcher named bot; did you mean bots?",
        "[{when: {all: {path: /a}}, deny: 403}] | .0.when.all: not a list of conditions",
        "[{when: {any: []}, deny: 403}] | .0.when.any: not a list of conditions",
        "[{when: {not: [{path: /a}]}, deny: 403}] | .0.when.not: keys are required here",
        "[{when: {response: {status: 404}}, deny: 403}] | a condition on the response can only stand beside ttl",
        "[{when: {not: {not: {not: {not: {not: {not: {not: {not: {path: /}}}}}}}}}, deny: 403}] | nested deeper than 8 levels",
        // Rules
        "{deny: 403} | routes.0.rules: not a list of rules; begin each rule with a dash",
        "[deny] | routes.0.rules.0: keys are required here",
        "[{when: {path: /a}}] | routes.0.rules.0: the rule does nothing; add one of deny,",
        "[{den: 403}] | routes.0.rules.0.den: unknown key; did you mean deny?",
        "[{name: 'a b', deny: 403}] | routes.0.rules.0.name: \"a b\"",
        "[{use: save}] | there is no set of rules named save; did you mean safe?",
        "[{use: safe, deny: 403}] | a rule that uses a set has no other keys",
        "[{deny: 403, redirect: /a}] | routes.0.rules.0.redirect: deny is given as well; keep one of them",
        // Actions
        "[{deny: 200}] | .0.deny: \"200\" is not a number from 400 to 599",
        "[{deny: {statu: 403}}] | .0.deny.statu: unknown key; did you mean status?",
        "[{redirect: {status: 301}}] | .0.redirect.to: is missing",
        "[{redirect: {map: /does/not/exist}}] | .0.redirect.map: \"/does/not/exist\" is not a file that can be read",
        "[{redirect: {map: a, to: /b}}] | .0.redirect.map: to is given as well; keep one of them",
        "[{redirect: {to: /b, by: uri}}] | .0.redirect.by: only a map is searched by something; add map",
        "[{redirect: {map: a, by: host}}] | .0.redirect.by: \"host\" is not known here; known here: path, uri, host-path",
        "[{redirect: {mapp: a}}] | .0.redirect.mapp: unknown key; did you mean map?",
        "[{redirect: {to: /a, status: 300}}] | \"300\" is not known here; did you mean 30",
        "[{redirect: a}] | .0.redirect: does not say for sure which host it leads to",
        "[{redirect: //a.example/}] | does not say for sure which host it leads to",
        "[{redirect: 'https://$1/'}] | does not say for sure which host it leads to",
        "[{redirect: /$1}] | names $1, but no regex on the path has so many groups",
        "[{when: {path: {regex: '^/(a)'}}, redirect: /$2}] | names $2, but no regex on the path",
        "[{when: {not: {path: {regex: '^/(a)'}}}, redirect: /$1}] | names $1, but no regex on the path",
        "[{redirect: /$hots}] | no variable $hots: there are $scheme, $host,",
        "[{redirect: '/a$'}] | a lone $",
        "[{redirect: \"/a\\r\\nb\"}] | has characters other than printable ASCII",
        "[{respond: 100}] | .0.respond: \"100\" is not a number from 200 to 599",
        "[{respond: 304}] | a rule cannot respond with 304",
        "[{respond: {status: 204, text: a}}] | a response with status 204 has no body",
        "[{respond: {text: a, file: b}}] | .0.respond.file: text is given as well",
        "[{respond: {file: /does/not/exist}}] | \"/does/not/exist\" is not a file that can be read",
        "[{respond: {text: a, headers: {Content-Type: b}}}] | it has a key of its own; use type",
        "[{respond: {text: a, headers: {Content-Length: 1}}}] | the node writes this field itself",
        "[{respond: {type: \"a\\nb\"}}] | .0.respond.type: has characters other than printable ASCII",
        "[{origin: man}] | .0.origin: \"man\" is not known here; known here: default",
        "[{pass: maybe}] | .0.pass: \"maybe\" is neither true nor false",
        "[{deny: 403, pass: true}] | deny ends the request, so the origin is not asked",
        "[{redirect: /a, origin: default}] | redirect ends the request, so the origin is not asked",
        "[{rewrite: {}}] | .0.rewrite: needs exactly one key; write one of path, strip-prefix, add-prefix",
        "[{rewrite: {path: a}}] | .0.rewrite.path: not a path; begin it with /, $path or $uri",
        "[{rewrite: {path: //a}}] | .0.rewrite.path: not a path",
        "[{rewrite: {path: /$1}}] | names $1, but no regex on the path has so many groups",
        "[{rewrite: {strip-prefix: a}}] | .0.rewrite.strip-prefix: \"a\" is not a path",
        "[{rewrite: {add-prefix: /a/}}] | .0.rewrite.add-prefix: ends with a slash",
        "[{rewrite: {path: /a, add-prefix: /b}}] | .0.rewrite: needs exactly one key",
        "[{request-headers: {set: {Host: a}}}] | the origin has a key for it; use host of the origin",
        "[{request-headers: {set: {Range: a}}}] | .set.Range: the node writes this field itself",
        "[{request-headers: {remove: [X-Forwarded-For]}}] | .remove: the node writes this field itself",
        "[{when: {header: {x-a: b}}, origin: default}] | by header x-a, which is not in the key of what is stored; add it",
        "[{when: {cookie: {a: b}}, rewrite: {path: /x}}] | by cookie a, which is not in the key",
        "[{when: {client: 10.0.0.0/8, time: {days: [mon]}}, request-headers: {set: {x: y}}}] | by time, client, which is not in the key",
        "[{when: {method: GET}, origin: default}] | by method, which is not in the key",
        "[{response: {status: 404}}] | the rule does nothing with the response; add one of ttl, grace,",
        "[{response: {status: 404}, deny: 403}] | deny cannot depend on the response; write a rule of its own",
        "[{response: {status: 404}, ttl: 1s, request-headers: {remove: a}}] | request-headers cannot depend on the response",
        "[{response: {status: 404}, response-headers: {remove: a}, respond: 204}] | respond cannot depend on the response",
        "[{response: {content-typ: a}, response-headers: {remove: a}}] | .0.response.content-typ: unknown key; did you mean content-type?",
        "[{response: {header: {a: {regex: '('}}}, response-headers: {remove: a}}] | not a regular expression",
        "[{response-headers: {default: {a: $host}}}] | .0.response-headers.default: a default has no variables; use set",
        "[{response-headers: {default: {Age: 1}}}] | .default.Age: the node writes this field itself",
        "[{request-headers: {default: {a: b}}}] | .0.request-headers.default: unknown key; known here: set, add, remove",
        "[{response: {}, ttl: 1s}] | .0.response: an empty condition; known here: status, content-type, header",
        "[{response: {status: 99}, ttl: 1s}] | .0.response.status: \"99\" is not a status; write statuses",
        "[{response: {status: 299-200}, ttl: 1s}] | \"299-200\" is not a status",
        "[{response: {stats: 404}, ttl: 1s}] | .0.response.stats: unknown key; did you mean status?",
        "[{response: {header: {'a b': c}}, ttl: 1s}] | not the name of a header field",
        "[{ttl: 1}] | .0.ttl: \"1\" is a number without a unit",
        "[{grace: -1s}] | .0.grace: \"-1s\" is not a duration",
        "[{cache: true}] | .0.cache: only false can be written here; use ttl",
        "[{deny: 403, ttl: 1s}] | deny ends the request, so the origin is not asked",
        "[{response-headers: {}}] | .0.response-headers: changes nothing; known here: set, add, remove",
        "[{response-headers: {sat: {a: b}}}] | .0.response-headers.sat: unknown key; did you mean set?",
        "[{response-headers: {set: {'a b': c}}}] | \"a b\" is not the name of a header field",
        "[{response-headers: {set: {Age: 1}}}] | .set.Age: the node writes this field itself",
        "[{response-headers: {remove: [Transfer-Encoding]}}] | .remove: the node writes this field itself",
        "[{response-headers: {add: {Strict-Transport-Security: a}}}] | only hsts of the route sets this field",
        "[{response-headers: {set: {a: b}, remove: A}}] | a is both set and removed",
        "[{response-headers: {set: {a: \"b\\r\\nc: d\"}}}] | has characters other than printable ASCII",
        "[{response-headers: {set: {a: $x}}}] | no variable $x",
        "[{hold-body: 1}] | .0.hold-body: \"1\" is out of range; write 1KiB to 1GiB",
        "[{hold-body: true}] | .0.hold-body: \"true\"",
        "[{redirect: /a, hold-body: 1MiB}] | redirect ends the request, so the origin is not asked",
        "[{mirror: nowhere}] | .0.mirror: \"nowhere\" is not known here; known here: default",
        "[{mirror: {share: 5%}}] | .0.mirror.origin: is missing; name an origin",
        "[{mirror: {origin: default, share: 0%}}] | .0.mirror.share: \"0\" is out of range",
        "[{mirror: {origin: default, share: 5}}] | .0.mirror.share: \"5\" is not a percentage",
        "[{mirror: {origin: default, requests: some}}] | .0.mirror.requests: \"some\" is not known here",
        "[{mirror: {origin: default, secrets: 2}}] | .0.mirror.secrets: \"2\" is neither true nor false",
        "[{mirror: {origin: default, body: 1}}] | .0.mirror.body: unknown key",
        "[{deny: 403, mirror: default}] | deny ends the request, so the origin is not asked",
      })
  void whatIsWrongIsSaidWithItsPlace(String rules, String expected) throws IOException {
    List<ConfigProblem> problems = refused(withRules(rules));
    String text = problems.toString();
    assertTrue(text.contains(expected), text);
    assertEquals(1, problems.size(), text);
    assertTrue(text.contains("forebay.yaml:6:"), "the line of the rule: " + text);
    assertTrue(problems.getFirst().column() > 1, text);
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
