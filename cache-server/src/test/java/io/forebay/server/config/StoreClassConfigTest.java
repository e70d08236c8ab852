package io.forebay.server.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.ServerConfig.StoreClassConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The keys of storage classes, and what is said of mistakes in them. */
final class StoreClassConfigTest {
  @TempDir Path directory;

  private ConfigOutcome load(String yaml) throws IOException {
    Path file = Files.writeString(directory.resolve("forebay.yaml"), "origin: http://a\n" + yaml);
    return new ConfigLoader(
            new ConfigEnvironment(
                Map.of(), directory, directory, directory, directory, "forebay-test"))
        .load(file, Map.of());
  }

  private ServerConfig loaded(String yaml) throws IOException {
    ConfigOutcome outcome = load(yaml);
    return assertInstanceOf(ConfigOutcome.Loaded.class, outcome, outcome::toString).config();
  }

  private void refused(String yaml, String... parts) throws IOException {
    ConfigOutcome outcome = load(yaml);
    String problems =
        assertInstanceOf(ConfigOutcome.Refused.class, outcome, outcome::toString)
            .problems()
            .toString();
    for (String part : parts) {
      assertTrue(problems.contains(part), problems);
    }
  }

  @Test
  void allKeysOfAClass() throws IOException {
    ServerConfig config =
        loaded(
            """
            stores: {d: {path: "%s", size: 1GiB}}
            store-classes:
              video: {tier: disk, disk-after: 2, disk-min: 64KiB, disk-max: 4GiB, memory-max: 1MiB}
              tenant: {quota: 40%%, floor: 10%%, pinned: 5%%}
              private: memory
            routes: [{store-class: video}]
            """
                .formatted(directory.resolve("d")));
    assertEquals(
        List.of(
            new StoreClassConfig("video", "disk", 2, 64 << 10, 4L << 30, 1L << 20, 100, 0, 0),
            new StoreClassConfig("tenant", "default", null, 0, null, null, 40, 10, 5),
            new StoreClassConfig("private", "memory", null, 0, null, null, 100, 0, 0)),
        config.storeClasses());
    assertEquals("video", config.routes().getFirst().settings().storeClass());
  }

  @Test
  void withoutAnythingThereIsTheDefaultClass() throws IOException {
    ServerConfig config = loaded("");
    assertEquals(List.of(), config.storeClasses());
    assertEquals("default", config.routes().getFirst().settings().storeClass());
  }

  @Test
  void theClassMemoryIsBuiltIn() throws IOException {
    assertEquals(
        "memory",
        loaded("routes: [{store-class: memory}]").routes().getFirst().settings().storeClass());
  }

  @Test
  void anUnknownClassIsToldWithTheOneThatWasMeant() throws IOException {
    refused(
        "store-classes: {video: {quota: 10%}}\nroutes: [{store-class: vidoe}]",
        "routes.0.store-class", "there is no storage class named vidoe", "video");
  }

  @Test
  void classesForDisksNeedADisk() throws IOException {
    refused("routes: [{store-class: disk}]", "the class disk without a disk", "add a disk under");
    refused("store-classes: {cold: {tier: disk}}", "tier: disk without a disk");
  }

  @Test
  void aBuiltInNameIsTaken() throws IOException {
    refused("store-classes: {memory: {quota: 10%}}", "memory is built in", "use another name");
  }

  @Test
  void keysThatContradictTheTierAreRefused() throws IOException {
    refused(
        "store-classes: {a: {tier: memory, disk-after: 1}}",
        "store-classes.a.disk-after",
        "tier: memory writes nothing to disks");
    refused(
        "stores: {d: {path: \"%s\", size: 1GiB}}\nstore-classes: {a: {tier: disk, pinned: 1%%}}"
            .formatted(directory.resolve("d")),
        "store-classes.a.pinned",
        "reserves nothing in memory");
  }

  @Test
  void sharesThatContradictAreRefused() throws IOException {
    refused("store-classes: {a: {quota: 10%, floor: 20%}}", "larger than the quota");
    refused("store-classes: {a: {quota: 10%, pinned: 20%}}", "larger than the quota");
    refused(
        "store-classes: {a: {floor: 50%}, b: {pinned: 30%}}",
        "add up to 80%", "reduce them to 75%");
    refused("store-classes: {a: {quota: 0%}}", "write 1 to 100");
    refused("store-classes: {a: {floor: 80%}}", "write 0 to 75");
  }

  @Test
  void sizesThatContradictAreRefused() throws IOException {
    refused("store-classes: {a: {disk-min: 2MiB, disk-max: 1MiB}}", "is larger than disk-max");
    refused("store-classes: {a: {disk-after: 4}}", "store-classes.a.disk-after");
  }

  @Test
  void thereIsABoundOfClasses() throws IOException {
    StringBuilder yaml = new StringBuilder("store-classes:\n");
    for (int n = 0; n < 25; n++) {
      yaml.append("  c").append(n).append(": memory\n");
    }
    refused(yaml.toString(), "more than 24 classes", "let routes share a class");
  }

  @Test
  void aReloadTakesThemUp() throws IOException {
    ServerConfig before = loaded("store-classes: {a: {quota: 10%}}");
    ServerConfig after =
        loaded("store-classes: {a: {quota: 20%}, b: memory}\nroutes: [{store-class: b}]");
    ConfigView.Difference difference = ConfigView.diff(before, after);
    assertTrue(difference.changed().contains("store-classes.a.quota"), difference.toString());
    assertTrue(difference.changed().contains("store-classes.b"), difference.toString());
    assertEquals(List.of(), difference.needsRestart());
    assertNull(after.storeClasses().getFirst().diskAfter());
  }
}
