package io.forebay.lab.target;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TargetGroupTest {
  private static final URI ORIGIN = URI.create("http://127.0.0.1:9000");

  @TempDir Path directory;

  private final List<String> events = new ArrayList<>();

  private TargetSpec whole(@Nullable String cpus, Path... disks) {
    return new TargetSpec(
        directory,
        ORIGIN,
        4_000,
        2_000,
        List.of(disks),
        8,
        cpus,
        -1,
        null,
        false,
        InetAddress.ofLiteral("10.0.0.1"));
  }

  private NumaNodes nodes(String... cpuLists) throws IOException {
    for (int i = 0; i < cpuLists.length; i++) {
      Path node = Files.createDirectories(directory.resolve("node" + i));
      Files.writeString(node.resolve("cpulist"), cpuLists[i] + "\n");
    }
    Files.writeString(directory.resolve("possible"), "0-1\n");
    return NumaNodes.read(directory);
  }

  @Test
  void instancesAreOnNodesOfTheirOwnWithTheirPartOfMemoryLoopsAndDisks() throws IOException {
    Path first = Path.of("/mnt/0");
    Path second = Path.of("/mnt/1");
    Path third = Path.of("/mnt/2");
    List<TargetSpec> parts =
        TargetGroup.divide(whole(null, first, second, third), 2, nodes("0-3,8-11", "4-7"));
    TargetSpec other = parts.get(1);
    assertEquals(2, parts.size());
    assertEquals("0,1,2,3,8,9,10,11", parts.get(0).cpus());
    assertEquals(0, parts.get(0).numaNode());
    assertEquals(List.of(first, third), parts.get(0).disks());
    assertEquals("4,5,6,7", other.cpus());
    assertEquals(1, other.numaNode());
    assertEquals(List.of(second), other.disks());
    assertEquals(2_000, other.memoryBytes());
    assertEquals(1_000, other.diskBytes());
    assertEquals(4, other.loops());
    assertEquals(directory.resolve("instance-2"), other.directory());
  }

  @Test
  void nodesWithoutCpusTakeNoInstance() throws IOException {
    List<TargetSpec> parts = TargetGroup.divide(whole("0-3"), 2, nodes("0-3", ""));
    assertEquals("0,1", parts.get(0).cpus());
    assertEquals("2,3", parts.get(1).cpus());
    assertEquals(-1, parts.get(1).numaNode());
  }

  @Test
  void oneInstanceIsWhatWasAskedFor() throws IOException {
    TargetSpec whole = whole("0-3");
    assertEquals(List.of(whole), TargetGroup.divide(whole, 1, nodes("0-3")));
  }

  /** A program that exists only here. */
  private final class FakeTarget implements Target {
    @Override
    public String name() {
      return "fake";
    }

    @Override
    public @Nullable String missing() {
      return null;
    }

    @Override
    public String version() {
      return "1";
    }

    @Override
    public RunningTarget start(TargetSpec spec) throws IOException {
      if (spec.memoryBytes() == 0) {
        throw new IOException("no memory");
      }
      events.add("start " + spec.memoryBytes());
      return new FakeRunning(spec);
    }
  }

  private final class FakeRunning implements RunningTarget {
    private final TargetSpec spec;

    FakeRunning(TargetSpec spec) {
      this.spec = spec;
    }

    @Override
    public URI address() {
      return URI.create("http://127.0.0.1:" + spec.memoryBytes());
    }

    @Override
    public List<ProcessHandle> processes() {
      return List.of();
    }

    @Override
    public Counters counters() {
      long sent = spec.diskBytes() == 0 ? -1 : 100;
      return new Counters(10, 8, sent, 20, Map.of("memory", 60L, "disk", spec.memoryBytes()));
    }

    @Override
    public long memoryForHitRatio(double hitRatio) {
      return spec.diskBytes() == 0 ? -1 : 500;
    }

    @Override
    public void close() {
      events.add("close " + spec.memoryBytes());
    }
  }

  private TargetSpec spec(long memory, long disk) {
    return new TargetSpec(directory, ORIGIN, memory, disk, 1, null, -1, null, false);
  }

  @Test
  void countersAreSums() throws Exception {
    try (TargetGroup group = TargetGroup.start(new FakeTarget(), List.of(spec(1, 1), spec(2, 1)))) {
      assertEquals(
          new RunningTarget.Counters(20, 16, 200, 40, Map.of("memory", 120L, "disk", 3L)),
          group.counters());
      assertEquals(1_000, group.memoryForHitRatio(0.8));
      assertEquals(-1, group.memoryForByteHitRatio(0.8));
      assertEquals(2, group.addresses().size());
    }
    assertEquals(List.of("start 1", "start 2", "close 2", "close 1"), events);
  }

  @Test
  void whatOneInstanceDoesNotCountIsNotSummed() throws Exception {
    try (TargetGroup group = TargetGroup.start(new FakeTarget(), List.of(spec(1, 1), spec(2, 0)))) {
      assertEquals(-1, group.counters().bytesSent());
      assertEquals(40, group.counters().bytesFetched());
      assertEquals(-1, group.memoryForHitRatio(0.8));
    }
  }

  @Test
  void anInstanceThatDoesNotStartStopsTheOthers() {
    assertThrows(
        IOException.class,
        () -> TargetGroup.start(new FakeTarget(), List.of(spec(1, 1), spec(0, 1))));
    assertEquals(List.of("start 1", "close 1"), events);
  }
}
