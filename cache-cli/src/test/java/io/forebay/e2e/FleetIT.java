package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import io.forebay.testing.Certificates;
import io.forebay.testing.Commands;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.Jar;
import io.forebay.testing.PathOrigin;
import io.forebay.testing.RawClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The configuration that three nodes share through Debian's etcd. */
@Tag("full")
final class FleetIT {
  private static final int NODES = 3;

  @TempDir Path directory;
  private PathOrigin origin;
  private ClusterEdges cluster;

  @BeforeEach
  void start() throws Exception {
    origin = PathOrigin.start();
    origin.otherwise(exchange -> exchange.respond(200, "Cache-Control: max-age=3600\r\n", "ok"));
    cluster = ClusterEdges.start(directory, origin.url(), 1, NODES);
  }

  @AfterEach
  void stop() throws Exception {
    cluster.close();
    origin.close();
  }

  private Commands.Finished command(int edge, String... words) throws Exception {
    List<String> all = new ArrayList<>(List.of("cluster", "config"));
    all.addAll(List.of(words));
    all.addAll(List.of("--admin-url", cluster.edge(edge).adminUrl()));
    return Jar.quick().run(all.toArray(new String[0]));
  }

  /** A document whose page, in a file of its own, says which one it is. */
  private String document(String name) throws IOException {
    return document(name, 404);
  }

  private String document(String name, int status) throws IOException {
    Path folder = Files.createDirectories(directory.resolve("documents/" + name));
    Files.createDirectories(folder.resolve("conf.d"));
    Files.writeString(folder.resolve("page.html"), name);
    Files.writeString(folder.resolve("fleet.yaml"), "include: conf.d/*.yaml\n");
    Files.writeString(
        folder.resolve("conf.d/routes.yaml"),
        """
        routes:
          - name: main
            rules:
              - when: {path: /page}
                respond: {status: %d, file: "${FLEET}/page.html"}
        """
            .formatted(status));
    return folder.toString();
  }

  private String page(int edge) throws IOException {
    RawClient.Response response = cluster.edge(edge).get("/page");
    return response.status() == 200 ? "" : response.text();
  }

  private JsonNode state(int edge) throws Exception {
    return JsonMapper.shared().readTree(cluster.edge(edge).admin("/v1/cluster/config").body());
  }

  private void awaitVersion(int version) {
    Await.until(
        "version " + version + " is in force",
        () ->
            state(0).path("rollout").path("version").asInt(-1) == version
                && state(0).path("rollout").path("candidate").asInt(-1) == 0);
    for (int i = 0; i < NODES; i++) {
      int edge = i;
      Await.until(
          "node " + edge + " has version " + version,
          () -> state(0).path("nodes").path(edge).path("version").asInt(-1) == version);
    }
  }

  private void assertFinished(int exit, Commands.Finished finished) {
    assertEquals(exit, finished.exit(), finished.toString());
  }

  @Test
  void aDocumentGoesToACanaryBakesAndThenIsOnAllNodes() throws Exception {
    assertFinished(
        0, command(1, "push", document("one"), "--stage", "edge-1@5s", "--stage", "all"));
    Await.until("the canary has it", () -> page(1).equals("one"));
    assertEquals("", page(0), "the others have not");
    awaitVersion(1);
    for (int i = 0; i < NODES; i++) {
      assertEquals("one", page(i));
    }

    Commands.Finished history = command(2, "history");
    assertFinished(0, history);
    assertTrue(history.out().contains("version 1 is in force"), history.out());
    assertTrue(history.out().matches("(?s).*edge-2 +default +ready +1 .*"), history.out());
    Commands.Finished local =
        Jar.quick().run("config", "history", "--admin-url", cluster.edge(0).adminUrl());
    assertTrue(local.out().contains("local"), local.out());
    assertTrue(local.out().contains("fleet 1"), local.out());

    // A node's own change of what the fleet has is refused, with the command that makes it.
    Path own = directory.resolve("edge-0/forebay.yaml");
    String before = Files.readString(own);
    Files.writeString(own, before + "routes: [{name: mine, match: {path: /mine}}]\n");
    Commands.Finished reload = Jar.quick().run("reload", "--admin-url", cluster.edge(0).adminUrl());
    assertFinished(78, reload);
    assertTrue(reload.err().contains("forebay cluster config push"), reload.err());
    Files.writeString(own, before + "limits: {fills: 300}\n");
    assertFinished(0, Jar.quick().run("reload", "--admin-url", cluster.edge(0).adminUrl()));
    Commands.Finished back =
        Jar.quick().run("config", "rollback", "1", "--admin-url", cluster.edge(0).adminUrl());
    assertFinished(78, back);
    assertTrue(back.err().contains("forebay cluster config rollback"), back.err());

    // Another one, promoted by hand; then back.
    assertFinished(
        0, command(0, "push", document("two"), "--stage", "edge-0@1h", "--stage", "all"));
    Await.until("the canary has it", () -> page(0).equals("two"));
    Commands.Finished busy = command(0, "push", document("three"));
    assertFinished(1, busy);
    assertTrue(busy.err().contains("version 2 is being rolled out"), busy.err());
    assertEquals("one", page(1));
    assertFinished(0, command(2, "promote", "1"));
    Commands.Finished late = command(1, "promote", "1");
    assertFinished(1, late);
    assertTrue(late.err().contains("version 2 is "), late.err());
    awaitVersion(2);
    Commands.Finished diff = command(0, "diff", "0", "2");
    assertFinished(0, diff);
    assertTrue(diff.out().contains("routes.main"), diff.out());
    assertFinished(0, command(2, "rollback"));
    awaitVersion(1);
    assertEquals("one", page(0));
    assertFinished(0, command(2, "rollback", "0"));
    awaitVersion(0);
    assertEquals("", page(2));
  }

  @Test
  void aDocumentWhoseCanaryGivesErrorsIsRolledBackByItself() throws Exception {
    assertFinished(0, command(0, "push", document("good"), "--stage", "all"));
    awaitVersion(1);
    assertFinished(
        0, command(0, "push", document("bad", 503), "--stage", "edge-2@1h", "--stage", "all"));
    Await.until("the canary has it", () -> page(2).equals("bad"));
    Await.until(
        "it is rolled back",
        () -> {
          for (int i = 0; i < 50; i++) {
            String ignored = page(0) + page(1) + page(2);
          }
          return state(1).path("rollout").path("failed").asInt(0) == 2;
        });
    assertTrue(
        state(1).path("rollout").path("reason").asString("").contains("of responses are 5xx"),
        state(1).toString());
    Await.until("the canary has the one before", () -> page(2).equals("good"));
    assertEquals("good", page(0));
  }

  @Test
  void aNodeThatRefusesADocumentRollsItBack() throws Exception {
    assertFinished(0, command(0, "push", document("good"), "--stage", "all"));
    awaitVersion(1);
    // The file of one node has a route of the same name by now.
    Path own = directory.resolve("edge-1/forebay.yaml");
    String before = Files.readString(own);
    Files.writeString(own, before + "routes: [{name: main, match: {path: /x}}]\n");
    assertFinished(0, command(0, "push", document("next"), "--stage", "all"));
    Await.until("it is rolled back", () -> state(0).path("rollout").path("failed").asInt(0) == 2);
    assertTrue(
        state(0).path("rollout").path("reason").asString("").contains("edge-1"),
        state(0).toString());
    for (int i = 0; i < NODES; i++) {
      int edge = i;
      Await.until("all have the one before", () -> page(edge).equals("good"));
    }
    // What no node would take is not rolled out at all.
    Files.writeString(directory.resolve("documents/next/fleet.yaml"), "store: {memory: 1GiB}\n");
    Commands.Finished wrong = command(0, "push", directory.resolve("documents/next").toString());
    assertFinished(78, wrong);
    assertTrue(wrong.err().contains("takes effect at the next start only"), wrong.err());
  }

  @Test
  void aNodeThatIsDrainedTakesADocumentAndHoldsNoStageUp() throws Exception {
    String admin = cluster.edge(0).adminUrl();
    assertFinished(0, Jar.quick().run("cluster", "drain", "edge-2", "--admin-url", admin));
    Await.until(
        "it is drained",
        () -> cluster.edge(2).admin("/readyz").body().contains("cluster-draining"));

    assertFinished(0, command(0, "push", document("one"), "--stage", "all@5s"));

    awaitVersion(1);
    assertEquals("one", page(2));
  }

  @Test
  void aNodeStartsThoughItLacksAFileThatTheDocumentNames() throws Exception {
    Certificates certificates = Certificates.in(Files.createDirectory(directory.resolve("site")));
    var ignored = certificates.ecdsa("site", "s.example");
    String folder = document("one");
    Files.writeString(
        Path.of(folder, "conf.d/certificates.yaml"),
        """
        certificates: {site: {hosts: [s.example], certificate: "%s", key: "%s"}}
        """
            .formatted(certificates.pem("site"), certificates.key("site")));
    assertFinished(0, command(0, "push", folder, "--stage", "all"));
    awaitVersion(1);
    EdgeProcess edge = cluster.edge(2);
    assertEquals(0, edge.terminate());
    Path lost = certificates.key("site").resolveSibling("lost");
    Files.move(certificates.key("site"), lost);

    EdgeProcess started = edge.restartUnready();

    ClusterEdges.awaitReady(started);
    assertEquals("", page(2));
    Await.until("it says so", () -> started.admin("/readyz").body().contains("fleet-config"));
    Files.move(lost, certificates.key("site"));
    Await.until("it takes the document", () -> page(2).equals("one"));
  }

  @Test
  void aNodeStartsWithoutEtcdWithTheLastGoodDocument() throws Exception {
    assertFinished(0, command(0, "push", document("kept"), "--stage", "all"));
    awaitVersion(1);
    Path kept = directory.resolve("edge-2/data/fleet/last-good");
    Await.until("the document is kept", () -> Files.exists(kept));
    EdgeProcess edge = cluster.edge(2);
    assertEquals(0, edge.terminate());
    cluster.etcd().kill(0);

    EdgeProcess started = edge.restartUnready();

    assertEquals("kept", page(2));
    assertTrue(started.admin("/readyz").body().contains("catching-up"));
    cluster.etcd().restart(0);
    ClusterEdges.awaitReady(started);
    assertEquals("kept", page(2));
    awaitVersion(1);
  }
}
