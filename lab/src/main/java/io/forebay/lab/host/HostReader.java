package io.forebay.lab.host;

import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Reads everything that a recording consists of. One thread at a time. */
final class HostReader {
  private final KernelTree kernel;
  private final String wire;
  private final Set<String> disks;
  private final PowerMeter power;
  private final InstantSource clock;
  private final LongSupplier nanos;
  private final Supplier<List<Long>> server;
  private final Supplier<List<Long>> origin;
  private final Supplier<List<Long>> client;

  private final ProcessGroup ofServer;
  private final CompilerThreads ofCompilers;
  private final ProcessGroup ofOrigin;
  private final ProcessGroup ofClient;
  private final ResidentMemory memory;

  /** A moment: counters since the recording began, or since the machine did. */
  record Look(
      PowerMeter.Moment moment,
      CpuTicks server,
      CpuTicks compilers,
      CpuTicks origin,
      CpuTicks client,
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
      Supplier<List<Long>> client) {
    this.kernel = kernel;
    this.wire = wire;
    this.disks = disks;
    this.power = power;
    this.clock = clock;
    this.nanos = nanos;
    this.server = server;
    this.origin = origin;
    this.client = client;
    long begin = ticksSinceStart(kernel);
    this.ofServer = new ProcessGroup(kernel, begin);
    this.ofCompilers = new CompilerThreads(kernel, begin);
    this.ofOrigin = new ProcessGroup(kernel, begin);
    this.ofClient = new ProcessGroup(kernel, begin);
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
    CpuTicks cpu = ofServer.update(server.get());
    return new Look(
        moment,
        cpu,
        ofCompilers.update(ofServer.live()),
        ofOrigin.update(origin.get()),
        ofClient.update(client.get()),
        MachineCounters.read(kernel, wire, disks),
        memory.update(ofServer.live()));
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
