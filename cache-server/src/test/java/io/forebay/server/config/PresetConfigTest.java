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
