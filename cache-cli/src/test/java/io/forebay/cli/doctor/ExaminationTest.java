package io.forebay.cli.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.StartDryRun;
import io.forebay.server.config.ConfigEnvironment;
import io.forebay.server.config.ConfigLoader;
import io.forebay.server.config.ConfigOutcome;
import io.forebay.server.config.ServerConfig;
import io.forebay.server.config.ServerConfig.OriginConfig;
import io.forebay.server.config.ServerConfig.OriginServerConfig;
import io.forebay.server.loop.CpuPlan;
import io.forebay.server.loop.NumaTopology;
import io.forebay.server.origin.dns.NameTrial;
import io.forebay.storage.memory.MachineMemory;
import io.forebay.testing.Certificates;
import io.forebay.testing.FileTree;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Instant;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each check on a made-up machine where it is good, and where it is not. */
final class ExaminationTest {
  private static final String NET = "proc/sys/net/";
  private final Instant today = Instant.now();
  private static final List<String> GOOD_OPTIONS =
      List.of("-XX:+UseSerialGC", "-Xmx512m", "-XX:+PerfDisableSharedMem");

  @TempDir private Path root;
  private FileTree machine = FileTree.in(Path.of(""));
  private final Map<String, String> config = new HashMap<>();
  private final Space space = new Space();
  private @Nullable ServerConfig loaded;
  private Map<String, String> loadedFrom = Map.of();
  private @Nullable KernelClock clock = new KernelClock(true, 12_000);
  private @Nullable Outside outside = new Reached();
  private JvmFacts java = new JvmFacts(25, "25.0.1", true, GOOD_OPTIONS);

  /** Name servers and origins as a test says. */
  private static final class Reached implements Outside {
    private NameTrial name =
        new NameTrial(List.of(InetAddress.getLoopbackAddress()), 300, 2_000_000, null);
    private Trial trial = new Trial("http://192.0.2.1, connected in 0.3 ms", null, null);

    @Override
    public Map<String, NameTrial> lookup(Collection<String> names) {
      Map<String, NameTrial> trials = new HashMap<>();
      names.forEach(one -> trials.put(one, name));
      return trials;
    }

    @Override
    public Trial connect(OriginConfig origin, OriginServerConfig server) {
      return trial;
    }
  }

  /** Room as a test says. */
  private static final class Space implements FileSpace {
    private long total = 32L << 30;
    private long usable = 900L << 30;
    private long stored;
    private final Set<Path> unwritable = new HashSet<>();

    @Override
    public long totalBytes(Path directory) {
      return total;
    }

    @Override
    public long usableBytes(Path directory) {
      return usable;
    }

    @Override
    public long lengthOf(Path file) {
      return file.endsWith("disk.store") ? stored : 0;
    }

    @Override
    public boolean isWritable(Path directory) {
      return !unwritable.contains(directory);
    }
  }

  @BeforeEach
  void goodMachine() {
    machine = FileTree.in(root).resource(ExaminationTest.class, "good.tree");
    config.putAll(
        Map.of(
            "origin", "http://192.0.2.1",
            "listen", "127.0.0.1:8080",
            "store.memory", "8GiB",
            "store.data", "/var/lib/forebay",
            "stores.nvme0.path", "/mnt-doctor/nvme0/forebay",
            "stores.nvme0.size", "800GiB",
            "threads.loops", "4"));
  }

  private ServerConfig loaded() {
    if (loaded == null || !loadedFrom.equals(config)) {
      loaded = load();
      loadedFrom = Map.copyOf(config);
    }
    return loaded;
  }

  private ServerConfig load() {
    ConfigEnvironment nothing =
        new ConfigEnvironment(Map.of(), root, root.resolve("none"), root, root, "edge");
    return switch (new ConfigLoader(nothing).load(null, config)) {
      case ConfigOutcome.Loaded loaded -> loaded.config();
      case ConfigOutcome.Refused refused -> throw new AssertionError(refused);
    };
  }

  private CpuPlan.Machine cpus() {
    return new CpuPlan.Machine() {
      @Override
      public BitSet allowed() {
        BitSet allowed = new BitSet();
        allowed.set(0, 4);
        return allowed;
      }

      @Override
      public int coreOf(int cpu) {
        return cpu;
      }

      @Override
      public NumaTopology nodes() {
        return NumaTopology.read(root);
      }
    };
  }

  private List<Finding> findings() {
    ServerConfig now = loaded();
    MachineMemory memory = new MachineMemory(root.resolve("proc"), root.resolve("sys/fs/cgroup"));
    return Examination.of(
        new Subject(
            new KernelFiles(root),
            cpus(),
            space,
            java,
            now,
            "test",
            List.of(),
            StartDryRun.of(now, memory),
            clock,
            today,
            outside));
  }

  /** That this check alone is other than good, and what it says. */
  private void found(String check, Level level, String... texts) {
    List<Finding> bad = bad();
    assertEquals(1, bad.size(), bad.toString());
    Finding finding = bad.getFirst();
    assertEquals(check, finding.check(), finding.toString());
    assertEquals(level, finding.level(), finding.toString());
    assertFalse(finding.fix().isEmpty(), finding.toString());
    for (String text : texts) {
      assertTrue((finding.found() + " | " + finding.fix()).contains(text), text + ": " + finding);
    }
  }

  private void good() {
    assertEquals(List.of(), bad());
  }

  @Test
  void aGoodMachineIsGood() {
    good();
    Set<String> names = new HashSet<>();
    for (Finding finding : findings()) {
      assertTrue(names.add(finding.check()), finding.check());
      assertTrue(finding.why().endsWith("."), finding.why());
      assertFalse(finding.found().isEmpty(), finding.check());
    }
    assertEquals(43, names.size(), names.toString());
  }

  /** Settings of the kernel: the file, a bad value, the level, and what is said. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "core/somaxconn | 128 | listen-backlog | WARNING | sysctl -w net.core.somaxconn=4096",
        "ipv4/tcp_wmem | 4096 16384 4194304 | tcp-send-buffers | HINT | 419 Mbit/s to a client",
        "ipv4/tcp_wmem | 4096 16384 212992 | tcp-send-buffers | WARNING | allows 208 KiB",
        "ipv4/tcp_rmem | 4096 16384 212992 | tcp-receive-buffers | HINT | allows 208 KiB",
        "ipv4/tcp_slow_start_after_idle | 1 | tcp-slow-start | HINT | after_idle=0",
        "ipv4/ip_local_port_range | 60000 60100 | local-ports | WARNING | 101 ports for 256",
        "ipv4/tcp_congestion_control | cubic | tcp-congestion | HINT | congestion_control=bbr",
        "core/default_qdisc | fq_codel | pacing-qdisc | HINT | default_qdisc=fq",
        "netfilter/nf_conntrack_max | 65536 | conntrack | WARNING | nf_conntrack_max=100512",
      })
  void settingsOfTheNetwork(String name, String value, String check, Level level, String text) {
    machine.file(NET + name, value);
    found(check, level, text);
  }

  /** Other files of the kernel. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "proc/sys/vm/overcommit_memory | 2 | overcommit | WARNING | overcommit_memory=0",
        "proc/sys/kernel/osrelease | 4.19.0 | kernel | WARNING | Linux 4.19.0",
        "sys/devices/system/clocksource/clocksource0/current_clocksource | hpet | clock-source"
            + " | WARNING | hpet",
        "sys/devices/system/cpu/cpu1/cpufreq/scaling_governor | powersave | cpu-governor | HINT"
            + " | performance, powersave",
        "sys/fs/cgroup/system.slice/forebay.service/cpu.max | 150000 100000 | cpus | WARNING"
            + " | gives 1.5",
        "sys/fs/cgroup/system.slice/cpu.max | 200000 100000 | cpus | WARNING | threads.loops: 2",
        "sys/kernel/mm/transparent_hugepage/shmem_enabled | always [deny] | huge-pages | HINT"
            + " | echo advise",
        "sys/kernel/mm/transparent_hugepage/defrag | [always] madvise never | huge-page-defrag"
            + " | HINT | echo madvise",
        "sys/fs/cgroup/system.slice/pids.max | 100 | tasks | WARNING | TasksMax=816",
        "sys/fs/cgroup/system.slice/forebay.service/memory.high | 4294967296 | memory-high"
            + " | WARNING | MemoryHigh=infinity",
        "proc/irq/41/effective_affinity_list | 0 | irq-affinity | HINT | /proc/irq/{40,41}/",
        "sys/class/net/eth0/queues/rx-0/rps_cpus | 0 | receive-steering | HINT | echo f > /sys",
        "sys/kernel/mm/transparent_hugepage/enabled | always madvise [never] | disk-buffers | HINT"
            + " | echo madvise",
      })
  void otherSettings(String name, String value, String check, Level level, String text) {
    machine.file(name, value);
    found(check, level, text);
  }

  private void limits(String files, String locked) {
    machine.file(
        "proc/self/limits",
        "Max open files            "
            + files
            + "              4096              files\n"
            + "Max locked memory         "
            + locked
            + "              8              bytes");
  }

  @Test
  void openFilesAreComparedWithConnections() {
    limits("20000", "0");
    found("open-files", Level.WARNING, "20000, for 50000 connections", "LimitNOFILE=50756");
    config.put("limits.connections", "10000");
    good();
    limits("512", "0");
    found("open-files", Level.ERROR, "ulimit -n 10756");
    limits("unlimited", "0");
    good();
  }

  @Test
  void lockedMemoryMattersWithSwap() {
    machine.file("proc/meminfo", "MemTotal: 67108864 kB\nSwapTotal: 1048576 kB");
    List<Finding> bad = bad();
    assertEquals(List.of("locked-memory", "swap"), names(bad));
    assertEquals(Level.WARNING, bad.getFirst().level());
    assertTrue(bad.getFirst().found().contains("8.0 MiB, for a memory tier of 8.0 GiB"));
    assertTrue(bad.getLast().fix().contains("swapoff -a"), bad.getLast().fix());

    limits("1048576", "unlimited");
    found("swap", Level.HINT, "1.0 GiB");
    limits("1048576", "8388608");
    machine.file("proc/self/status", "CapEff:\t0000000000004000\nCpus_allowed_list:\t0-3");
    found("swap", Level.HINT);
  }

  private List<Finding> bad() {
    return findings().stream().filter(finding -> finding.level() != Level.OK).toList();
  }

  private static List<String> names(List<Finding> findings) {
    return findings.stream().map(Finding::check).toList();
  }

  @Test
  void memoryThatDoesNotFitIsToldAsAStartWould() {
    machine.file("proc/meminfo", "MemTotal: 4194304 kB\nSwapTotal: 0 kB");
    found("memory", Level.WARNING, "MORE THAN 4096 MiB", "FOREBAY_JAVA_OPTS");
    machine.file("proc/meminfo", "MemTotal: 524288 kB\nSwapTotal: 0 kB");
    config.put("store.memory", "1%");
    found("memory", Level.ERROR, "store.memory: 1%");
  }

  @Test
  void theDefaultPlaceHasToHoldTheMemoryTier() {
    space.total = 64 << 20;
    found("memory-directory", Level.WARNING, "/dev/shm, tmpfs of 64 MiB", "size=10G /dev/shm");
    machine.file("proc/mounts", "/dev/sda1 / ext4 rw 0 0\n/dev/sdb / xfs rw,nodev,noatime 0 0");
    List<Finding> bad = bad();
    assertEquals(List.of("memory-directory", "huge-pages"), names(bad));
    assertTrue(bad.getFirst().found().contains("/dev/shm is on xfs"), bad.toString());
    assertTrue(bad.getFirst().fix().startsWith("mount -t tmpfs"), bad.toString());
  }

  @Test
  void aTmpfsWithoutHugePagesIsAHint() {
    machine.file(
        "proc/mounts",
        "/dev/sda1 / ext4 rw,relatime,nodev 0 0\ntmpfs /dev/shm tmpfs rw,nosuid,nodev 0 0");
    found("huge-pages", Level.HINT, "remount,huge=within_size /dev/shm");
    config.put("store.memory", "512MiB");
    good();
  }

  private void tls(String certificate, String key) {
    config.putAll(
        Map.of(
            "tls.listen",
            "127.0.0.1:8443",
            "tls.certificate",
            root.resolve(certificate).toString(),
            "tls.key",
            root.resolve(key).toString()));
  }

  @Test
  void certificatesAreLookedThrough() throws Exception {
    Certificates certificates = Certificates.in(root);
    certificates.ecdsa("www", "www.example.com");
    certificates.ecdsa("other", "other.example.com");
    certificates.issue(
        "ending",
        builder -> builder.ecp256().notAfter(today.plusSeconds(5 * 86_400)),
        "www.example.com");
    tls("www.pem", "www.key");
    good();
    tls("www.pem", "other.key");
    found("certificates", Level.ERROR, "www.pem");
    tls("ending.pem", "ending.key");
    found("certificates", Level.WARNING, "ending.pem", "forebay reload");
  }

  @Test
  void certificatesForOriginsAreLookedThrough() throws Exception {
    Certificates certificates = Certificates.in(root);
    certificates.ecdsa("node", "node.example.com");
    certificates.ecdsa("other", "other.example.com");
    config.remove("origin");
    config.put("origins.main.url", "https://192.0.2.1");
    config.put("origins.main.tls.certificate", root.resolve("node.pem").toString());
    config.put("origins.main.tls.key", root.resolve("node.key").toString());
    good();
    config.put("origins.main.tls.key", root.resolve("other.key").toString());
    found("origin-certificates", Level.ERROR, "is not the key of", "origins.main.tls");
  }

  @Test
  void aClockThatNobodyKeepsIsAWarning() {
    clock = new KernelClock(false, 16_000_000);
    found("clock", Level.WARNING, "not synchronised", "timedatectl set-ntp true");
    clock = null;
    good();
  }

  @Test
  void namesAndServersOfOriginsAreTried() throws Exception {
    Reached reached = new Reached();
    outside = reached;
    config.put("origin", "http://origin.example.com");
    good();
    reached.name = new NameTrial(List.of(), 0, 1_000_000, "NXDOMAIN");
    found("origin-names", Level.WARNING, "origin.example.com: NXDOMAIN", "dig origin.example.com");
    InetAddress address = InetAddress.getLoopbackAddress();
    reached.name = new NameTrial(List.of(address), 300, 900_000_000, null);
    found("origin-names", Level.HINT, "in 900 ms, for 300 s");
    reached.name = new NameTrial(List.of(address), 1, 1_000_000, null);
    found("origin-names", Level.HINT, "for 1 s", "longer TTL");
    reached.name = new NameTrial(List.of(address), 300, 1_000_000, null);
    reached.trial = new Outside.Trial("http://origin.example.com", "Connection refused", null);
    found("origins", Level.WARNING, "Connection refused", "curl -vI http://origin.example.com");
    reached.trial = new Outside.Trial("https://o", null, today.plusSeconds(86_400));
    found("origins", Level.WARNING, "certificate until");
    machine.file("etc/resolv.conf", "search example.com");
    reached.trial = new Outside.Trial("https://o", null, today.plusSeconds(90 * 86_400));
    found("name-servers", Level.WARNING, "names none");
    outside = null;
    found("name-servers", Level.WARNING, "names none");
  }

  @Test
  void connectionsByCpuNeedLoopsWherePacketsArrive() {
    machine.file("proc/irq/41/effective_affinity_list", "7");
    good();
    config.put("threads.connections", "by-cpu");
    found("irq-affinity", Level.WARNING, "no event loop is on [7]", "threads.connections: spread");
  }

  @Test
  void masksOfCpusAreWordsOf32() {
    BitSet cpus = new BitSet();
    cpus.set(0, 4);
    assertEquals("f", InterruptChecks.mask(cpus));
    cpus.set(33);
    assertEquals("2,0000000f", InterruptChecks.mask(cpus));
  }

  @Test
  void moreLoopsThanCpusAreAWarning() {
    config.put("threads.loops", "5");
    found("cpus", Level.WARNING, "5 event loops, 4 CPUs", "threads.loops: 4");
  }

  @Test
  void cardsOnAnotherNodeThanLoopsAreAHint() {
    machine
        .file("sys/devices/system/node/online", "0-1")
        .file("sys/devices/system/node/has_memory", "0-1")
        .file("sys/devices/system/node/node0/cpulist", "0-1")
        .file("sys/devices/system/node/node1/cpulist", "2-3");
    found("numa", Level.HINT, "loops on nodes [0, 1]", "eth0 on node 0", "numactl");
    machine
        .file("sys/class/net/eth1/device/numa_node", "1")
        .file("sys/class/net/eth1/operstate", "up");
    good();
    config.put("threads.pin", "off");
    found("numa", Level.HINT, "not pinned", "threads.pin: auto");
  }

  @Test
  void aKernelThatMovesPagesBetweenNodesIsAHint() {
    machine
        .file("sys/devices/system/node/online", "0-1")
        .file("sys/devices/system/node/has_memory", "0-1")
        .file("sys/devices/system/node/node0/cpulist", "0-1")
        .file("sys/devices/system/node/node1/cpulist", "2-3")
        .file("sys/class/net/eth1/device/numa_node", "1")
        .file("sys/class/net/eth1/operstate", "up")
        .file("proc/sys/kernel/numa_balancing", "1");
    found("numa-balancing", Level.HINT, "kernel.numa_balancing = 1", "numa_balancing=0");
  }

  @Test
  void takenPortsAreAnErrorUnlessANodeRuns() {
    config.put("admin.address", "127.0.0.1:631");
    machine.file(NET + "ipv4/ip_unprivileged_port_start", "0");
    found("ports", Level.ERROR, "taken: admin 127.0.0.1:631", "ss -lntup");
    config.put("admin.address", "127.0.0.2:631");
    good();
    machine.file(
        "proc/net/tcp6",
        "sl\n 0: 00000000000000000000000000000000:0277 0:0 0A\n"
            + " 1: 00000000000000000000000000000000:1F90 0:0 0A");
    good();
    config.put("listen", "127.0.0.1:8081");
    found("ports", Level.ERROR, "taken: admin 127.0.0.2:631");
    machine.file("proc/net/tcp6", "sl\n 0: 0000000000000000FFFF00000200007F:0277 0:0 0A");
    found("ports", Level.ERROR, "taken: admin 127.0.0.2:631");
  }

  @Test
  void privilegedPortsNeedARight() {
    config.put("listen", ":80");
    found("ports", Level.ERROR, "not allowed", "*:80", "CAP_NET_BIND_SERVICE");
    machine.file("proc/self/status", "CapEff:\t0000000000000400\nCpus_allowed_list:\t0-3");
    good();
  }

  @Test
  void portsThatTheKernelLendsAreAHint() {
    config.put("listen", "127.0.0.1:40000");
    found("ports", Level.HINT, "127.0.0.1:40000", "ip_local_reserved_ports=40000");
    machine.file(NET + "ipv4/ip_local_reserved_ports", "40000");
    good();
  }

  @Test
  void buffersOfUdpMatterWithHttp3() throws Exception {
    machine.file(NET + "core/rmem_max", "212992");
    good();
    Certificates.in(root).ecdsa("www", "www.example.com");
    config.putAll(
        Map.of(
            "tls.listen",
            "127.0.0.1:8443",
            "tls.certificate",
            root.resolve("www.pem").toString(),
            "tls.key",
            root.resolve("www.key").toString(),
            "http3.listeners",
            "https"));
    found("udp-buffers", Level.WARNING, "net.core.rmem_max = 212992", "rmem_max=2097152");
    machine.file(NET + "core/rmem_max", "4194304");
    good();
    machine.file("proc/net/udp", "sl\n 1: 00000000:20FB 00000000:0000 07 0:0");
    found("ports", Level.ERROR, "https (HTTP/3) 127.0.0.1:8443");
  }

  @Test
  void storesNeedRoomForAllOfTheirBytes() {
    space.usable = 100L << 30;
    found("disk-space", Level.ERROR, "100 GiB free, for 800 GiB");
    space.stored = 800L << 30;
    good();
    space.stored = 0;
    space.usable = 900L << 30;
    config.put("stores.second.path", "/mnt-doctor/nvme0/second");
    config.put("stores.second.size", "200GiB");
    List<Finding> bad = bad();
    assertEquals(List.of("disk-space"), names(bad));
    assertTrue(bad.getFirst().found().contains("for 1000 GiB of all stores there"), bad.toString());
  }

  @Test
  void fileSystemsAndMountOptionsOfStores() {
    String others = "/dev/sda1 / ext4 rw 0 0\ntmpfs /dev/shm tmpfs rw,huge=always 0 0\n";
    machine.file("proc/mounts", others + "/dev/nvme0n1 /mnt-doctor/nvme0 xfs rw,relatime 0 0");
    found("disk-mount-options", Level.HINT, "mount -o remount,nodev /mnt-doctor/nvme0");
    machine.file("proc/mounts", others + "srv:/x /mnt-doctor/nvme0 nfs4 rw,nodev,noatime 0 0");
    found("disk-file-system", Level.HINT, "nfs4 on /mnt-doctor/nvme0");
    config.put("store.disk-io", "direct");
    found("disk-file-system", Level.WARNING, "not known to support O_DIRECT");
    machine.file("proc/mounts", others + "x /mnt-doctor/nvme0 tmpfs rw,nodev,noatime 0 0");
    found("disk-file-system", Level.WARNING, "in memory");
  }

  @Test
  void directoriesHaveToBeWritable() {
    space.unwritable.add(Path.of("/var/lib/forebay"));
    found("data", Level.ERROR, "/var/lib/forebay cannot be written", "install -d");
    space.unwritable.clear();
    space.unwritable.add(Path.of("/mnt-doctor/nvme0/forebay"));
    found("disk-space", Level.ERROR, "cannot be written");
    space.unwritable.clear();
    config.put("store.data", "/dev/shm/forebay-data-of-a-test");
    found("data", Level.WARNING, "on tmpfs");
  }

  @Test
  void theJvmHasToBeAJdkWithOptions() {
    java = new JvmFacts(25, "25.0.1", true, List.of("-XX:+UseSerialGC"));
    found("java-options", Level.HINT, "without -XX:+PerfDisableSharedMem", "./forebay");
    java = new JvmFacts(25, "25.0.1", false, GOOD_OPTIONS);
    found("java", Level.ERROR, "without the module jdk.compiler");
    java = new JvmFacts(24, "24", true, GOOD_OPTIONS);
    found("java", Level.ERROR, "temurin-25-jdk");
  }

  @Test
  void aMachineThatTellsNothingHasNoErrors() {
    for (String file : List.of("proc", "sys")) {
      machine.remove(file);
    }
    List<Finding> bad = bad();
    assertTrue(bad.stream().noneMatch(finding -> finding.level() == Level.ERROR), bad.toString());
  }
}
