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

/** Splits as they are configured, and when their groups are in keys. */
final class SplitConfigTest {
  private static final String SPLIT = "{by: cookie v, groups: {beta: 10%, current: 90%}}";

  @TempDir Path directory;

  private ConfigOutcome load(String splits, String route) throws IOException {
    Path file = directory.resolve("forebay.yaml");
    Files.writeString(
        file,
        "origins: {main: http://127.0.0.1:9, beta: http://127.0.0.1:9}\n"
            + "splits: {s: "
            + splits
            + "}\nroutes: [{name: r, origin: main, "
            + route
            + "}]\n");
    return new ConfigLoader(ConfigEnvironment.system()).load(file, Map.of());
  }

  private static String rules(String rules) {
    return "rules: [" + rules + "]";
  }

  private ServerConfig loaded(String splits, String route) throws IOException {
    ConfigOutcome outcome = load(splits, route);
    return assertInstanceOf(ConfigOutcome.Loaded.class, outcome, outcome::toString).config();
  }

  @Test
  void sharesKeepTheirOrderAndAreDumpedAsTheyWereWritten() throws IOException {
    ConfigOutcome outcome =
        load(
            "{by: header X-Id, groups: {z: 0.5%, a: 33.25%, m: 66.25%}}",
            rules("{deny: 403, when: {split: {s: [z, m]}}}"));
    ConfigOutcome.Loaded loaded = assertInstanceOf(ConfigOutcome.Loaded.class, outcome);
    SplitConfig split = loaded.config().splits().getFirst();
    assertEquals(List.of("z", "a", "m"), List.copyOf(split.groups().parts().keySet()));
    assertEquals("z=0.5%,a=33.25%,m=66.25%", split.groups().toString());
    assertEquals("s", split.salt());
    Path dumped = Files.writeString(directory.resolve("dump.yaml"), ConfigView.yaml(loaded));
    ConfigOutcome again = new ConfigLoader(ConfigEnvironment.system()).load(dumped, Map.of());
    assertEquals(
        List.of(),
        ConfigView.diff(
                loaded.config(),
                assertInstanceOf(ConfigOutcome.Loaded.class, again, again::toString).config())
            .changed());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // Rule | whether the groups are in the key
        "when: {split: {s: beta}}, origin: beta                        | true",
        "when: {not: {split: {s: beta}}}, origin: beta                 | true",
        "when: {any: [{path: /a}, {split: {s: beta}}]}, rewrite: {path: /b} | true",
        "when: {split: {s: beta}}, request-headers: {set: {x-a: b}}    | true",
        "when: {split: {s: beta}}, origin: beta, pass: true            | false",
        "when: {split: {s: beta}}, response-headers: {set: {x-a: b}}   | false",
        "when: {split: {s: beta}}, redirect: /b                        | false",
        "when: {path: /a}, origin: beta                                | false",
      })
  void groupsAreInTheKeyIfTheOriginsAnswerDependsOnThem(String rule, boolean isInKey)
      throws IOException {
    ServerConfig config = loaded(SPLIT, rules("{" + rule + "}"));
    assertEquals(
        isInKey ? List.of("", "g=s.beta") : List.of(""),
        config.routes().getFirst().rules().keyGroups().texts());
  }

  @Test
  void whatTheKeyCannotTellApartIsRefused() throws IOException {
    String beta = rules("{when: {split: {s: beta}}, origin: beta}");
    ConfigOutcome search = load(SPLIT, "key: {no-vary-search: true}, " + beta);
    assertTrue(
        search.toString().contains("a split changes what the origin is asked, and the key honours"),
        search::toString);
    String sixteen = "{by: client, groups: {";
    for (int i = 0; i < 15; i++) {
      sixteen += "g" + i + ": 1%, ";
    }
    sixteen += "rest: 85%}}";
    ConfigOutcome many =
        load(sixteen + ", t: " + sixteen, rules("{when: {split: {s: g1, t: g1}}, origin: beta}"));
    assertTrue(
        many.toString()
            .contains("splits with 256 combinations of groups change what the origin is"),
        many::toString);
    ConfigOutcome client =
        load(SPLIT, rules("{when: {split: {s: beta}, client: 10.0.0.0/8}, origin: beta}"));
    assertTrue(
        client.toString().contains("by client, which is not in the key of what is stored"),
        client::toString);
  }
}
