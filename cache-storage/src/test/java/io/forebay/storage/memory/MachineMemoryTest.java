package io.forebay.storage.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MachineMemoryTest {
  private static final long MEBI = 1 << 20;

  @TempDir Path directory;

  private MachineMemory machine() {
    return new MachineMemory(directory.resolve("proc"), directory.resolve("groups"));
  }

  private void write(String file, String text) throws IOException {
    Path path = directory.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text);
  }

  private void machineHas(long totalMebi, long availableMebi) throws IOException {
    write(
        "proc/meminfo",
        "MemTotal:       %d kB%nMemFree: 1 kB%nMemAvailable:   %d kB%n"
            .formatted(totalMebi << 10, availableMebi << 10));
  }

  @Test
  void withoutGroupsItIsTheMachine() throws Exception {
    machineHas(24_000, 9_000);
    write(
        "proc/pressure/memory", "some avg10=12.50 avg60=1.00 avg300=0.00 total=5\nfull avg10=1\n");
    assertEquals(
        new MachineMemory.Reading(24_000 * MEBI, "the machine", 9_000 * MEBI, "the machine", 0.125),
        machine().read());
  }

  @Test
  void theSmallestLimitOfAllGroupsCounts() throws Exception {
    machineHas(24_000, 9_000);
    write("proc/self/cgroup", "0::/slice/edge\n");
    write("groups/slice/memory.max", (4_000 * MEBI) + "\n");
    write("groups/slice/memory.current", (3_900 * MEBI) + "\n");
    write("groups/slice/edge/memory.max", (2_000 * MEBI) + "\n");
    write("groups/slice/edge/memory.current", (1_800 * MEBI) + "\n");
    write("groups/slice/edge/memory.stat", "inactive_file " + 300 * MEBI + "\nactive_file 0\n");
    write("groups/slice/edge/memory.pressure", "some avg10=3.00 avg60=0 avg300=0 total=5\n");
    assertEquals(
        new MachineMemory.Reading(
            2_000 * MEBI, "control group /slice/edge", 100 * MEBI, "control group /slice", 0.03),
        machine().read());
  }

  @Test
  void whereNothingCanBeReadNothingIsSaid() {
    assertEquals(
        new MachineMemory.Reading(0, "the machine", 0, "the machine", 0), machine().read());
  }
}
