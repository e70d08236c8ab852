package io.forebay.server.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.ServerConfig.StorageClassConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The keys of storage classes, and what is said of mistakes in them. */
final class StorageClassConfigTest {
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
            storage-classes:
              video: {tier: disk, disk-after: 2, disk-min: 64KiB, disk-max: 4GiB, memory-max: 1MiB}
              tenant: {quota: 40%%, floor: 10%%, pinned: 5%%, disk-quota: 30%%, disk-floor: 20%%}
              private: memory
            routes: [{storage-class: video}]
            """
                .formatted(directory.resolve("d")));
    assertEquals(
        List.of(
            new StorageClassConfig(
                "video", "disk", 2, 64 << 10, 4L << 30, 1L << 20, 100, 0, 0, 100, 0),
            new StorageClassConfig("tenant", "default", null, 0, null, null, 40, 10, 5, 30, 20),
            new StorageClassConfig("private", "memory", null, 0, null, null, 100, 0, 0, 100, 0)),
        config.storageClasses());
    assertEquals("video", config.routes().getFirst().settings().storageClass());
  }

  @Test
  void withoutAnythingThereIsTheDefaultClass() throws IOException {
    ServerConfig config = loaded("");
    assertEquals(List.of(), config.storageClasses());
    assertEquals("default", config.routes().getFirst().settings().storageClass());
  }

  @Test
  void theClassMemoryIsBuiltIn() throws IOException {
    assertEquals(
        "memory",
        loaded("routes: [{storage-class: memory}]").routes().getFirst().settings().storageClass());
  }

  @Test
  void anUnknownClassIsToldWithTheOneThatWasMeant() throws IOException {
    refused(
        "storage-classes: {video: {quota: 10%}}\nroutes: [{storage-class: vidoe}]",
        "routes.0.storage-class", "there is no storage class named vidoe", "video");
  }

  @Test
  void classesForDisksNeedADisk() throws IOException {
    refused("routes: [{storage-class: disk}]", "the class disk without a disk", "add a disk under");
    refused("storage-classes: {cold: {tier: disk}}", "tier: disk without a disk");
  }

  @Test
  void aBuiltInNameIsTaken() throws IOException {
    refused("storage-classes: {memory: {quota: 10%}}", "memory is built in", "use another name");
  }

  @Test
  void keysThatContradictTheTierAreRefused() throws IOException {
    refused(
        "storage-classes: {a: {tier: memory, disk-after: 1}}",
        "storage-classes.a.disk-after",
        "tier: memory writes nothing to disks");
    refused(
        "storage-classes: {a: {tier: memory, disk-floor: 1%}}",
        "storage-classes.a.disk-floor", "tier: memory writes nothing to disks");
    refused(
        "stores: {d: {path: \"%s\", size: 1GiB}}\nstorage-classes: {a: {tier: disk, pinned: 1%%}}"
            .formatted(directory.resolve("d")),
        "storage-classes.a.pinned",
        "reserves nothing in memory");
  }

  @Test
  void sharesThatContradictAreRefused() throws IOException {
    refused("storage-classes: {a: {quota: 10%, floor: 20%}}", "larger than the quota");
    refused("storage-classes: {a: {quota: 10%, pinned: 20%}}", "larger than the quota");
    refused(
        "storage-classes: {a: {floor: 50%}, b: {pinned: 30%}}",
        "add up to 80%", "reduce them to 75%");
    refused("storage-classes: {a: {quota: 0%}}", "write 1 to 100");
    refused("storage-classes: {a: {floor: 80%}}", "write 0 to 75");
  }

  @Test
  void sharesOfDisksThatContradictAreRefused() throws IOException {
    refused("storage-classes: {a: {disk-quota: 10%, disk-floor: 20%}}", "larger than disk-quota");
    refused(
        "storage-classes: {a: {disk-floor: 30%}, b: {disk-floor: 30%}}",
        "disk floors add up to 60% of each disk", "reduce them to 50%");
    refused("storage-classes: {a: {disk-quota: 0%}}", "write 1 to 100");
    refused("storage-classes: {a: {disk-floor: 51%}}", "write 0 to 50");
    loaded("storage-classes: {a: {disk-floor: 25%}, b: {disk-floor: 25%, floor: 60%}}");
  }

  @Test
  void sizesThatContradictAreRefused() throws IOException {
    refused("storage-classes: {a: {disk-min: 2MiB, disk-max: 1MiB}}", "is larger than disk-max");
    refused("storage-classes: {a: {disk-after: 4}}", "storage-classes.a.disk-after");
  }

  @Test
  void thereIsABoundOfClasses() throws IOException {
    StringBuilder yaml = new StringBuilder("storage-classes:\n");
    for (int n = 0; n < 25; n++) {
      yaml.append("  c").append(n).append(": memory\n");
    }
    refused(yaml.toString(), "more than 24 classes", "let routes share a class");
  }

  @Test
  void aReloadTakesThemUp() throws IOException {
    ServerConfig before = loaded("storage-classes: {a: {quota: 10%}}");
    ServerConfig after =
        loaded("storage-classes: {a: {quota: 20%}, b: memory}\nroutes: [{storage-class: b}]");
    ConfigView.Difference difference = ConfigView.diff(before, after);
    assertTrue(difference.changed().contains("storage-classes.a.quota"), difference.toString());
    assertTrue(difference.changed().contains("storage-classes.b"), difference.toString());
    assertEquals(List.of(), difference.needsRestart());
    assertNull(after.storageClasses().getFirst().diskAfter());
  }
}
