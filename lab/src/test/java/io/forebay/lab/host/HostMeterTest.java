package io.forebay.lab.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import io.forebay.testing.FileTree;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Recordings of a recorded machine, a made-up one, and this one. */
final class HostMeterTest {
  private static final double EXACT = 1e-9;

  @TempDir private Path root;
  private final AtomicLong nanos = new AtomicLong();

  private HostMeter meter(String wire, List<String> disks) {
    return new HostMeter(
        new KernelTree(root),
        wire,
        disks,
        RaplMeter.open(new KernelTree(root)),
        () -> Instant.EPOCH.plusNanos(nanos.get()),
        nanos::get);
  }

  private void passes(Duration time) {
    nanos.addAndGet(time.toNanos());
  }

  /** Counters of the virtual machine, before and after two seconds. */
  @Test
  void aJvmOnAVirtualMachine() {
    FileTree tree = FileTree.in(root).resource(HostMeterTest.class, "vm.tree");
    Processes processes = new Processes(tree);
    Recording recording =
        meter("lo", List.of()).record(() -> List.of(1210L), List::of, List::of, List::of);
    passes(Duration.ofSeconds(2));
    processes
        .is(1210, "java", 1149, 6346175, 848 + 150, 34 + 30)
        .thread(1210, 1216, "VM Thread", 6346177, 33, 0)
        .thread(1210, 1222, "C2 CompilerThre", 6346177, 172 + 40, 2)
        .thread(1210, 1223, "C1 CompilerThre", 6346177, 56 + 8, 2 + 2);
    recording.sample();

    HostRecord record = recording.stop();

    HostSample total = record.total();
    assertEquals(2, total.seconds(), EXACT);
    assertEquals(0.75, total.user(), EXACT);
    assertEquals(0.15, total.system(), EXACT);
    assertEquals(0.9, total.cores(), EXACT);
    assertEquals(0.25, total.compilers(), EXACT);
    assertEquals(0, total.origin(), EXACT);
    assertEquals(541_376L << 10, total.residentBytes());
    assertEquals(0, total.wireBytes());
    assertEquals(Map.of(), total.residentByNode());
    assertNull(total.watts());
    assertTrue(record.powerSource().startsWith("no meter: "), record.powerSource());
    assertEquals(1, record.seconds().size());
    assertEquals(List.of(), record.remarks());
  }

  @Test
  void everyCounterOfAServerWithTwoSockets() {
    FileTree tree = FileTree.in(root).resource(HostMeterTest.class, "two-sockets.tree");
    Processes processes = new Processes(tree);
    processes
        .is(10, "master", 1, 500, 10, 10)
        .is(11, "worker", 10, 500, 100, 100)
        .is(20, "origin", 1, 500, 7, 0)
        .is(30, "client", 1, 500, 8, 0);
    tree.file("proc/10/smaps_rollup", "Rss: 9000 kB\nPss: 1000 kB")
        .file("proc/11/smaps_rollup", "Rss: 9000 kB\nPss: 3000 kB")
        .file("proc/10/numa_maps", "7f00 default anon=2 N0=2 kernelpagesize_kB=4")
        .file(
            "proc/11/numa_maps",
            "7f00 default file=/a=N9 mapped=3 N0=1 N1=2 kernelpagesize_kB=4\n"
                + "7f10 default file=/dev/hugepages/x huge N1=5 kernelpagesize_kB=2048");
    Recording recording =
        meter("eth0", List.of())
            .record(() -> List.of(10L, 11L), () -> List.of(20L), () -> List.of(30L), List::of);
    passes(Duration.ofSeconds(1));
    recording.sample();
    passes(Duration.ofMillis(500));
    recording.mark();

    passes(Duration.ofSeconds(4));
    processes
        .is(11, "worker", 10, 500, 100 + 800, 100 + 400)
        .is(20, "origin", 1, 500, 7 + 100, 100)
        .is(30, "client", 1, 500, 8 + 300, 100);
    tree.file(
            "proc/net/dev",
            "h\nh\n  eth0:1000 2 0 0 0 0 0 0 1000005000 3 0 0 0 0 0 0\n    lo: 9 9 0 0 0 0 0 0 9 9")
        .file("proc/net/snmp", "Tcp: A RetransSegs B\nTcp: 1 17 2")
        .file(
            "proc/vmstat",
            "pgscan_kswapd 200\npgscan_direct 30\npgscan_khugepaged 3\npgscan_anon 9999\n"
                + "pgsteal_kswapd 95\npgsteal_direct 11\npgsteal_khugepaged 1\npgsteal_file 999")
        .file(
            "proc/diskstats",
            "8 0 sda 1 0 1010 1 1 0 2000 1 0 1 1\n8 1 sda1 1 0 5555 1 1 0 5555 1 0 1 1\n"
                + "259 0 nvme0n1 1 0 100 1 1 0 1400 1 0 1 1\n"
                + "259 1 nvme1n1 1 0 100 1 1 0 400 1 0 1 1\n"
                + "253 0 dm-0 1 0 7777 1 1 0 7777 1 0 1 1")
        .file("sys/devices/system/node/node1/numastat", "numa_hit 10\nother_node 44");
    HostRecord record = recording.stop();

    HostSample total = record.total();
    assertEquals(4, total.seconds(), EXACT);
    assertEquals(2, total.user(), EXACT);
    assertEquals(1, total.system(), EXACT);
    assertEquals(0.5, total.origin(), EXACT);
    assertEquals(1, total.client(), EXACT);
    assertEquals(1_000_000_000, total.wireBytes());
    assertEquals(2, total.wireGigabitsPerSecond(), EXACT);
    assertEquals(7, total.retransmits());
    assertEquals(110, total.scannedPages());
    assertEquals(6, total.stolenPages());
    assertEquals(10 * 512, total.diskReadBytes());
    assertEquals(1000 * 512, total.diskWrittenBytes());
    assertEquals(40, total.otherNodePages());
    assertEquals(4000L << 10, total.residentBytes());
    assertEquals(4000L << 10, record.maxResidentBytes());
    assertEquals(Map.of(0, 3L * 4096, 1, 2L * 4096 + 5L * (2 << 20)), total.residentByNode());
    assertEquals(1.5, record.markSeconds(), EXACT);
    assertEquals(2, record.seconds().size());
    assertEquals(0, record.seconds().getFirst().cores(), EXACT);
    assertEquals(4.5, record.seconds().getLast().seconds(), EXACT);
    assertSame(record, recording.stop());
  }

  @Test
  void chosenDisksAlone() {
    FileTree tree = FileTree.in(root).resource(HostMeterTest.class, "two-sockets.tree");
    Recording recording =
        meter("eth7", List.of("loop0")).record(List::of, List::of, List::of, List::of);
    passes(Duration.ofSeconds(1));
    tree.file(
        "proc/diskstats", "7 0 loop0 1 0 90 1 1 0 100 1 0 1 1\n8 0 sda 1 0 9 1 1 0 9 1 0 1 1");

    HostSample total = recording.stop().total();

    assertEquals(10 * 512, total.diskReadBytes());
    assertEquals(20 * 512, total.diskWrittenBytes());
    assertEquals(-1, total.wireBytes());
  }

  @Test
  void aSampleThatFailsIsARemark() {
    FileTree.in(root).resource(HostMeterTest.class, "vm.tree");
    AtomicLong calls = new AtomicLong();
    Recording recording =
        meter("lo", List.of())
            .record(
                () -> {
                  if (calls.incrementAndGet() == 2) {
                    throw new IllegalStateException("no list");
                  }
                  return List.of(1210L);
                },
                List::of,
                List::of,
                List::of);
    passes(Duration.ofSeconds(1));
    recording.sample();
    passes(Duration.ofSeconds(1));

    HostRecord record = recording.stop();

    assertEquals(2, record.total().seconds(), EXACT);
    assertEquals(
        List.of(
            "samples of the machine that failed: 1, the last one with"
                + " java.lang.IllegalStateException: no list"),
        record.remarks());
  }

  /** Of four CPUs, three may be used; the kernel's threads work for the run. */
  @Test
  void whatOtherProgramsUseIsToldApart() {
    FileTree tree =
        FileTree.in(root)
            .file("proc/uptime", "100.00 1.00")
            .file("proc/self/status", "Name: java\nCpus_allowed_list:\t0-1,3")
            .file("proc/2/task/2/children", "40 ");
    Processes processes = new Processes(tree);
    processes
        .is(2, "kthreadd", 0, 1, 0, 0)
        .is(10, "server", 1, 500, 100, 100)
        .is(20, "origin", 1, 500, 100, 100)
        .is(30, "client", 1, 500, 100, 100)
        .is(40, "kswapd0", 2, 1, 0, 100)
        .is(50, "lab", 1, 500, 100, 100)
        .is(60, "backup", 1, 500, 100, 100);
    stat(tree, 1000, 1000, 1000);
    Recording recording =
        meter("lo", List.of())
            .record(() -> List.of(10L), () -> List.of(20L), () -> List.of(30L), () -> List.of(50L));
    passes(Duration.ofSeconds(2));
    // 60 for the run and the kernel, the rest for others.
    processes
        .is(10, "server", 1, 500, 120, 100)
        .is(20, "origin", 1, 500, 110, 100)
        .is(30, "client", 1, 500, 110, 100)
        .is(40, "kswapd0", 2, 1, 0, 110)
        .is(50, "lab", 1, 500, 110, 100);
    stat(tree, 1020, 1070, 1030);

    HostSample total = recording.stop().total();

    assertEquals((20 + 70 + 30 - 60) / 100.0 / 2 / 3, total.others(), EXACT);
  }

  /** Other programs are on CPU 3; CPU 2 is not for this process. */
  private static void stat(FileTree tree, int user, int system, int steal) {
    tree.file(
        "proc/stat",
        "cpu  1 1 1 1 1 1 1 1 0 0\n"
            + "cpu0 "
            + user
            + " 0 0 500 500 500 500 0 0 0\n"
            + "cpu1 0 5 "
            + system
            + " 500 500 500 500 0 0 0\n"
            + "cpu2 "
            + 1000 * user
            + " 0 0 0 0 0 0 0 0 0\n"
            + "cpu3 0 0 0 500 500 500 500 "
            + steal
            + " 0 0\n"
            + "intr 1 2 3");
  }

  @Test
  void withoutTheKernelsCountersOthersAreNotKnown() {
    FileTree.in(root).resource(HostMeterTest.class, "vm.tree");
    Recording recording = meter("lo", List.of()).record(List::of, List::of, List::of, List::of);
    passes(Duration.ofSeconds(1));

    assertTrue(Double.isNaN(recording.stop().total().others()));
  }

  /** Its parent ends at once, so that it is not among what this process started. */
  @Test
  void aProgramThatSpinsBesideARunIsSeen() throws Exception {
    Process parent =
        new ProcessBuilder(
                "sh", "-c", "timeout 60 sh -c 'while :; do :; done' >/dev/null 2>&1 & echo $!")
            .start();
    String answer = new String(parent.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    ProcessHandle timeout = ProcessHandle.of(Long.parseLong(answer.strip())).orElseThrow();
    try {
      Await.until("the shell spins", () -> timeout.descendants().count() == 1);
      ProcessHandle spinner = timeout.descendants().findFirst().orElseThrow();
      Recording recording =
          HostMeter.of("lo", List.of(), new PowerMeter.None("no meter: test"))
              .start(List::of, List::of, List::of);
      long enough = cpuMillis(spinner) + 300;
      Await.until("it has used CPU", () -> cpuMillis(spinner) >= enough);

      HostSample total = recording.stop().total();

      double cpus =
          KernelTree.cpus(
                  KernelTree.text(KernelTree.SYSTEM.lines("proc/self/status"), "Cpus_allowed_list"))
              .cardinality();
      assertTrue(total.others() * total.seconds() * cpus >= 0.2, total::toString);
    } finally {
      timeout.descendants().forEach(ProcessHandle::destroyForcibly);
      timeout.destroyForcibly();
    }
  }

  @Test
  void thisProcessOnThisMachine() {
    List<ProcessHandle> own = List.of(ProcessHandle.current());
    Recording recording =
        HostMeter.of("lo", List.of(), new PowerMeter.None("no meter: test"))
            .start(() -> own, List::of, List::of);
    ProcessHandle self = ProcessHandle.current();
    long enough = cpuMillis(self) + 30;
    while (cpuMillis(self) < enough) {
      Thread.onSpinWait();
    }

    HostSample total = recording.stop().total();

    double ticks = total.cores() * total.seconds() * 100;
    assertTrue(ticks >= 2, "ticks: " + ticks);
    assertTrue(total.residentBytes() > 10 << 20, "resident: " + total.residentBytes());
    assertTrue(total.wireBytes() >= 0, "wire: " + total.wireBytes());
  }

  private static long cpuMillis(ProcessHandle process) {
    return process.info().totalCpuDuration().orElseThrow().toMillis();
  }
}
