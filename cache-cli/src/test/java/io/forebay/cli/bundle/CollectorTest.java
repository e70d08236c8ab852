package io.forebay.cli.bundle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.cli.console.AdminClient;
import io.forebay.cli.console.Output;
import io.forebay.testing.Ports;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Bundles of a node that does not answer. */
final class CollectorTest {
  private static final int MAX_ENTRY = 64 << 10;

  @TempDir private Path directory;

  private Bundle bundle() throws IOException {
    return new Bundle(
        directory.resolve("bundle.zip"),
        new Redactor(List.of("planted")),
        Instant.EPOCH,
        Map.of("admin", "http://planted@127.0.0.1"),
        MAX_ENTRY);
  }

  private Map<String, String> entries() throws IOException {
    Map<String, String> entries = new TreeMap<>();
    try (ZipInputStream zip =
        new ZipInputStream(Files.newInputStream(directory.resolve("bundle.zip")))) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        entries.put(entry.getName(), new String(zip.readAllBytes(), StandardCharsets.UTF_8));
      }
    }
    return entries;
  }

  private JsonNode manifest() throws IOException {
    return Output.mapper().readTree(entries().getOrDefault("manifest.json", ""));
  }

  @Test
  void aNodeThatIsAwayHasABundleThatSaysSo() throws Exception {
    Path log = Files.writeString(directory.resolve("edge.log"), "went down: planted\n");
    List<String> parts = new ArrayList<>();
    try (Bundle bundle = bundle();
        AdminClient nobody =
            new AdminClient(URI.create("http://127.0.0.1:" + Ports.free()), null)) {
      new Collector(
              bundle,
              nobody,
              null,
              null,
              List.of(log),
              Duration.ofSeconds(10),
              System::nanoTime,
              time -> {
                throw new AssertionError("nothing to wait for");
              })
          .collect(Duration.ofMinutes(1), (done, total, part) -> parts.add(part));
    }
    assertEquals("went down: ***\n", entries().get("log/1.txt"));
    assertTrue(entries().containsKey("versions.json"), entries().keySet().toString());
    JsonNode missing = manifest().path("missing");
    assertTrue(
        missing.path("node").asString("").contains("no Forebay answers"), missing.toString());
    assertEquals("the node does not answer", missing.path("stats").asString(""));
    assertTrue(
        missing.path("threads/first.txt").asString("").contains("--pid"), missing.toString());
    assertTrue(manifest().path("absent").has("doctor"), manifest().toString());
    assertFalse(entries().toString().contains("planted"), entries().toString());
    assertEquals("", parts.getLast());
    assertEquals(
        "rw-------",
        PosixFilePermissions.toString(
            Files.getPosixFilePermissions(directory.resolve("bundle.zip"))));
  }

  @Test
  void afterItsTimeTheRestIsLeftOut() throws Exception {
    AtomicLong nanos = new AtomicLong();
    try (Bundle bundle = bundle();
        AdminClient nobody =
            new AdminClient(URI.create("http://127.0.0.1:" + Ports.free()), null)) {
      new Collector(
              bundle,
              nobody,
              null,
              null,
              List.of(),
              Duration.ofSeconds(10),
              () -> nanos.getAndAdd(Duration.ofSeconds(40).toNanos()),
              time -> {})
          .collect(Duration.ofMinutes(1), (done, total, part) -> {});
    }
    JsonNode missing = manifest().path("missing");
    assertEquals("there was no more time", missing.path("doctor").asString(""));
    assertTrue(entries().containsKey("versions.json"), entries().keySet().toString());
  }

  @Test
  void anEntryIsBoundedAndAFileIsNeverReplaced() throws Exception {
    try (Bundle bundle = bundle()) {
      bundle.text("long.txt", "a line\n".repeat(MAX_ENTRY / 7 + 1));
    }
    assertEquals(MAX_ENTRY, entries().getOrDefault("long.txt", "").length());
    assertTrue(manifest().at("/files/0/cut").asBoolean(false), manifest().toString());
    assertThrows(FileAlreadyExistsException.class, this::bundle);
  }
}
