package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.forebay.testing.Await;
import io.forebay.testing.Directories;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/**
 * The packaged node in a control group whose memory another process takes: its tier becomes
 * smaller, survives a kill, and grows again.
 */
@Tag("full")
final class MemoryPressureIT {
  private static final long MEBI = 1 << 20;
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir Path directory;
  private Path group;
  private Path neighbour;

  @BeforeEach
  void makeAGroup() throws Exception {
    neighbour = Directories.inMemory("forebay-neighbour-");
    Path parent = memoryGroup();
    Path made = parent == null ? null : parent.resolve("forebay-" + ProcessHandle.current().pid());
    assumeTrue(made != null && makes(made), "needs a writable memory control group (cgroup v1)");
    group = made;
  }

  private static boolean makes(Path group) {
    try {
      Files.createDirectory(group);
      return true;
    } catch (IOException readOnly) {
      return false;
    }
  }

  /** The memory group of this process, of version 1; null if there is none. */
  private static @Nullable Path memoryGroup() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/self/cgroup"))) {
      String[] parts = line.split(":", 3);
      if (parts[1].equals("memory")) {
        return Path.of("/sys/fs/cgroup/memory", parts[2]);
      }
    }
    return null;
  }

  @AfterEach
  void removeTheGroup() throws Exception {
    Directories.delete(neighbour);
    if (group != null) {
      Await.until(
          "the group is empty", () -> Files.readString(group.resolve("cgroup.procs")).isEmpty());
      Files.delete(group);
    }
  }

  private void limit(long bytes) throws IOException {
    Files.writeString(group.resolve("memory.limit_in_bytes"), Long.toString(bytes));
  }

  private long used() throws IOException {
    return Long.parseLong(Files.readString(group.resolve("memory.usage_in_bytes")).strip());
  }

  /** Another process of the group that takes so many MiB of it, as a file in memory. */
  private void take(long mebi) throws Exception {
    Process dd =
        new ProcessBuilder(
                "sh",
                "-c",
                "echo $$ > \"$1/cgroup.procs\" && exec dd if=/dev/zero of=\"$2\" bs=1M"
                    + " count=\"$3\"",
                "sh",
                group.toString(),
                neighbour.resolve("file").toString(),
                Long.toString(mebi))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    assertEquals(0, dd.waitFor());
  }

  private static JsonNode resize(EdgeProcess edge) throws Exception {
    return JSON.readTree(edge.admin("/v1/stats").body()).at("/store/resize");
  }

  private static long withdrawn(EdgeProcess edge) throws Exception {
    return resize(edge).path("withdrawnBytes").asLong(-1);
  }

  private static long blocks(Path file) throws Exception {
    Process stat = new ProcessBuilder("stat", "--format=%b", file.toString()).start();
    String blocks = new String(stat.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    assertEquals(0, stat.waitFor());
    return Long.parseLong(blocks.strip()) * 512;
  }

  @Test
  void theTierGivesWayToANeighbourAndComesBack() throws Exception {
    try (NginxOrigin origin = NginxOrigin.start(directory.resolve("nginx"))) {
      Tree tree = origin.tree(3);
      List<Tree.Entry> files = new ArrayList<>();
      for (int n = 0; n < 240; n++) {
        files.add(tree.write("/f" + n, 1 << 20));
      }
      EdgeProcess.Settings settings =
          EdgeProcess.in(directory.resolve("edge"), origin.url())
              .memory("256MiB")
              .config("store: {memory-min: 96MiB}\n")
              .jvm("-Xmx96m", "-XX:MaxDirectMemorySize=64m")
              .wrapped(
                  "sh", "-c", "echo $$ > \"$0/cgroup.procs\" && exec \"$@\"", group.toString());
      try (EdgeProcess edge = settings.start()) {
        Path tier = settings.memoryDirectory().resolve("memory.tier");
        for (Tree.Entry file : files) {
          file.assertSame(edge.get(file.path()));
        }
        long whole = blocks(tier);
        assertTrue(whole >= 256 * MEBI);
        assertEquals(0, withdrawn(edge));

        // What is used now and 120 MiB: then another process takes 100 of these.
        long limit = used() + 120 * MEBI;
        limit(limit);
        take(100);
        // Of each region one page stays.
        Await.until("regions are given back", () -> withdrawn(edge) >= 12 * MEBI);
        long left = blocks(tier);
        assertTrue(left < whole - 10 * MEBI, left + " of " + whole);
        assertTrue(left >= 96 * MEBI);
        assertTrue(edge.errText().contains("the memory tier gives memory back"), edge.errText());
        assertTrue(
            edge.admin("/metrics").body().contains("forebay_store_regions_given_back_total"));
        int hits = 0;
        // The youngest first: in the other order each would evict the next one.
        for (Tree.Entry file : files.reversed()) {
          Response response = edge.get(file.path());
          file.assertSame(response);
          hits += response.isFromCache() ? 1 : 0;
        }
        assertTrue(hits > 50, hits + " hits");
        Tree.Entry kept = files.getFirst();
        kept.assertSame(edge.get(kept.path()));

        edge.kill();
        edge.restart();
        assertTrue(withdrawn(edge) > 0, "it opens with what is left");
        Await.until(
            "a hit after the kill",
            () -> {
              Response response = edge.get(kept.path());
              kept.assertSame(response);
              return response.isFromCache();
            });

        Files.delete(neighbour.resolve("file"));
        Await.until(
            "a region comes back", () -> resize(edge).path("regionsTakenBack").asLong(0) > 0);
        assertTrue(edge.errText().contains("the memory tier takes memory back"), edge.errText());
        for (Tree.Entry file : files.subList(0, 40)) {
          file.assertSame(edge.get(file.path()));
        }
      }
    }
  }
}
