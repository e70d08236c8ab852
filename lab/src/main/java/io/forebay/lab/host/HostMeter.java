package io.forebay.lab.host;

import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Records what processes and the machine spend, once a second.
 *
 * <pre>
 *   HostMeter meter = HostMeter.of("lo", List.of(), PowerMeter.rapl());
 *   Recording recording = meter.start(target::processes, origin::processes, client::processes);
 *   … warm-up …
 *   recording.mark();
 *   … measured …
 *   HostRecord record = recording.stop();
 * </pre>
 */
public final class HostMeter {
  private final KernelTree kernel;
  private final String wire;
  private final Set<String> disks;
  private final PowerMeter power;
  private final InstantSource clock;
  private final LongSupplier nanos;

  HostMeter(
      KernelTree kernel,
      String wire,
      Collection<String> disks,
      PowerMeter power,
      InstantSource clock,
      LongSupplier nanos) {
    this.kernel = kernel;
    this.wire = wire;
    this.disks = Set.copyOf(disks);
    this.power = power;
    this.clock = clock;
    this.nanos = nanos;
  }

  /**
   * Of this machine.
   *
   * @param wire interface that clients are served by; on {@code lo} a byte counts once
   * @param disks devices, such as {@code nvme0n1}; empty for all that are devices of their own
   */
  public static HostMeter of(String wire, Collection<String> disks, PowerMeter power) {
    return new HostMeter(
        KernelTree.SYSTEM, wire, disks, power, InstantSource.system(), System::nanoTime);
  }

  /**
   * Starts a recording.
   *
   * @param server its processes at the moment, children included; called once a second
   * @param origin the same of the origin
   * @param client the same of clients on this machine
   */
  public Recording start(
      Supplier<List<ProcessHandle>> server,
      Supplier<List<ProcessHandle>> origin,
      Supplier<List<ProcessHandle>> client) {
    Recording recording = record(ids(server), ids(origin), ids(client), HostMeter::lab);
    recording.begin();
    return recording;
  }

  /**
   * A recording that takes a sample when it is told to.
   *
   * @param lab all other processes of the run
   */
  Recording record(
      Supplier<List<Long>> server,
      Supplier<List<Long>> origin,
      Supplier<List<Long>> client,
      Supplier<List<Long>> lab) {
    return new Recording(
        new HostReader(kernel, wire, disks, power, clock, nanos, server, origin, client, lab),
        power);
  }

  /** This process and all that it started. */
  private static List<Long> lab() {
    try (Stream<ProcessHandle> started = ProcessHandle.current().descendants()) {
      return Stream.concat(Stream.of(ProcessHandle.current()), started)
          .map(ProcessHandle::pid)
          .toList();
    }
  }

  private static Supplier<List<Long>> ids(Supplier<List<ProcessHandle>> processes) {
    return () -> processes.get().stream().map(ProcessHandle::pid).toList();
  }
}
