package io.forebay.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** The manifests of {@code ops/kubernetes} beside the node that they start. */
final class KubernetesFilesTest {
  private static final Path FILE = Path.of("..", "ops", "kubernetes", "forebay.yaml");

  @TempDir Path directory;

  private static Map<String, JsonNode> manifests() throws Exception {
    Map<String, JsonNode> all = new HashMap<>();
    for (String one : Files.readString(FILE).split("\n---\n", -1)) {
      JsonNode manifest = new YAMLMapper().readTree(one);
      all.put(
          manifest.path("kind").asString() + " " + manifest.at("/metadata/name").asString(),
          manifest);
    }
    return all;
  }

  @Test
  void theNodeTakesItsConfiguration() throws Exception {
    String configured =
        manifest(manifests(), "ConfigMap forebay").path("data").path("forebay.yaml").asString();
    Path token = Files.writeString(directory.resolve("token"), "0123456789abcdef\n");
    Path file =
        Files.writeString(
            directory.resolve("forebay.yaml"),
            configured.replace("/run/secrets/forebay/token", token.toString()));

    var checked = InProcess.run("config", "check", "--config", file.toString());

    assertEquals(0, checked.exit(), checked.out() + checked.err());
  }

  @Test
  void portsProbesAndTimesFitTheConfiguration() throws Exception {
    Map<String, JsonNode> manifests = manifests();
    JsonNode config =
        new YAMLMapper()
            .readTree(
                manifest(manifests, "ConfigMap forebay")
                    .path("data")
                    .path("forebay.yaml")
                    .asString());
    JsonNode pod = manifest(manifests, "StatefulSet forebay").at("/spec/template/spec");
    JsonNode node = pod.path("containers").get(0);
    Map<String, String> ports = new HashMap<>();
    node.path("ports")
        .forEach(port ->
            ports.put(port.path("name").asString(), ":" + port.path("containerPort").asInt(0)));

    assertEquals(config.path("listen").asString(), ports.get("http"));
    assertEquals(config.at("/admin/address").asString(), ports.get("admin"));
    for (String probe : new String[] {"startupProbe", "livenessProbe", "readinessProbe"}) {
      assertEquals("admin", node.path(probe).at("/httpGet/port").asString(), probe);
      assertEquals(
          probe.equals("readinessProbe") ? "/readyz" : "/healthz",
          node.path(probe).at("/httpGet/path").asString());
    }
    assertEquals(
        node.at("/resources/requests"), node.at("/resources/limits"), "the class Guaranteed");
    assertTrue(
        pod.path("terminationGracePeriodSeconds").asInt(0)
            >= seconds(config, "lame-duck") + seconds(config, "drain") + 60);
    assertTrue(
        config
            .at("/store/memory-directory")
            .asString()
            .startsWith(mountPath(node, "memory") + "/"));
    assertEquals(config.at("/store/data").asString(), mountPath(node, "data"));
  }

  private static int seconds(JsonNode config, String name) {
    return Integer.parseInt(config.path("timeouts").path(name).asString().replace("s", ""));
  }

  private static String mountPath(JsonNode container, String volume) {
    for (JsonNode mount : container.path("volumeMounts")) {
      if (mount.path("name").asString().equals(volume)) {
        return mount.path("mountPath").asString();
      }
    }
    throw new AssertionError("nothing is mounted of " + volume);
  }

  private static JsonNode manifest(Map<String, JsonNode> manifests, String name) {
    JsonNode manifest = manifests.get(name);
    assertNotNull(manifest, () -> name + " of " + manifests.keySet());
    return manifest;
  }
}
