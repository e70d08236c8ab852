package io.forebay.server.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.ServerConfig.OriginConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The document of a fleet beside the file of a node. */
final class FleetDocumentConfigTest {
  @TempDir Path directory;

  private ConfigLoader loader() {
    return new ConfigLoader(
        new ConfigEnvironment(Map.of(), directory, directory, directory, directory, "test"));
  }

  private Path write(String name, String text) throws IOException {
    Path file = directory.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, text);
  }

  private ConfigOutcome load(String own, String document) throws IOException {
    Path file = write("forebay.yaml", own);
    Path main = write("fleet/v7/fleet.yaml", document);
    return loader().load(file, Map.of(), new ConfigText.Fleet(main.toString(), 7));
  }

  private ConfigOutcome.Loaded loaded(String own, String document) throws IOException {
    ConfigOutcome outcome = load(own, document);
    return assertInstanceOf(ConfigOutcome.Loaded.class, outcome, outcome::toString);
  }

  private String refused(String own, String document) throws IOException {
    ConfigOutcome outcome = load(own, document);
    return assertInstanceOf(ConfigOutcome.Refused.class, outcome, outcome::toString)
        .problems()
        .toString();
  }

  @Test
  void countsAsIfTheNodesFileIncludedItLast() throws IOException {
    write("fleet/v7/conf.d/b.yaml", "origins: {b: http://b}\n");
    ConfigOutcome.Loaded loaded =
        loaded(
            "forwarding: {node-id: edge-1}\norigins: {own: http://own}\n",
            "include: conf.d/*.yaml\norigins: {a: http://a}\nlimits: {fills: 300}\n"
                + "routes: [{name: all, origin: a}]\n");

    assertEquals(
        List.of("own", "a", "b"),
        loaded.config().origins().stream().map(OriginConfig::name).toList());
    assertEquals(300, loaded.config().limits().fills());
    ConfigText.Fleet fleet = fleet(loaded.text());
    assertEquals(7, fleet.version());

    // From the history: no file is looked at.
    Files.delete(directory.resolve("fleet/v7/fleet.yaml"));
    Files.delete(directory.resolve("fleet/v7/conf.d/b.yaml"));
    ConfigOutcome again = loader().load(directory.resolve("forebay.yaml"), Map.of(), loaded.text());
    ConfigOutcome.Loaded same =
        assertInstanceOf(ConfigOutcome.Loaded.class, again, again::toString);
    assertEquals(List.of(), ConfigView.diff(loaded.config(), same.config()).changed());
    assertEquals(fleet, same.text().fleet());
  }

  private static ConfigText.Fleet fleet(ConfigText text) {
    ConfigText.Fleet fleet = text.fleet();
    assertTrue(fleet != null);
    return fleet;
  }

  @Test
  void namesTheDirectoryOfItsFiles() throws IOException {
    ConfigOutcome.Loaded loaded =
        loaded("", "origins: {a: {files: {directory: '${FLEET}/site'}}}\n");
    assertTrue(
        ConfigView.yaml(loaded).contains(directory.resolve("fleet/v7/site").toString()),
        ConfigView.yaml(loaded));
  }

  @Test
  void hasNoKeysOfOneNodeOrThatOnlyAStartHeeds() throws IOException {
    for (String document :
        List.of(
            "store: {data: /tmp/elsewhere}",
            "threads: {loops: 3}",
            "listen: [{name: more, address: ':8089'}]",
            "stores: {d: {path: /tmp/d, size: 1GiB}}",
            "forwarding: {node-id: edge-9}",
            "cluster: {name: other}")) {
      String problems = refused("origins: {a: http://a}\n", document + "\n");
      assertTrue(problems.contains("write it in the file of each node"), document + problems);
      assertTrue(problems.contains("fleet/v7/fleet.yaml:1"), problems);
    }
  }

  @Test
  void hasNoNameThatTheNodesFileHas() throws IOException {
    String problems = refused("origins: {a: http://a}\n", "origins: {a: http://other}\n");
    assertTrue(problems.contains("is also in"), problems);
  }

  @Test
  void includesNothingThatDoesNotTravelWithIt() throws IOException {
    write("secret.yaml", "origins: {b: http://b}\n");
    for (String path : List.of("../../secret.yaml", directory.resolve("secret.yaml").toString())) {
      String problems = refused("origins: {a: http://a}\n", "include: " + path + "\n");
      assertTrue(problems.contains("does not travel with the document"), problems);
    }
  }

  @Test
  void isNeededByANodeThatHasNothingButItsOwnKeys() throws IOException {
    Path file =
        write(
            "forebay.yaml",
            """
            forwarding: {node-id: edge-1}
            store: {data: %s}
            routes: [{name: r, origin: of-the-fleet}]
            cluster:
              name: eu
              advertise: "edge-1:7443"
              tls: {ca: "%s", certificate: "%s", key: "%s"}
              log: {endpoints: "http://127.0.0.1:2379"}
            """
                .formatted(directory, write("a.pem", ""), write("b.pem", ""), write("c.pem", "")));
    FleetBootstrap own = loader().bootstrap(file, Map.of());
    assertTrue(own != null);
    assertEquals("edge-1", own.node());
    assertEquals("eu", own.cluster().name());
    assertEquals(directory, own.data());
    assertNull(loader().bootstrap(write("alone.yaml", "origin: http://a\n"), Map.of()));
    assertNull(
        loader().bootstrap(write("wrong.yaml", "cluster: {name: eu}\n"), Map.of()),
        "what is wrong is said by the load");
  }
}
