package io.forebay.server.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.ServerConfig.ListenerConfig;
import io.forebay.server.config.ServerConfig.OriginConfig;
import io.forebay.server.config.ServerConfig.RouteConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Several files that are one configuration, and what is said where they do not fit together. */
final class ConfigIncludesTest {
  @TempDir Path directory;

  private ConfigLoader loader() {
    return new ConfigLoader(
        new ConfigEnvironment(
            Map.of("WHERE", "conf.d"), directory, directory, directory, directory, "test"));
  }

  /** Writes a file; {@code \n} in the text ends a line. */
  private Path write(String name, String text) throws IOException {
    Path file = directory.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, text.replace("\\n", "\n"));
  }

  private ConfigOutcome load(String main) throws IOException {
    return loader().load(write("forebay.yaml", main), Map.of());
  }

  private ConfigOutcome.Loaded loaded(String main) throws IOException {
    ConfigOutcome outcome = load(main);
    return assertInstanceOf(ConfigOutcome.Loaded.class, outcome, outcome::toString);
  }

  private List<String> refused(String main) throws IOException {
    ConfigOutcome outcome = load(main);
    return assertInstanceOf(ConfigOutcome.Refused.class, outcome, outcome::toString)
        .problems()
        .stream()
        .map(problem -> problem.text().replace(directory + "/", ""))
        .toList();
  }

  @Test
  void filesAreOneConfigurationInTheOrderOfTheirNames() throws IOException {
    write(
        "conf.d/20-b.yaml",
        "origins: {b: http://b}\nroutes: [{name: b, match: {path: /b}, origin: b}]");
    write(
        "conf.d/10-a.yaml",
        "routes:\n  - {name: a, match: {path: /a}, origin: main}\n"
            + "limits: {fills: 300}\nmatchers: {bots: {path: /bots}}\ninclude: [sub/x.yaml]\n");
    write(
        "conf.d/sub/x.yaml",
        "listen: [{name: more, address: ':8082'}]\n"
            + "timeouts: {drain: 7s}\nroutes: [{name: x, match: {path: /x}, origin: b, rules: [{when: {matches: bots}, deny: 410}]}]");
    write("conf.d/.hidden.yaml", "nonsense");
    write("conf.d/a.yaml.orig", "nonsense");
    write("conf.d/empty.yaml", "# nothing\n");
    Files.createDirectories(directory.resolve("conf.d/directory.yaml"));
    ConfigOutcome.Loaded loaded =
        loaded(
            "include: ${WHERE}/*.yaml\n"
                + "origins: {main: http://main}\nlisten: [{name: first, address: ':8081'}]\n"
                + "limits: {connections: 1000}\n"
                + "routes: [{name: main, origin: main}]\n");
    ServerConfig config = loaded.config();
    assertEquals(
        List.of("main", "a", "x", "b"), config.routes().stream().map(RouteConfig::name).toList());
    assertEquals(
        List.of("main", "b"),
        config.origins().stream().map(OriginConfig::name).sorted().toList().reversed());
    assertEquals(
        List.of("first", "more"), config.listeners().stream().map(ListenerConfig::name).toList());
    assertEquals(300, config.limits().fills());
    assertEquals(1000, config.limits().connections());
    assertEquals(7, config.timeouts().drain().toSeconds());
    String dumped = ConfigView.yaml(loaded);
    assertTrue(dumped.contains("# from " + directory + "/conf.d/sub/x.yaml:2"), dumped);
    assertEquals(4, loaded.text().included().size());
    assertEquals("***", loaded.text().toString());

    // Rolled back: no file is looked at.
    try (var files = Files.list(directory.resolve("conf.d"))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Files.delete(file);
      }
    }
    ConfigOutcome again = loader().load(directory.resolve("forebay.yaml"), Map.of(), loaded.text());
    ConfigOutcome.Loaded same =
        assertInstanceOf(ConfigOutcome.Loaded.class, again, again::toString);
    assertEquals(List.of(), ConfigView.diff(config, same.config()).changed());
    assertEquals(loaded.sources(), same.sources());
    assertEquals(loaded.text().included(), same.text().included());
  }

  @Test
  void aPatternWithoutFilesIsFine() throws IOException {
    Files.createDirectories(directory.resolve("conf.d"));
    assertEquals(List.of(), loaded("origin: http://a\ninclude: conf.d/*.yaml\n").text().included());
    assertEquals(List.of(), loaded("origin: http://a\ninclude: []\n").text().included());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // main | a.yaml | b.yaml | what is said
        "include: a.yaml | 'rutes: []' | | 'a.yaml:1:1: rutes: unknown key; did you mean routes?'",
        "include: a.yaml | 'limits: {fils: 3}' | | 'a.yaml:1:10: limits.fils: unknown key; did you mean fills?'",
        "include: a.yaml | 'limits:\\n  fills: x' | | a.yaml:2:10: limits.fills: \"x\" is not",
        "inclde: a.yaml | | | 'forebay.yaml:2:1: inclde: unknown key; did you mean include?'",
        "include: c.yaml | | | 'forebay.yaml:2:10: include: c.yaml cannot be read: no such file'",
        "include: dir/*.yaml | | | 'forebay.yaml:2:10: include: dir/*.yaml cannot be read: no such directory'",
        "include: '*/a.yaml' | | | 'include: a wildcard in the name of a directory; use it in the name of the file'",
        "include: a/ | | | 'forebay.yaml:2:10: include: not the name of a file; write one such as conf.d/*.yaml'",
        "include: {a: b} | | | 'forebay.yaml:2:10: include: not the name of a file'",
        "'include: [a.yaml, ]' | '- a' | | 'a.yaml:1:1: the file is not a mapping of keys'",
        "include: a.yaml | 'a: [' | | 'a.yaml:1:5: not valid YAML'",
        "include: ${NOT_SET}.yaml | | | 'forebay.yaml:2:10: include: environment variable NOT_SET is not set'",
        "include: forebay.yaml | | | 'forebay.yaml:2:10: include: it includes itself: forebay.yaml -> forebay.yaml; remove one of these'",
        "include: a.yaml | 'include: b.yaml' | 'include: a.yaml' | 'b.yaml:1:10: include: it includes itself: forebay.yaml -> a.yaml -> b.yaml -> a.yaml'",
        "include: a.yaml | 'include: forebay.yaml' | | 'a.yaml:1:10: include: it includes itself: forebay.yaml -> a.yaml -> forebay.yaml'",
        "'include: [a.yaml, b.yaml]' | 'include: b.yaml' | 'limits: {fills: 3}' | 'forebay.yaml:2:19: include: b.yaml is already included in a.yaml:1; keep one of them'",
        "'include: [a.yaml, b.yaml]' | 'origins: {x: http://x}' | 'origins:\\n  x: http://y' | 'b.yaml:2:3: origins.x: is also in a.yaml:1; use another name'",
        "'include: [a.yaml, b.yaml]' | 'limits: {fills: 3}' | 'limits: {fills: 3}' | 'b.yaml:1:10: limits.fills: is also in a.yaml:1; keep one of them'",
        "include: a.yaml | 'origin: http://b' | | 'a.yaml:1:1: origin: is also in forebay.yaml:1; keep one of them'",
        "'include: [a.yaml, b.yaml]' | 'listen: :80' | 'listen:\\n  - :81' | 'b.yaml:1:1: listen: is also in a.yaml:1; write both as lists'",
        "'include: [a.yaml, b.yaml]' | 'purge: {from: 10.0.0.0/8}' | 'purge: {from: [11.0.0.0/8]}' | 'b.yaml:1:9: purge.from: is also in a.yaml:1'",
        "'include: [a.yaml, b.yaml]' | 'routes: [{name: x}]' | 'routes: [{name: x, match: {path: /x}}]' | 'b.yaml:1:10: routes.1: another route is named x'",
      })
  void whatDoesNotFitTogetherIsSaidWithItsPlace(String include, String a, String b, String expected)
      throws IOException {
    if (a != null) {
      write("a.yaml", a);
    }
    if (b != null) {
      write("b.yaml", b);
    }
    List<String> problems = refused("origin: http://127.0.0.1:9\n" + include + "\n");
    assertEquals(1, problems.size(), problems::toString);
    assertTrue(problems.getFirst().contains(expected), problems::toString);
  }

  /** What a file that cannot be read would define is not reported as missing. */
  @Test
  void problemsAreInTheOrderOfTheFiles() throws IOException {
    write("a.yaml", "one: 1\nlimits: {fills: x}\ninclude: b.yaml\n");
    write("b.yaml", "two: 2\n");
    assertEquals(
        List.of("forebay.yaml:3:1", "a.yaml:1:1", "a.yaml:2:17", "b.yaml:1:1"),
        refused("origin: http://a\ninclude: a.yaml\nthree: 3\n").stream()
            .map(problem -> problem.split(": ", 2)[0])
            .toList());
    assertEquals(
        List.of("forebay.yaml:1:10: include: c.yaml cannot be read: no such file"),
        refused("include: c.yaml\nroutes: [{origin: elsewhere}]\n"));
  }

  @Test
  void thereAreBounds() throws IOException {
    for (int i = 0; i <= ConfigIncludes.MAX_DEPTH; i++) {
      write("deep-" + i + ".yaml", "include: deep-" + (i + 1) + ".yaml\n");
    }
    assertEquals(
        List.of("deep-7.yaml:1:10: include: included deeper than 8 files; use fewer levels"),
        refused("origin: http://a\ninclude: deep-0.yaml\n"));
    for (int i = 0; i <= ConfigIncludes.MAX_FILES; i++) {
      write("many/" + i + ".yaml", "");
    }
    assertEquals(
        List.of("forebay.yaml:2:10: include: more than 256 included files; use fewer"),
        refused("origin: http://a\ninclude: many/*.yaml\n"));
    for (int i = 0; i < 9; i++) {
      write("large/" + i + ".yaml", "#".repeat(1 << 20));
    }
    assertEquals(
        List.of(
            "forebay.yaml:2:10: include: included files are larger than 8MiB together; use less"),
        refused("origin: http://a\ninclude: large/*.yaml\n"));
    write("a.yaml", "#".repeat((1 << 20) + 1));
    assertEquals(
        List.of("forebay.yaml:2:10: include: a.yaml cannot be read: larger than 1MiB"),
        refused("origin: http://a\ninclude: a.yaml\n"));
  }

  /** A file that is known by two names is one file. */
  @Test
  void aLinkToTheFileIsACircle() throws IOException {
    Files.createSymbolicLink(directory.resolve("z.yaml"), directory.resolve("forebay.yaml"));
    List<String> problems = refused("origin: http://a\ninclude: z.yaml\n");
    assertEquals(1, problems.size(), problems::toString);
    assertTrue(problems.getFirst().contains("it includes itself"), problems::toString);
  }
}
