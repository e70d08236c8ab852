package io.forebay.server.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

final class ConfigViewTest {
  private static final String FULL =
      """
      listen: [":80", {name: public, address: "[::1]:8443", tls: {certificate: PEM, key: PEM}}]
      threads: {loops: 4, pin: "0,2"}
      store: {data: "/d with space", memory: 1GiB, memory-directory: "/m#\\"x\\\\"}
      origins:
        a: https://a.example
        b: {url: "http://[::1]:81", host: "c${}d:1", trust: PEM, timeouts: {connect: 1500ms}}
      routes:
        - {name: live, match: {host: "*.example.com", path: "/live/"}, origin: b, default-ttl: 2s}
        - {origin: a, stale-if-error: 1d, negative-ttl: {404: 10s, 5xx: 0}, ttl-jitter: 5%, keep: 1h, request-cookies: {keep: []}, response-cookies: {strip: [a, B]}, targeted-fields: []}
      limits: {request-body: 1000}
      forwarding: {trusted: [10.0.0.0/8, "fd00::/8"]}
      access-log: {output: /var/log/a.json}
      """;

  @TempDir Path directory;

  @Test
  void whatIsDumpedLoadsToTheSame() throws IOException {
    ConfigOutcome.Loaded first = load(full(), Map.of("limits.fills", "77"));
    String dump = ConfigView.yaml(first);
    assertEquals(first.config(), load(dump, Map.of()).config(), dump);
  }

  @Test
  void namesTheSourceOfWhatIsNoDefault() throws IOException {
    String dump = ConfigView.yaml(load(full(), Map.of("limits.fills", "77")));
    assertTrue(dump.contains("  fills: 77  # from options\n"), dump);
    assertTrue(dump.contains("  memory: 1GiB  # from " + file() + ":3\n"), dump);
    assertTrue(dump.contains("  header-count: 128\n"), dump);
    assertTrue(dump.contains("      connect: 1500ms  # from " + file() + ":6\n"), dump);
  }

  @Test
  void neverShowsASecret() throws IOException {
    String secret = "correct-horse-battery";
    ConfigOutcome.Loaded loaded =
        load("origin: http://a\nadmin: {address: ':1', token: " + secret + "}\n", Map.of());
    assertFalse(ConfigView.yaml(loaded).contains(secret));
    assertFalse(ConfigView.json(loaded.config()).contains(secret));
    assertFalse(ConfigView.json(loaded).contains(secret));
    assertTrue(ConfigView.yaml(loaded).contains("token: \"***\""));
  }

  @Test
  void jsonHasTheShapeOfTheFile() throws IOException {
    ConfigOutcome.Loaded loaded = load(full(), Map.of());
    JsonNode json = JsonMapper.shared().readTree(ConfigView.json(loaded));
    JsonNode config = json.get("config");
    assertEquals(4, config.at("/threads/loops").intValue());
    assertEquals("[::1]:8443", config.at("/listen/1/address").stringValue());
    assertEquals("1500ms", config.at("/origins/b/timeouts/connect").stringValue());
    assertEquals("fd00::/8", config.at("/forwarding/trusted/1").stringValue());
    assertTrue(config.at("/routes/1/cache").booleanValue());
    assertEquals(file() + ":3", json.at("/sources").get("store.memory").stringValue());
    assertEquals("c${x}d:1", config.at("/origins/b/host").stringValue());
    // JSON is YAML: what is shown can be loaded, once its dollar signs stand for themselves.
    String reloadable = config.toString().replace("${", "$${");
    assertEquals(loaded.config(), load(reloadable, Map.of()).config());
  }

  @Test
  void tellsWhatChangedAndWhatWaitsForARestart() throws IOException {
    ServerConfig before = load(full(), Map.of()).config();
    ServerConfig after =
        load(
                full()
                    .replace("memory: 1GiB", "memory: 2GiB")
                    .replace("default-ttl: 2s", "default-ttl: 3s")
                    .replace("a: https://a.example", "a: https://b.example")
                    .replace("name: public", "name: other"),
                Map.of("origins.c.url", "http://c"))
            .config();
    ConfigView.Difference difference = ConfigView.diff(before, after);
    assertEquals(
        List.of(
            "listen.public",
            "listen.other",
            "store.memory",
            "origins.a.url",
            "origins.c",
            "routes.live.default-ttl"),
        difference.changed());
    assertEquals(
        List.of("listen.public", "listen.other", "store.memory"), difference.needsRestart());
    assertEquals(new ConfigView.Difference(List.of(), List.of()), ConfigView.diff(before, before));
  }

  @Test
  void aChangedSecretShowsAsAKeyOnly() throws IOException {
    ServerConfig before =
        load("origin: http://a\n", Map.of("admin.token", "a".repeat(16))).config();
    ServerConfig after = load("origin: http://a\n", Map.of("admin.token", "b".repeat(16))).config();
    assertEquals(List.of("admin.token"), ConfigView.diff(before, after).changed());
  }

  private String full() throws IOException {
    Path pem = Files.writeString(directory.resolve("cert.pem"), "x");
    return FULL.replace("PEM", pem.toString()).replace("${}", "$${x}");
  }

  private Path file() {
    return directory.resolve("forebay.yaml");
  }

  private ConfigOutcome.Loaded load(String yaml, Map<String, String> options) throws IOException {
    Files.writeString(file(), yaml);
    ConfigOutcome outcome =
        new ConfigLoader(
                new ConfigEnvironment(
                    Map.of(), directory, directory, directory, directory, "forebay-test"))
            .load(file(), options);
    return assertInstanceOf(ConfigOutcome.Loaded.class, outcome, outcome::toString);
  }
}
