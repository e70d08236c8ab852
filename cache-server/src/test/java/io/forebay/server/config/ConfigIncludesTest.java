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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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

  @Tag("full")
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
