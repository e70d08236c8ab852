package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Commands;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.Jar;
import io.forebay.testing.PathOrigin;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** {@code forebay bundle} of a node that serves, and of one that was killed. */
@Tag("full")
final class BundleIT {
  private static final String ADMIN = "admin-token-0123456789";

  /** Wherever a secret may stand; each is a word that stands nowhere else. */
  private static final List<String> PLANTED =
      List.of(
          ADMIN,
          "planted-s3-secret",
          "planted-s3-session",
          "planted-origin-header",
          "planted-proxy-password",
          "planted-debug-secret",
          "planted-rule-set",
          "planted-rule-match",
          "planted-rule-cookie",
          "planted-rule-query",
          "planted-rule-expression",
          "planted-answer",
          "planted-url-token",
          "planted-url-other",
          "planted-client-cookie",
          "planted-client-authorization",
          "planted-set-cookie",
          "planted-log-password",
          "planted-environment");

  @TempDir Path directory;

  private static Map<String, String> entries(Path file) throws IOException {
    Map<String, String> entries = new TreeMap<>();
    try (ZipInputStream zip = new ZipInputStream(Files.newInputStream(file))) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        entries.put(entry.getName(), new String(zip.readAllBytes(), StandardCharsets.UTF_8));
      }
    }
    return entries;
  }

  private static void assertNothingPlanted(Map<String, String> entries) {
    entries.forEach((name, text) -> {
      for (String secret : PLANTED) {
        assertFalse(text.contains(secret), () -> secret + " in " + name);
        String base64 =
            Base64.getEncoder()
                .withoutPadding()
                .encodeToString(secret.getBytes(StandardCharsets.UTF_8));
        assertFalse(text.contains(base64), () -> secret + " in base64 in " + name);
      }
    });
  }

  private static String config(String origin, Path accessLog) {
    return """
    admin: {token: %s}
    access-log: {output: %s, mask: []}
    debug: {secret: planted-debug-secret}
    origins:
      main:
        url: %s
        headers:
          - {name: X-Origin-Key, value: planted-origin-header}
      films:
        url: http://127.0.0.1:9
        s3: {bucket: films, region: eu-1, access-key: plantedaccess, secret-key: planted-s3-secret,
          session-token: planted-s3-session}
      far:
        url: http://127.0.0.1:9
        proxy: http://127.0.0.1:9
        proxy-user: user
        proxy-password: planted-proxy-password
    routes:
      - origin: main
        rules:
          - when: {header: {X-Key: planted-rule-match}}
            pass: true
            request-headers: {set: {X-Upstream: planted-rule-set}}
          - when: {cookie: {who: planted-rule-cookie}, query: {q: planted-rule-query}}
            respond: {status: 200, type: text/plain, text: planted-answer}
          - when: {expression: 'request.headers["x-stage"] == "planted-rule-expression"'}
            deny: 403
            on-error: skip
    """
        .formatted(ADMIN, accessLog, origin);
  }

  private Commands.Finished bundle(Path file, EdgeProcess edge, Path config, String... more)
      throws Exception {
    List<String> all =
        new ArrayList<>(
            List.of(
                "bundle",
                "--json",
                "--seconds",
                "2",
                "--output",
                file.toString(),
                "--config",
                config.toString(),
                "--admin-url",
                edge.adminUrl()));
    all.addAll(List.of(more));
    return Jar.quick()
        .env("FOREBAY_ADMIN_TOKEN", ADMIN)
        .env("ETCD_PASSWORD", "planted-environment")
        .run(all.toArray(new String[0]));
  }

  @Test
  void aBundleHasEverythingButSecretsAlsoOfANodeThatWasKilled() throws Exception {
    Path accessLog = directory.resolve("access.log");
    try (PathOrigin origin = PathOrigin.start()) {
      EdgeProcess.Settings settings =
          EdgeProcess.in(directory.resolve("edge")).at("127.0.0.1", ADMIN);
      settings.config(config(origin.url(), accessLog));
      try (EdgeProcess edge = settings.start()) {
        origin.cacheable("/stored", "body");
        origin.on(
            "/private",
            exchange ->
                exchange.respond(
                    200, "Cache-Control: private\r\nSet-Cookie: sid=planted-set-cookie\r\n", "p"));
        for (int i = 0; i < 3; i++) {
          edge.get(
              "/private?token=planted-url-token&other=planted-url-other",
              "Cookie: session=planted-client-cookie",
              "Authorization: Bearer planted-client-authorization");
        }
        edge.get("/stored");
        Files.writeString(
            directory.resolve("edge/edge.err"),
            "it said password: planted-log-password\n",
            StandardOpenOption.APPEND);

        Path file = directory.resolve("bundle.zip");
        Commands.Finished made = bundle(file, edge, settings.configFile());
        JsonNode told = Admin.json(made.out());
        assertEquals(0, made.exit(), made::toString);
        assertTrue(told.path("missing").isEmpty(), told::toString);
        assertEquals(
            "rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
        Map<String, String> entries = entries(file);
        for (String name :
            List.of(
                "config/local.json",
                "config/node.json",
                "doctor.json",
                "explain/01.json",
                "flames.html",
                "log/1.txt",
                "manifest.json",
                "metrics/first.txt",
                "metrics/second.txt",
                "misses.json",
                "origins.json",
                "stats.json",
                "threads/first.txt",
                "threads/second.txt",
                "versions.json")) {
          assertTrue(entries.containsKey(name), () -> name + " of " + entries.keySet());
        }
        assertTrue(entry(entries, "log/1.txt").contains("it said"), entry(entries, "log/1.txt"));
        assertTrue(entry(entries, "threads/first.txt").contains("\"loop-"), "threads of loops");
        assertTrue(
            entry(entries, "metrics/first.txt").contains("forebay_requests_total"), "metrics");
        assertTrue(entry(entries, "flames.html").contains("<svg"), "a flame graph");
        JsonNode worst = Admin.json(entry(entries, "misses.json"));
        assertTrue(
            worst.at("/0/url").asString("").endsWith("/private?token=***&other=***"),
            worst::toString);
        assertNothingPlanted(entries);
        String node = entry(entries, "config/node.json");
        for (String kept : List.of("X-Upstream", "X-Key", "x-origin-key", "eu-1")) {
          assertTrue(node.contains(kept), () -> kept + " in " + node);
        }

        edge.kill();
        Path dead = directory.resolve("dead.zip");
        Commands.Finished late =
            bundle(
                dead,
                edge,
                settings.configFile(),
                "--log",
                directory.resolve("edge/edge.err").toString());
        assertEquals(3, late.exit(), late::toString);
        Map<String, String> rest = entries(dead);
        JsonNode manifest = Admin.json(entry(rest, "manifest.json"));
        assertTrue(
            manifest.at("/missing/node").asString("").contains("no Forebay answers"),
            manifest::toString);
        for (String name :
            List.of("config/local.json", "doctor.json", "log/1.txt", "misses.json")) {
          assertTrue(rest.containsKey(name), () -> name + " of " + rest.keySet());
        }
        assertNothingPlanted(rest);
      }
    }
  }

  private static String entry(Map<String, String> entries, String name) {
    String text = entries.get(name);
    assertNotNull(text, () -> name + " of " + entries.keySet());
    return text;
  }
}
