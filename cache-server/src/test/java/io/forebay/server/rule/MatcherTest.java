package io.forebay.server.rule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.RequestView;
import io.forebay.core.http.SyntheticRequest;
import io.forebay.core.http.TargetUri;
import io.forebay.core.http.WireRequest;
import io.forebay.server.config.ConfigEnvironment;
import io.forebay.server.config.ConfigLoader;
import io.forebay.server.config.ConfigOutcome;
import io.forebay.server.counters.RuleErrors;
import io.forebay.server.network.IpAddress;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Every matcher, asked as an exchange and as the fast lane asks it: both say the same, but where
 * the fast lane leaves it to the exchange.
 */
final class MatcherTest {

  private record Client(String listener, String protocol, String tlsVersion, String tlsServerName)
      implements RuleClient {}

  private static final Client CLIENT =
      new Client("default", "HTTP/1.1", "TLSv1.3", "www.example.com");

  /** A Thursday. */
  private static final long NOW = Instant.parse("2026-11-26T10:30:00Z").toEpochMilli();

  @TempDir Path directory;

  private RouteRules rules(String condition) throws IOException {
    Path file = directory.resolve("forebay.yaml");
    Files.writeString(
        file,
        """
        origin: http://127.0.0.1:9
        listen: [{name: default, address: ":8080"}]
        matchers:
          static: {path: {extension: [js, css]}}
          named: {all: [{matches: static}, {not: {path: /private/}}]}
        routes:
          - rules:
              - when: CONDITION
                response-headers: {set: {x: "1"}}
        """
            .replace("CONDITION", condition));
    ConfigOutcome outcome = new ConfigLoader(ConfigEnvironment.system()).load(file, Map.of());
    return assertInstanceOf(ConfigOutcome.Loaded.class, outcome, outcome::toString)
        .config()
        .routes()
        .getFirst()
        .rules();
  }

  private static RequestView request(String target, @Nullable String field) {
    String[] parts = target.split("\\?", 2);
    HeaderFields fields =
        field == null
            ? HeaderFields.EMPTY
            : HeaderFields.of(field.split(": ", 2)[0], field.split(": ", 2)[1]);
    return SyntheticRequest.of(
        "GET",
        new TargetUri(
            "https", "www.example.com:8443", parts[0], parts.length > 1 ? parts[1] : null),
        fields);
  }

  private static @Nullable WireRequest wire(String target, @Nullable String field) {
    WireRequest request = new WireRequest("https");
    byte[] head =
        ("GET "
                + target
                + " HTTP/1.1\r\nHost: www.example.com:8443\r\n"
                + (field == null ? "" : field + "\r\n")
                + "\r\n")
            .getBytes(StandardCharsets.ISO_8859_1);
    return request.read(head, 0, head.length, 8192, 100) == head.length ? request : null;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // Condition | target | field | whether it holds | whether the fast lane can tell
        "{path: /a}                                  | /a           |              | true  | true",
        "{path: /a}                                  | /a/b         |              | true  | true",
        "{path: /a}                                  | /ab          |              | false | true",
        "{path: [/x, /a/]}                           | /a           |              | false | true",
        "{path: [/x, /a/]}                           | /a/          |              | true  | true",
        "{path: {is: /a}}                            | /a/b         |              | false | true",
        "{path: {suffix: .jpg}}                      | /a.jpg       |              | true  | true",
        "{path: {extension: [jpg, PNG]}}             | /a.Png       |              | true  | true",
        "{path: {extension: jpg}}                    | /a.jpg/b     |              | false | true",
        "{path: {extension: jpg}}                    | /jpg         |              | false | true",
        "{path: {glob: '/a/*/c'}}                    | /a/b/c       |              | true  | true",
        "{path: {regex: '^/[0-9]+$'}}                | /12          |              | true  | false",
        "{path: {regex: '^/[0-9]+$'}}                | /1a          |              | false | false",
        "{path: {regex: '^/old/.*x$'}}               | /new/x       |              | false | true",
        "{path: {prefix: /v/, extension: ts}}        | /v/1.ts      |              | true  | true",
        "{path: {prefix: /v/, extension: ts}}        | /w/1.ts      |              | false | true",
        "{path: {prefix: /v/, regex: x}}             | /w/x         |              | false | true",
        "{host: www.example.com}                     | /            |              | true  | true",
        "{host: WWW.example.COM}                     | /            |              | true  | true",
        "{host: '*.example.com'}                     | /            |              | true  | true",
        "{host: '*.example.org'}                     | /            |              | false | true",
        "{host: {regex: '^www[.]'}}                  | /            |              | true  | false",
        "{method: GET}                               | /            |              | true  | true",
        "{method: [POST, PUT]}                       | /            |              | false | true",
        "{query: {a: '1'}}                           | /?a=1        |              | true  | true",
        "{query: {a: '1'}}                           | /?b=2&a=1    |              | true  | true",
        "{query: {a: '1'}}                           | /?aa=1       |              | false | true",
        "{query: {a: '1'}}                           | /            |              | false | true",
        "{query: {a: '*'}}                           | /?a          |              | true  | true",
        "{query: {a: {present: true}}}               | /?b          |              | false | true",
        "{query: {a: 'x y'}}                         | /?a=x%20y    |              | true  | false",
        "{query: {a: 'x y'}}                         | /?%61=x+y    |              | true  | false",
        "{query: {a: '1'}}                           | /?%zz&a=1    |              | true  | false",
        "{query: {a: 'v*'}}                          | /?a=w&a=v1   |              | true  | true",
        "{header: {Accept: 'image/*'}}               | / | Accept: image/webp      | true  | true",
        "{header: {Accept: 'image/*'}}               | / | Accept: text/html       | false | true",
        "{header: {Accept: 'image/*'}}               | /            |              | false | true",
        "{header: {User-Agent: {prefix: [curl, w]}}} | / | User-Agent: curl/8      | true  | true",
        "{header: {User-Agent: {regex: '(?i)BOT'}}}  | / | User-Agent: aBot        | true  | false",
        "{header: {User-Agent: {is: 'a*'}}}          | / | User-Agent: ab          | false | true",
        "{cookie: {id: '*'}}                         | / | Cookie: a=1; id=7       | true  | true",
        "{cookie: {id: '*'}}                         | / | Cookie: a=1; xid=7      | false | true",
        "{cookie: {id: '7'}}                         | / | Cookie: id=7            | true  | true",
        "{cookie: {id: ''}}                          | / | Cookie: id              | true  | true",
        "{client: 192.0.2.0/24}                      | /            |              | true  | true",
        "{client: [10.0.0.0/8, '2001:db8::/32']}     | /            |              | false | true",
        "{listener: default}                         | /            |              | true  | true",
        "{scheme: https}                             | /            |              | true  | true",
        "{scheme: http}                              | /            |              | false | true",
        "{protocol: [HTTP/1.0, HTTP/1.1]}            | /            |              | true  | true",
        "{protocol: HTTP/3}                          | /            |              | false | true",
        "{tls-version: TLSv1.3}                      | /            |              | true  | true",
        "{tls-version: TLSv1.2}                      | /            |              | false | true",
        "{server-name: '*.example.com'}              | /            |              | true  | true",
        "{time: {days: [thu]}}                       | /            |              | true  | true",
        "{time: {days: [fri]}}                       | /            |              | false | true",
        "{time: {from: '10:00', to: '11:00'}}        | /            |              | true  | true",
        "{time: {from: '10:30', to: '10:31'}}        | /            |              | true  | true",
        "{time: {from: '10:00', to: '10:30'}}        | /            |              | false | true",
        "{time: {from: '22:00', to: '11:00', days: wed}} | /        |              | true  | true",
        "{time: {from: '22:00', to: '11:00', days: thu}} | /        |              | false | true",
        "{time: {from: '11:00', to: '12:00', zone: Europe/Berlin}} | / |           | true  | true",
        "{path: /a, method: POST}                    | /a           |              | false | true",
        "{any: [{path: /a}, {path: /b}]}             | /b           |              | true  | true",
        "{any: [{path: /a}, {path: {regex: b}}]}     | /a           |              | true  | true",
        "{any: [{path: /a}, {path: {regex: b}}]}     | /b           |              | true  | false",
        "{all: [{path: /a}, {path: {regex: b}}]}     | /b           |              | false | true",
        "{not: {path: /a}}                           | /b           |              | true  | true",
        "{not: {path: {regex: a}}}                   | /b           |              | true  | false",
        "{expression: 'request.path == \"/a\"'}        | /a           |              | true  | false",
        "{expression: 'request.path == \"/a\"'}        | /b           |              | false | false",
        "{expression: '1 / 0 == 1'}                  | /a           |              | false | false",
        "{not: {expression: '1 / 0 == 1'}}           | /a           |              | false | false",
        "{path: /b, expression: 'true'}              | /a           |              | false | true",
        "{any: [{path: /a}, {expression: 'false'}]}  | /a           |              | true  | true",
        "{any: [{path: /b}, {expression: '1/0==1'}, {expression: 'true'}]} | /a |       | true  | false",
        "{all: [{path: {regex: a}}, {expression: '1/0==1'}]} | /b   |              | false | false",
        "{matches: static}                           | /a.css       |              | true  | true",
        "{matches: named}                            | /private/a.js |             | false | true",
        "{matches: [static, named]}                  | /a.js        |              | true  | true",
      })
  void eachMatcherSaysTheSameInBothLanes(
      String condition, String target, String field, boolean holds, boolean isFast)
      throws IOException {
    RouteRules rules = rules(condition);
    RequestFacts facts = new RequestFacts();
    facts.of(request(target, field), CLIENT, IpAddress.of("192.0.2.7"), NOW);
    assertEquals(holds, !rules.of(facts, new RuleErrors()).rules().isEmpty());
    WireRequest wire = wire(target, field);
    if (wire != null) {
      RuleOutcome outcome = new RuleOutcome();
      facts.ofFastLane(wire, CLIENT, IpAddress.of("192.0.2.7"), NOW);
      assertEquals(isFast, rules.ofFastLane(facts, outcome), "told by the fast lane");
      if (isFast) {
        assertEquals(holds, outcome.editCount() == 1, "in the fast lane");
      }
    } else {
      assertTrue(target.contains("%zz"), "a request that the fast lane does not read");
    }
  }

  @Test
  void aClientWhomOnlyAProxyNamesIsLeftToTheExchange() throws IOException {
    RouteRules rules = rules("{client: 192.0.2.0/24}");
    WireRequest wire = Objects.requireNonNull(wire("/", null));
    RequestFacts facts = new RequestFacts().ofFastLane(wire, CLIENT, null, NOW);
    assertEquals(false, rules.ofFastLane(facts, new RuleOutcome()));
    facts.of(request("/", null), CLIENT, null, NOW);
    assertEquals(
        0, rules.of(facts, new RuleErrors()).rules().size(), "an unknown address is in no network");
  }

  /** Random conditions over random requests: no request breaks one, and both lanes agree. */
  @Test
  void randomConditionsAgreeInBothLanes() throws IOException {
    long seed = System.nanoTime();
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 150; i++) {
      String condition = condition(random, 3);
      RouteRules rules = rules(condition);
      RequestFacts facts = new RequestFacts();
      RuleOutcome outcome = new RuleOutcome();
      for (int j = 0; j < 50; j++) {
        String target = "/" + text(random, "ab/.x", 5) + "?" + text(random, "ab=&+1", 8);
        String field = random.nextBoolean() ? null : "Cookie: " + text(random, "ab=; 1", 8) + "1";
        WireRequest wire = wire(target, field);
        if (wire == null) {
          continue;
        }
        facts.ofFastLane(wire, CLIENT, IpAddress.of("10.0.0.1"), NOW);
        boolean isTold = rules.ofFastLane(facts, outcome);
        facts.of(request(target, field), CLIENT, IpAddress.of("10.0.0.1"), NOW);
        boolean holds = !rules.of(facts, new RuleErrors()).rules().isEmpty();
        assertTrue(
            !isTold || holds == (outcome.editCount() == 1),
            () -> condition + " " + target + " " + field + " seed " + seed);
      }
    }
  }

  private static String condition(SplittableRandom random, int depth) {
    String value = text(random, "ab*1", 2) + "a";
    return switch (random.nextInt(depth == 0 ? 6 : 9)) {
      case 0 -> "{path: /" + text(random, "ab", 2) + "}";
      case 1 -> "{path: {glob: '*" + value + "'}}";
      case 2 -> "{query: {a: '" + value + "'}}";
      case 3 -> "{cookie: {a: '" + value + "'}}";
      case 4 -> "{path: {regex: '" + text(random, "ab", 2) + "a'}}";
      case 5 -> "{path: {extension: [a, x]}}";
      case 6 -> "{not: " + condition(random, depth - 1) + "}";
      case 7 ->
          "{all: [" + condition(random, depth - 1) + ", " + condition(random, depth - 1) + "]}";
      default ->
          "{any: [" + condition(random, depth - 1) + ", " + condition(random, depth - 1) + "]}";
    };
  }

  private static String text(SplittableRandom random, String letters, int most) {
    StringBuilder text = new StringBuilder();
    for (int length = random.nextInt(most + 1); length > 0; length--) {
      text.append(letters.charAt(random.nextInt(letters.length())));
    }
    return text.toString();
  }
}
