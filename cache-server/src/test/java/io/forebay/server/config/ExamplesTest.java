package io.forebay.server.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every file below {@code examples} is a valid configuration without warnings. */
final class ExamplesTest {
  private static final Path EXAMPLES = Path.of("../examples");
  private static final Pattern FILE = Pattern.compile("/etc/forebay/[\\w./-]+\\w");
  private static final Pattern MOUNT_POINT = Pattern.compile("/mnt/\\w+");

  @TempDir private Path machine;

  static List<Path> examples() throws IOException {
    try (Stream<Path> files = Files.list(EXAMPLES)) {
      return files.filter(Files::isRegularFile).sorted().toList();
    }
  }

  @Test
  void thereIsOneForEachUse() throws IOException {
    assertEquals(
        List.of(
            "admin-access.yaml",
            "api-rate-limits.yaml",
            "api-short-ttl.yaml",
            "apt-mirror.yaml",
            "canary.yaml",
            "compression.yaml",
            "django.yaml",
            "docker-registry.yaml",
            "early-hints.yaml",
            "esi.yaml",
            "grpc-beside-site.yaml",
            "grpc.yaml",
            "hls-video.yaml",
            "https-acme.yaml",
            "large-disks.yaml",
            "large-downloads.yaml",
            "live-cmcd.yaml",
            "logging.yaml",
            "maintenance.yaml",
            "mediawiki.yaml",
            "monitoring.yaml",
            "npm-mirror.yaml",
            "one-site.yaml",
            "purge-by-tag.yaml",
            "relaunch-redirects.yaml",
            "s3-bucket.yaml",
            "server-group.yaml",
            "several-origins.yaml",
            "signed-downloads.yaml",
            "staging-basic-auth.yaml",
            "storage-classes.yaml",
            "tier-child.yaml",
            "tier-parent.yaml",
            "tls-two-certificates.yaml",
            "unreliable-origin.yaml",
            "vod.yaml",
            "websockets.yaml",
            "wordpress.yaml"),
        examples().stream().map(file -> file.getFileName().toString()).toList());
  }

  @ParameterizedTest
  @MethodSource("examples")
  void isAcceptedWithoutAWarning(Path example) throws IOException {
    String text = Files.readString(example);
    assertTrue(text.startsWith("# "), "begins with what it is for");

    ConfigOutcome outcome = load(text);

    ConfigOutcome.Loaded loaded =
        assertInstanceOf(ConfigOutcome.Loaded.class, outcome, outcome.toString());
    assertEquals(List.of(), loaded.warnings());
  }

  /** So that the test above can fail: the same way of loading tells a mistake and a warning. */
  @Test
  void aMistakeAndAnUnmountedDiskAreNoticed() throws IOException {
    String text = Files.readString(EXAMPLES.resolve("large-disks.yaml"));

    assertInstanceOf(
        ConfigOutcome.Refused.class, load(text.replace("disk-admission", "disk-admision")));
    ConfigOutcome unmounted = load(text.replace("/mnt/nvme3", "/srv/nvme3"));
    assertEquals(1, assertInstanceOf(ConfigOutcome.Loaded.class, unmounted).warnings().size());
  }

  /** On a machine that has the files and the mounted disks that the text names. */
  private ConfigOutcome load(String text) throws IOException {
    for (String name : matches(FILE, text)) {
      Path file = Path.of(machine + name);
      Files.createDirectories(file.getParent());
      Files.writeString(file, content(name));
    }
    StringBuilder mounts = new StringBuilder("/dev/sda1 / ext4 rw 0 0\n");
    for (String point : matches(MOUNT_POINT, text)) {
      mounts.append("/dev/disk ").append(machine).append(point).append(" xfs rw 0 0\n");
      Files.createDirectories(Path.of(machine + point));
    }
    Path table = Files.writeString(machine.resolve("mounts"), mounts);
    Path file =
        Files.writeString(
            machine.resolve("forebay.yaml"),
            text.replace("/etc/forebay/", machine + "/etc/forebay/")
                .replace("/mnt/", machine + "/mnt/"));
    ConfigEnvironment environment =
        new ConfigEnvironment(Map.of(), machine, file, machine, machine, "test");
    return new ConfigLoader(environment, MountTable.read(table)).load(file, Map.of());
  }

  private static String content(String name) {
    if (name.endsWith(".htpasswd")) {
      return "alice:$2y$05$rrl5flDxAMDoHepff.Ekp.j3T5brRMO0IFLMxwMcvEbTxWhDayUaq\n";
    }
    return name.endsWith("networks") ? "203.0.113.0/24\n" : "a-secret-that-is-long-enough\n";
  }

  private static List<String> matches(Pattern pattern, String text) {
    return pattern.matcher(text).results().map(MatchResult::group).distinct().toList();
  }
}
