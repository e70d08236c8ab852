package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import io.forebay.testing.Commands;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.Jar;
import io.forebay.testing.PathOrigin;
import io.forebay.testing.Ports;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** An origin of several servers behind the packaged jar. */
@Tag("full")
final class OriginsIT {
  @TempDir Path directory;

  private final List<PathOrigin> servers = new ArrayList<>();

  @AfterEach
  void stop() throws Exception {
    for (PathOrigin server : servers) {
      server.close();
    }
  }

  @Test
  void equalServersGetEqualSharesOfTheMisses() throws Exception {
    startServers(4);
    try (EdgeProcess edge = edge("balance: round-robin")) {
      int requests = 800;
      for (int i = 0; i < requests; i++) {
        assertEquals(200, edge.get("/" + i).status());
      }
      int share = requests / servers.size();
      for (PathOrigin server : servers) {
        assertEquals(share, server.requests().size(), share * 0.03);
      }
    }
  }

  @Test
  void aServerThatDiesCostsNoResponseAndIsShownAsEjected() throws Exception {
    startServers(3);
    try (EdgeProcess edge = edge("balance: round-robin")) {
      for (int i = 0; i < 30; i++) {
        assertEquals(200, edge.get("/before/" + i).status());
      }
      String dead = servers.getFirst().url();
      servers.getFirst().close();
      for (int i = 0; i < 60; i++) {
        assertEquals(200, edge.get("/after/" + i).status(), "request " + i);
      }
      Await.until("it is ejected", () -> state(edge, dead).equals("ejected"));
      Commands.Finished shown = Jar.with().run("origins", "--admin-url", edge.adminUrl());
      assertEquals(0, shown.exit(), shown::toString);
      assertTrue(shown.out().contains("failures in a row"), shown::toString);
      assertTrue(edge.errText().contains("gets no requests for 10000 ms"), edge.errText());
      assertTrue(
          edge.metrics().sum("forebay_origin_server_ejections_total", "server=\"" + dead + "\"")
              >= 1);
    }
  }

  @Test
  void aReloadAddsAServer() throws Exception {
    startServers(2);
    EdgeProcess.Settings settings = settings("", List.of(servers.getFirst()));
    try (EdgeProcess edge = settings.start()) {
      assertEquals(200, edge.get("/a").status());
      settings.config(yaml("balance: round-robin", servers));
      edge.signal("HUP");
      Await.until(
          "the new server is asked",
          () -> {
            edge.get("/" + System.nanoTime());
            return !servers.getLast().requests().isEmpty();
          });
    }
  }

  @Test
  void aBackupAnswersWhileTheOthersRefuse() throws Exception {
    startServers(1);
    String yaml =
        """
        origins:
          site:
            servers:
              - http://127.0.0.1:%d
              - {url: %s, backup: true}
        """
            .formatted(Ports.free(), servers.getFirst().url());
    EdgeProcess.Settings settings = EdgeProcess.in(directory.resolve("edge")).config(yaml);
    try (EdgeProcess edge = settings.start()) {
      for (int i = 0; i < 20; i++) {
        assertEquals(200, edge.get("/" + i).status());
      }
    }
  }

  @Test
  void aDrainedServerGetsNoRequestsAlsoAfterARestart() throws Exception {
    startServers(2);
    String drained = servers.getFirst().url();
    try (EdgeProcess edge = edge("balance: round-robin")) {
      assertEquals(200, edge.get("/a").status());
      assertEquals(200, edge.get("/b").status());
      Commands.Finished done =
          Jar.with()
              .run(
                  "origins",
                  "drain",
                  drained,
                  "--reason",
                  "kernel update",
                  "--admin-url",
                  edge.adminUrl());
      assertEquals(0, done.exit(), done::toString);
      Await.until("it is drained", () -> state(edge, drained).equals("drained"));
      int before = servers.getFirst().requests().size();
      Commands.Finished last =
          Jar.with()
              .run("origins", "drain", servers.getLast().url(), "--admin-url", edge.adminUrl());
      assertEquals(1, last.exit(), last::toString);
      assertTrue(last.err().contains("has no usable address left"), last::toString);

      edge.kill();
      assertEquals(edge, edge.restart());
      for (int i = 0; i < 10; i++) {
        assertEquals(200, edge.get("/again/" + i).status());
      }
      assertEquals(before, servers.getFirst().requests().size());
      Commands.Finished shown = Jar.with().run("origins", "--admin-url", edge.adminUrl());
      assertTrue(shown.out().contains("kernel update"), shown::toString);
      Commands.Finished undone =
          Jar.with().run("origins", "undrain", drained, "--admin-url", edge.adminUrl());
      assertEquals(0, undone.exit(), undone::toString);
      for (int i = 0; i < 10; i++) {
        assertEquals(200, edge.get("/undrained/" + i).status());
      }
      // Each of the two loops has a turn of its own.
      assertEquals(before + 5, servers.getFirst().requests().size(), 1);
    }
  }

  @Test
  void probesFindNginxSickAndDeadAndWellAgain() throws Exception {
    try (NginxOrigin sick = NginxOrigin.start(directory.resolve("sick"));
        NginxOrigin well = NginxOrigin.start(directory.resolve("well"))) {
      Path health = directory.resolve("sick/www/health.txt");
      Files.writeString(health, "all ok");
      Files.writeString(directory.resolve("well/www/health.txt"), "all ok");
      String yaml =
          """
          origins:
            site:
              servers: [%s, %s]
              probe: {type: http, path: /health.txt, text: all ok, interval: 50ms}
          """
              .formatted(sick.url(), well.url());
      try (EdgeProcess edge = EdgeProcess.in(directory.resolve("edge")).config(yaml).start()) {
        Await.until("it passes", () -> verdict(edge, sick.url()).equals("passing"));
        Files.writeString(health, "all is lost");
        Await.until("it is sick", () -> state(edge, sick.url()).equals("failing"));
        Commands.Finished shown = Jar.with().run("origins", "--admin-url", edge.adminUrl());
        assertTrue(shown.out().contains("does not have the expected text"), shown::toString);
        Files.writeString(health, "all ok");
        Await.until("it is well", () -> state(edge, sick.url()).equals("usable"));
        sick.kill();
        Await.until("it is dead", () -> state(edge, sick.url()).equals("failing"));
        assertTrue(edge.errText().contains("the latest: cannot connect: "), edge.errText());
        sick.restart();
        Await.until("it is back", () -> state(edge, sick.url()).equals("usable"));
        assertEquals("passing", verdict(edge, well.url()));
        assertTrue(
            edge.metrics()
                    .sum(
                        "forebay_origin_server_probe_failures_total",
                        "server=\"" + sick.url() + "\"")
                >= 6);
      }
    }
  }

  private void startServers(int count) throws Exception {
    for (int i = 0; i < count; i++) {
      PathOrigin server = PathOrigin.start();
      server.otherwise(
          exchange -> exchange.respond(200, "Cache-Control: max-age=3600\r\n", "hello"));
      servers.add(server);
    }
  }

  private EdgeProcess edge(String key) throws Exception {
    return settings(key, servers).start();
  }

  private EdgeProcess.Settings settings(String key, List<PathOrigin> of) throws Exception {
    return EdgeProcess.in(directory.resolve("edge")).config(yaml(key, of));
  }

  private static String yaml(String key, List<PathOrigin> of) {
    StringBuilder yaml = new StringBuilder("origins:\n  site:\n");
    if (!key.isEmpty()) {
      yaml.append("    ").append(key).append('\n');
    }
    yaml.append("    servers:\n");
    of.forEach(server -> yaml.append("      - ").append(server.url()).append('\n'));
    return yaml.toString();
  }

  private static String state(EdgeProcess edge, String url) throws Exception {
    return endpoint(edge, url).path("state").asString("");
  }

  private static String verdict(EdgeProcess edge, String url) throws Exception {
    return endpoint(edge, url).at("/probe/verdict").asString("");
  }

  /** The first address of a server. */
  private static JsonNode endpoint(EdgeProcess edge, String url) throws Exception {
    JsonNode origins = Admin.json(edge.admin("/v1/origins").body());
    for (JsonNode server : origins.at("/origins/0/servers")) {
      if (server.path("url").asString("").equals(url)) {
        return server.at("/endpoints/0");
      }
    }
    throw new AssertionError("no server " + url);
  }
}
