package io.forebay.storage.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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
        new MachineMemory.Reading(
            24_000 * MEBI, "the machine", 9_000 * MEBI, "the machine", 0.125, PageReclaim.NONE),
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
            2_000 * MEBI,
            "control group /slice/edge",
            100 * MEBI,
            "control group /slice",
            0.03,
            PageReclaim.NONE),
        machine().read());
  }

  @Test
  void whereNothingCanBeReadNothingIsSaid() {
    assertEquals(
        new MachineMemory.Reading(0, "the machine", 0, "the machine", 0, PageReclaim.NONE),
        machine().read());
  }

  @Test
  void pageReclaimIsThatOfTheInnermostGroupThatTellsElseOfTheMachine() throws Exception {
    write(
        "proc/vmstat",
        "pgsteal_kswapd 1\npgsteal_direct 20\npgscan_kswapd 300\npgscan_direct 4000\n"
            + "pgscan_direct_throttle 7\npgscan_anon 9\npgscan_proactive 50000\n");
    assertEquals(new PageReclaim(54_300, 21), machine().read().pages());
    write("proc/self/cgroup", "0::/slice/edge\n");
    write("groups/slice/memory.stat", "anon 5\npgscan_kswapd 3\npgscan 12\npgsteal 11\n");
    write("groups/slice/edge/memory.stat", "anon 5\npgsteal 2\n");
    assertEquals(new PageReclaim(12, 11), machine().read().pages());
    write("groups/slice/edge/memory.stat", "anon 5\npgscan 3\npgsteal 2\n");
    assertEquals(new PageReclaim(3, 2), machine().read().pages());
  }

  @Test
  void everyLevelSaysHowMuchRoomItHas() throws Exception {
    machineHas(24_000, 9_000);
    write("proc/self/cgroup", "0::/slice/edge\n");
    write("groups/slice/memory.max", (4_000 * MEBI) + "\n");
    write("groups/slice/memory.current", (3_900 * MEBI) + "\n");
    write("groups/slice/edge/memory.max", (2_000 * MEBI) + "\n");
    write("groups/slice/edge/memory.high", (1_700 * MEBI) + "\n");
    write("groups/slice/edge/memory.current", (1_800 * MEBI) + "\n");
    assertEquals(
        List.of(
            new MemoryPressure.Level("control group /slice/edge", 1_700 * MEBI, -100 * MEBI),
            new MemoryPressure.Level("control group /slice", 4_000 * MEBI, 100 * MEBI),
            new MemoryPressure.Level("the machine", 24_000 * MEBI, 9_000 * MEBI)),
        machine().pressure().levels());
  }

  @Test
  void aGroupWithoutLimitsIsNoLevel() throws Exception {
    machineHas(24_000, 9_000);
    write("proc/self/cgroup", "0::/edge\n");
    write("groups/edge/memory.max", "max\n");
    write("groups/edge/memory.high", "max\n");
    write("groups/edge/memory.current", (1_800 * MEBI) + "\n");
    assertEquals(
        List.of(new MemoryPressure.Level("the machine", 24_000 * MEBI, 9_000 * MEBI)),
        machine().pressure().levels());
    write("groups/edge/memory.high", (2_000 * MEBI) + "\n");
    assertEquals(2, machine().pressure().levels().size());
    write("groups/edge/memory.current", "a lot\n");
    assertEquals(1, machine().pressure().levels().size());
  }

  @Test
  void theOlderKindOfGroupIsALevel() throws Exception {
    write("proc/self/cgroup", "3:cpu:/x\n4:memory:/x\n");
    write("groups/memory/x/memory.limit_in_bytes", (100 * MEBI) + "\n");
    write("groups/memory/x/memory.usage_in_bytes", (90 * MEBI) + "\n");
    write("groups/memory/x/memory.stat", "total_inactive_file " + 20 * MEBI + "\n");
    assertEquals(
        List.of(new MemoryPressure.Level("control group /memory/x", 100 * MEBI, 30 * MEBI)),
        machine().pressure().levels());
  }

  @Test
  void waitingCountsForOwnTasksAndForAllTasksOfWhatIsAround() throws Exception {
    write("proc/self/cgroup", "0::/slice/edge\n");
    write("proc/pressure/memory", "some avg10=50.00 \nfull avg10=50.00 \n");
    write("groups/slice/edge/memory.pressure", "some avg10=3.00 avg60=0\nfull avg10=1.00 \n");
    write("groups/slice/memory.pressure", "some avg10=40.00 avg60=0\nfull avg10=2.00 \n");
    MemoryPressure pressure = machine().pressure();
    assertEquals(0.03, pressure.some());
    assertEquals(0.02, pressure.full());
    write("proc/self/cgroup", "0::/nowhere\n");
    assertEquals(0.5, machine().pressure().some());
    assertEquals(0.5, machine().pressure().full());
  }

  @Test
  void runningOutOfMemoryIsCountedByEachGroupForItself() throws Exception {
    write("proc/self/cgroup", "0::/slice/edge\n");
    write("groups/slice/memory.events.local", "low 0\nhigh 9\nmax 9\noom 2\noom_kill 1\n");
    write("groups/slice/memory.events", "high 9\nmax 9\noom 77\noom_kill 1\n");
    write("groups/slice/edge/memory.events.local", "high 9\nmax 9\noom 3\n");
    assertEquals(5, machine().pressure().outOfMemory());
  }

  @Test
  void whatCannotBeReadIsNoShortage() throws Exception {
    assertEquals(new MemoryPressure(List.of(), 0, 0, 0), machine().pressure());
    write("proc/meminfo", "MemTotal: 24000 kB\n");
    write("proc/self/cgroup", "0::\n1:memory:x\n4:memory:/a\u0000b\n0::/../../etc\nrubbish\n");
    write("groups/memory.max", "-1\n");
    assertEquals(new MemoryPressure(List.of(), 0, 0, 0), machine().pressure());
  }
}
