package io.forebay.lab.host;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Reads everything that a recording consists of. One thread at a time. */
final class HostReader {
  /** Parent of all threads of the kernel. */
  private static final long KTHREADD = 2;

  private final KernelTree kernel;
  private final String wire;
  private final Set<String> disks;
  private final PowerMeter power;
  private final InstantSource clock;
  private final LongSupplier nanos;
  private final Supplier<List<Long>> server;
  private final Supplier<List<Long>> origin;
  private final Supplier<List<Long>> client;
  private final Supplier<List<Long>> lab;

  private final ProcessGroup ofServer;
  private final CompilerThreads ofCompilers;
  private final ProcessGroup ofOrigin;
  private final ProcessGroup ofClient;
  private final ProcessGroup ofRun;
  private final ResidentMemory memory;

  /**
   * A moment: counters since the recording began, or since the machine did.
   *
   * @param run of all that the lab started, the lab, and the kernel's threads
   */
  record Look(
      PowerMeter.Moment moment,
      CpuTicks server,
      CpuTicks compilers,
      CpuTicks origin,
      CpuTicks client,
      CpuTicks run,
      MachineCounters machine,
      long residentBytes) {}

  HostReader(
      KernelTree kernel,
      String wire,
      Set<String> disks,
      PowerMeter power,
      InstantSource clock,
      LongSupplier nanos,
      Supplier<List<Long>> server,
      Supplier<List<Long>> origin,
      Supplier<List<Long>> client,
      Supplier<List<Long>> lab) {
    this.kernel = kernel;
    this.wire = wire;
    this.disks = disks;
    this.power = power;
    this.clock = clock;
    this.nanos = nanos;
    this.server = server;
    this.origin = origin;
    this.client = client;
    this.lab = lab;
    long begin = ticksSinceStart(kernel);
    this.ofServer = new ProcessGroup(kernel, begin);
    this.ofCompilers = new CompilerThreads(kernel, begin);
    this.ofOrigin = new ProcessGroup(kernel, begin);
    this.ofClient = new ProcessGroup(kernel, begin);
    this.ofRun = new ProcessGroup(kernel, begin);
    this.memory = new ResidentMemory(kernel);
  }

  /** {@code 62841.51 120000.12}: seconds since the machine's start, and another number. */
  private static long ticksSinceStart(KernelTree kernel) {
    String uptime = KernelTree.line(kernel.at("proc/uptime"));
    if (uptime == null || !uptime.matches("[0-9]{1,12}\\.[0-9]{2}( .*)?")) {
      return Long.MAX_VALUE;
    }
    return Long.parseLong(uptime.substring(0, uptime.indexOf('.') + 3).replace(".", ""));
  }

  Look look() {
    // The time first: what follows takes some, the same at each look.
    PowerMeter.Moment moment =
        new PowerMeter.Moment(clock.instant(), nanos.getAsLong(), power.joules());
    List<Long> servers = server.get();
    List<Long> origins = origin.get();
    List<Long> clients = client.get();
    CpuTicks cpu = ofServer.update(servers);
    return new Look(
        moment,
        cpu,
        ofCompilers.update(ofServer.live()),
        ofOrigin.update(origins),
        ofClient.update(clients),
        ofRun.update(
            Stream.of(servers, origins, clients, lab.get(), kernelThreads())
                .flatMap(List::stream)
                .toList()),
        MachineCounters.read(kernel, wire, disks),
        memory.update(ofServer.live()));
  }

  /**
   * They work for the run as well: reclaim, disks, network. None where the kernel does not list
   * them, or where process 2 is another one, as in a container.
   */
  private List<Long> kernelThreads() {
    ProcessStat parent = ProcessStat.read(kernel.process(KTHREADD).resolve("stat"));
    if (parent == null || !parent.name().equals("kthreadd")) {
      return List.of();
    }
    List<Long> threads = new ArrayList<>(List.of(KTHREADD));
    String children = KernelTree.line(kernel.process(KTHREADD).resolve("task/2/children"));
    if (children != null) {
      for (String child : children.split(" ", -1)) {
        KernelTree.number(child).ifPresent(threads::add);
      }
    }
    return threads;
  }

  /** Where the server's memory lies now. */
  Map<Integer, Long> memoryByNode() {
    return memory.byNode(ofServer.live());
  }

  /** What is between two looks. */
  HostSample between(Look from, Look to, Map<Integer, Long> memoryByNode) {
    double seconds = to.moment.secondsSince(from.moment);
    CpuTicks cpu = to.server.minus(from.server);
    MachineCounters machine = to.machine.since(from.machine);
    Double watts = power.watts(from.moment, to.moment);
    return new HostSample(
        seconds,
        cores(cpu.user(), seconds),
        cores(cpu.system(), seconds),
        cores(to.compilers.minus(from.compilers).sum(), seconds),
        cores(to.origin.minus(from.origin).sum(), seconds),
        cores(to.client.minus(from.client).sum(), seconds),
        machine.programs().shareOfOthers(to.run.minus(from.run), seconds),
        machine.wireBytes(),
        to.residentBytes,
        machine.scannedPages(),
        machine.stolenPages(),
        machine.diskReadBytes(),
        machine.diskWrittenBytes(),
        watts,
        machine.retransmits(),
        machine.otherNodePages(),
        memoryByNode);
  }

  private static double cores(long ticks, double seconds) {
    return seconds <= 0 ? 0 : ticks / (double) CpuTicks.A_SECOND / seconds;
  }
}
