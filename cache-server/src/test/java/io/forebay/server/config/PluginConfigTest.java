package io.forebay.server.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.plugin.PluginJars;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is refused of rules with plugins, and where that is. */
final class PluginConfigTest {
  private static final String PLUGIN =
      """
      import io.forebay.plugin.*;
      import java.util.List;

      @PluginInfo(name = "partners", api = Plugin.API_VERSION)
      public class Partners implements Plugin {
        public Handler handler(PluginConfig config) throws PluginConfigException {
          String secret = config.requiredText("secret");
          long window = config.number("window", 60, 1, 3600);
          String group = config.text("group").orElse("");
          String origin = config.text("origin").orElse("");
          class Both implements RequestPhase, OriginRequestPhase {
            public List<Group> groups() {
              return group.isEmpty() ? List.of()
                  : List.of(origin.isEmpty() ? Group.of(group) : Group.of(group).to(origin));
            }
            public RequestDecision onRequest(ClientRequest r) { return RequestDecision.proceed(); }
            public OriginRequestEdits onOriginRequest(OriginRequest r) {
              return OriginRequestEdits.NONE;
            }
          }
          return new Both();
        }
      }
      """;

  @TempDir Path directory;

  @BeforeEach
  void makeJar() throws IOException {
    Files.createDirectory(directory.resolve("jars"));
    PluginJars.write(directory.resolve("jars/partners.jar"), PLUGIN);
  }

  private ConfigOutcome load(String rules) throws IOException {
    return load("plugins: {directory: DIR/jars}\n", "", rules);
  }

  private ConfigOutcome load(String plugins, String key, String rules) throws IOException {
    Path file = directory.resolve("forebay.yaml");
    Files.writeString(
        file,
        "origin: http://127.0.0.1:9\n"
            + plugins.replace("DIR", directory.toString())
            + "routes:\n  - name: r\n"
            + (key.isEmpty() ? "" : "    key: " + key + "\n")
            + "    rules:\n"
            + rules.indent(6));
    return new ConfigLoader(ConfigEnvironment.system()).load(file, Map.of());
  }

  private static ConfigProblem only(ConfigOutcome outcome) {
    List<ConfigProblem> problems =
        assertInstanceOf(ConfigOutcome.Refused.class, outcome, outcome::toString).problems();
    assertEquals(1, problems.size(), problems::toString);
    return problems.getFirst();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        // Rule, which begins in line 6, column 9 | line:column | what is said
        "- plugin: partner | 6:17 | there is no plugin named \"partner\"; did you mean partners?",
        "- plugin: partners | 6:17 | plugin.config.secret: is missing",
        "- plugin: {name: partners, config: {}} | 6:42 | config.secret: is missing",
        "- plugin: {name: partners, config: {secret: s, window: 0}} | 6:62 | not a number from 1 to 3600",
        "- plugin: {name: partners, config: {secret: s, windw: 5}} | 6:54 | unknown key; did you mean window?",
        "- plugin: {name: partners, config: {secret: [a, b]}} | 6:51 | a list, where one value is expected",
        "- plugin: {config: {secret: s}} | 6:17 | plugin.name: is missing",
        "- plugin: {name: partners, on-err: open, config: {secret: s}} | 6:34 | unknown key; did you mean on-error?",
        "- plugin: {name: partners, on-error: ajar, config: {secret: s}} | 6:44 | \"ajar\" is not known here",
        "- {deny: 403, plugin: {name: partners, config: {secret: s}}} | 6:10 | a rule with a plugin has no other actions but pass",
        "- plugin: {name: partners, config: {secret: s, group: a, origin: none}} | 6:24 | group a goes to origin none, which is not there",
        "- plugin: {name: partners, config: {secret: s, group: A}} | 6:24 | a group's name has 1 to 32 lower-case letters",
        "- {when: {header: {x-a: b}}, plugin: {name: partners, config: {secret: s}}} | 6:9 | changes what the origin is asked by header x-a",
        "- {on-error: skip, plugin: {name: partners, config: {secret: s}}} | 6:10 | only an expression can have no value",
      })
  void isRefusedWithItsPlace(String rule, String place, String message) throws IOException {
    ConfigProblem problem = only(load(rule));
    String text = problem.toString();
    assertTrue(text.contains(message), text);
    assertEquals(place, problem.line() + ":" + problem.column(), text);
  }

  @Test
  void isTaken() throws IOException {
    ConfigOutcome.Loaded loaded =
        assertInstanceOf(
            ConfigOutcome.Loaded.class,
            load(
                """
                - name: partners
                  when: {path: /partners/}
                  plugin: {name: partners, on-error: open, config: {secret: s, group: a}}
                """));
    assertEquals(
        List.of("p=partners.a"),
        loaded.config().routes().getFirst().rules().keyGroups().texts().subList(1, 2));
    loaded.config().plugins().set().close();
  }

  @Test
  void withoutADirectoryThereIsNoPlugin() throws IOException {
    ConfigProblem problem = only(load("", "", "- plugin: partners"));
    assertTrue(
        problem.toString().contains("put its jar into the directory that plugins.directory names"),
        problem::toString);
  }

  @Test
  void aJarThatCannotBeLoadedIsAProblemOfTheDirectoryAlone() throws IOException {
    Files.writeString(directory.resolve("jars/partners.jar"), "no jar");
    ConfigProblem problem = only(load("- plugin: partners"));
    assertEquals("2:22", problem.line() + ":" + problem.column());
    assertTrue(problem.toString().contains("partners.jar: is not a jar file"), problem::toString);
  }

  @Test
  void oneRouteHasGroupsOfAPluginOnce() throws IOException {
    ConfigProblem problem =
        only(
            load(
                """
                - plugin: {name: partners, config: {secret: s, group: a}}
                - plugin: {name: partners, config: {secret: s, group: a}}
                """));
    assertTrue(
        problem.toString().contains("another rule of the route has groups of plugin partners"));
    assertEquals(7, problem.line());
  }

  @Test
  void groupsDoNotGoWithNoVarySearch() throws IOException {
    ConfigProblem problem =
        only(
            load(
                "plugins: {directory: DIR/jars}\n",
                "{no-vary-search: true}",
                "- plugin: {name: partners, config: {secret: s, group: a}}"));
    assertTrue(problem.toString().contains("a plugin changes what"), problem::toString);
  }
}
