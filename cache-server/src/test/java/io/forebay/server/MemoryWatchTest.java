package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.memory.MachineMemory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The memory watch on a tree of files like the kernel's. */
class MemoryWatchTest {
  private static final long MEBI = 1 << 20;
  private static final MemoryPlan.Sum SUM =
      new MemoryPlan.Sum(
          512 * MEBI,
          0,
          40 * MEBI,
          0,
          512 * MEBI,
          512 * MEBI,
          0,
          2_000 * MEBI,
          "control group /edge");

  @TempDir Path directory;
  private MemoryWatch watch;

  @BeforeEach
  void aNodeInAGroup() throws Exception {
    write("proc/meminfo", "MemTotal: 24000000 kB\nMemAvailable: 9000000 kB\n");
    write("proc/self/cgroup", "0::/edge\n");
    group(2_000, 1_000);
    pressure("0.00");
    MachineMemory machine =
        new MachineMemory(directory.resolve("proc"), directory.resolve("groups"));
    watch = new MemoryWatch(machine::read, SUM, null);
  }

  private void group(long limitMebi, long usedMebi) throws IOException {
    write("groups/edge/memory.max", (limitMebi * MEBI) + "\n");
    write("groups/edge/memory.current", (usedMebi * MEBI) + "\n");
  }

  private void pressure(String percent) throws IOException {
    write("groups/edge/memory.pressure", "some avg10=" + percent + " avg60=0.00 total=1\n");
  }

  private void write(String file, String text) throws IOException {
    Path path = directory.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text);
  }

  private String problem() {
    watch.step();
    String problem = watch.state().problem();
    assertNotNull(problem);
    return problem;
  }

  private void assertFine() {
    watch.step();
    assertNull(watch.state().problem());
  }

  @Test
  void saysNothingWhileThereIsEnough() {
    assertFine();
    assertEquals(2_000 * MEBI, watch.state().limitBytes());
    assertEquals(1_000 * MEBI, watch.state().freeBytes());
    assertEquals((512 + 40 + 512 + 512) * MEBI + MemoryPlan.JVM_BYTES, watch.state().budgetBytes());
  }

  @Test
  void saysThatTheLimitWasLowered() throws Exception {
    group(1_800, 1_000);
    assertFine();
    group(1_500, 1_000);
    assertTrue(problem().startsWith("the limit is now 1500 MiB (control group /edge)"), problem());
    group(2_000, 1_000);
    assertFine();
  }

  @Test
  void saysThatLittleIsLeftUntilThereIsEnough() throws Exception {
    group(2_000, 1_970);
    assertTrue(problem().startsWith("control group /edge has 30 MiB left"), problem());
    group(2_000, 1_930);
    assertTrue(problem().contains("has 70 MiB left"), "not yet enough");
    group(2_000, 1_900);
    assertFine();
  }

  @Test
  void saysThatSomebodyWaitsForMemory() throws Exception {
    pressure("9.00");
    assertFine();
    pressure("25.00");
    assertEquals("tasks wait for memory 25 % of the time", problem());
    assertEquals(0.25, watch.state().pressure());
    pressure("7.00");
    assertTrue(problem().contains("7 %"));
    pressure("1.00");
    assertFine();
  }

  @Test
  void tellsTheTierToFollowAndCountsOnWhatItCanGiveBack() throws Exception {
    MachineMemory machine =
        new MachineMemory(directory.resolve("proc"), directory.resolve("groups"));
    FakeTier tier = new FakeTier(512, (int) MEBI);
    watch =
        new MemoryWatch(
            machine::read,
            SUM,
            new MemoryWatch.Follower(machine::pressure, new TierSizePolicy(tier, 128, () -> 0)));
    assertFine();
    assertEquals(512, tier.target());
    // Of the sum 384 MiB are those of regions that may go.
    group(1_500, 1_000);
    assertFine();
    group(1_300, 1_200);
    assertTrue(problem().startsWith("the limit is now 1300 MiB"), problem());
    assertEquals(512, tier.target());
    group(1_300, 1_250);
    assertTrue(problem().startsWith("the limit is now 1300 MiB"), problem());
    // A twelfth of the limit is to be left.
    assertEquals(512 - 59, tier.target());
  }
}
