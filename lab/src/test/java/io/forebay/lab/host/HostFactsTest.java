package io.forebay.lab.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.FileTree;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Facts of a recorded and of a made-up machine. */
final class HostFactsTest {
  @TempDir private Path root;

  private Map<String, Object> facts(String machine, Path data) {
    FileTree.in(root).resource(HostFactsTest.class, machine);
    return HostFacts.read(new KernelTree(root), data, null);
  }

  @Test
  void aVirtualMachineIsToldAsSuch() {
    Map<String, Object> facts = facts("vm.tree", Path.of("/dev/shm/forebay-lab-nowhere"));

    assertEquals("AMD EPYC", facts.get("cpu"));
    assertEquals("0x1000065", facts.get("microcode"));
    assertEquals(2, facts.get("cpus"));
    assertEquals(2, facts.get("cores"));
    assertEquals(1, facts.get("sockets"));
    assertEquals("off", facts.get("smt"));
    assertEquals(1, facts.get("numaNodes"));
    assertEquals(true, facts.get("virtualised"));
    assertEquals(true, facts.get("container"));
    assertEquals("6.18.44-fc-v509", facts.get("kernel"));
    assertEquals("Debian GNU/Linux 12 (bookworm)", facts.get("os"));
    assertEquals("tsc", facts.get("clockSource"));
    assertEquals(24_684_100L << 10, facts.get("memoryBytes"));
    assertEquals(0L, facts.get("swapBytes"));
    assertEquals("madvise", facts.get("transparentHugePages"));
    assertEquals("never", facts.get("transparentHugePagesShmem"));
    assertEquals("virtio_net, up", facts.get("nic.eth0"));
    assertEquals("274.9 GB, rotating", facts.get("disk.vda"));
    assertEquals("tmpfs tmpfs on /dev/shm, rw,relatime", facts.get("dataMount"));
    for (String unknown :
        new String[] {
          "governor",
          "maxMegahertz",
          "dimms",
          "cgroupCpus",
          "cgroupMemoryBytes",
          "placement",
          "machine",
          "nic.lo",
          "disk.loop0",
          "disk.zram0"
        }) {
      assertFalse(facts.containsKey(unknown), unknown + ": " + facts.get(unknown));
    }
  }

  @Test
  void aServerWithTwoSocketsTellsWhereItsDevicesAre() {
    Map<String, Object> facts = facts("two-sockets.tree", Path.of("/srv/forebay/data"));

    assertEquals("Intel(R) Xeon(R) 6780E", facts.get("cpu"));
    assertEquals(2, facts.get("sockets"));
    assertEquals(4, facts.get("cores"));
    assertEquals(8, facts.get("cpus"));
    assertEquals("on", facts.get("smt"));
    assertEquals("performance, powersave", facts.get("governor"));
    assertEquals(3000L, facts.get("maxMegahertz"));
    assertEquals(2, facts.get("numaNodes"));
    assertEquals(false, facts.get("virtualised"));
    assertEquals("2 x 32768 MB Registered-DDR5", facts.get("dimms"));
    assertEquals(6.0, facts.get("cgroupCpus"));
    assertEquals(549_755_813_888L, facts.get("cgroupMemoryBytes"));
    assertEquals("200 Gbit/s, mlx5_core, up, node 0", facts.get("nic.eth0"));
    assertEquals("KIOXIA KCMY1RUG1T92, 1920.4 GB, no rotation, node 0", facts.get("disk.nvme0n1"));
    assertEquals("xfs /dev/nvme0n1 on /srv/forebay, rw,nodev,noatime", facts.get("dataMount"));
    assertEquals(
        "crosses nodes: CPUs on 0, 1; network cards eth0 on 0; disks nvme0n1 on 0, nvme1n1 on 1",
        facts.get("placement"));
  }

  @Test
  void aServerOnTheNodeOfItsDevicesIsToldSo() {
    FileTree.in(root)
        .resource(HostFactsTest.class, "two-sockets.tree")
        .file("sys/devices/pci1/drive1/numa_node", "0");

    assertEquals(
        "on the same nodes: CPUs on 0; network cards eth0 on 0; disks nvme0n1 on 0, nvme1n1 on 0",
        HostFacts.read(new KernelTree(root), null, "0-1").get("placement"));
  }

  @Test
  void aMachineThatTellsNothingHasNoFactsButTheJvm() {
    Map<String, Object> facts = HostFacts.read(new KernelTree(root), root, null);

    assertEquals(java.util.Set.of("jvm"), facts.keySet());
  }

  @Test
  void factsOfThisMachineArePlain() {
    Map<String, Object> facts = HostFacts.read(root, null);

    assertTrue(facts.containsKey("kernel"), facts.toString());
    facts.forEach((name, value) ->
        assertTrue(
            value instanceof String || value instanceof Number || value instanceof Boolean,
            name + " is " + value.getClass()));
  }
}
