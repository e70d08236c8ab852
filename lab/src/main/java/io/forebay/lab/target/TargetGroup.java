package io.forebay.lab.target;

import io.forebay.lab.target.RunningTarget.Counters;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Several instances of one program, each with its own CPUs, memory and disks, as Intel's test has
 * one for each socket. Clients spread their connections over all addresses.
 *
 * <pre>
 *   4 GiB, 2 disks, 2 instances      instance-1: node 0, its CPUs, 2 GiB, disk 1
 *                                    instance-2: node 1, its CPUs, 2 GiB, disk 2
 * </pre>
 */
public final class TargetGroup implements AutoCloseable {
  private final List<RunningTarget> instances;

  private TargetGroup(List<RunningTarget> instances) {
    this.instances = List.copyOf(instances);
  }

  /** Starts an instance for each specification; if one does not start, none is left. */
  public static TargetGroup start(Target target, List<TargetSpec> specs)
      throws IOException, InterruptedException {
    List<RunningTarget> started = new ArrayList<>();
    try {
      for (TargetSpec spec : specs) {
        started.add(target.start(spec));
      }
      return new TargetGroup(started);
    } catch (IOException | InterruptedException | RuntimeException failed) {
      try {
        new TargetGroup(started).close();
      } catch (IOException e) {
        failed.addSuppressed(e);
      }
      throw failed;
    }
  }

  /**
   * Divides CPUs, loops, memory and disks among instances. With as many NUMA nodes as instances or
   * more, each is on a node; otherwise each has a part of the CPUs.
   */
  public static List<TargetSpec> divide(TargetSpec whole, int instances) throws IOException {
    return divide(whole, instances, NumaNodes.read());
  }

  static List<TargetSpec> divide(TargetSpec whole, int instances, NumaNodes machine) {
    if (instances < 1) {
      throw new IllegalArgumentException("no instances: " + instances);
    }
    if (instances == 1) {
      return List.of(whole);
    }
    List<TargetSpec> parts = new ArrayList<>();
    boolean isByNode = whole.cpus() == null && machine.nodes().size() >= instances;
    for (int i = 0; i < instances; i++) {
      CpuList cpus = isByNode ? machine.nodes().get(i).cpus() : whole.cpuList().part(i, instances);
      parts.add(
          new TargetSpec(
              whole.directory().resolve("instance-" + (i + 1)),
              whole.origin(),
              whole.memoryBytes() / instances,
              whole.diskBytes() / instances,
              disks(whole.disks(), i, instances),
              whole.loops() == 0 ? 0 : Math.max(1, whole.loops() / instances),
              cpus.text(),
              isByNode ? machine.nodes().get(i).number() : whole.numaNode(),
              whole.tls(),
              whole.http3(),
              whole.address()));
    }
    return parts;
  }

  /** Every so many-th disk; all instances share them where there are fewer. */
  private static List<Path> disks(List<Path> disks, int instance, int instances) {
    if (disks.size() < instances) {
      return disks;
    }
    List<Path> own = new ArrayList<>();
    for (int i = instance; i < disks.size(); i += instances) {
      own.add(disks.get(i));
    }
    return own;
  }

  public List<URI> addresses() {
    return instances.stream().map(RunningTarget::address).toList();
  }

  public List<ProcessHandle> processes() {
    return instances.stream().flatMap(instance -> instance.processes().stream()).toList();
  }

  /** Sums; -1 where an instance does not count. */
  public Counters counters() throws IOException, InterruptedException {
    Counters sum = new Counters(0, 0, 0, 0, Map.of(), 0);
    for (RunningTarget instance : instances) {
      sum = sum(sum, instance.counters());
    }
    return sum;
  }

  private static Counters sum(Counters one, Counters other) {
    Map<String, Long> tiers = new HashMap<>(one.bytesByTier());
    other.bytesByTier().forEach((tier, bytes) -> tiers.merge(tier, bytes, Long::sum));
    return new Counters(
        sum(one.requests(), other.requests()),
        sum(one.hits(), other.hits()),
        sum(one.bytesSent(), other.bytesSent()),
        sum(one.bytesFetched(), other.bytesFetched()),
        tiers,
        sum(one.originRequests(), other.originRequests()));
  }

  private static long sum(long one, long other) {
    return one < 0 || other < 0 ? -1 : one + other;
  }

  /** Of all instances together; -1 where one can't tell. */
  public long memoryForHitRatio(double hitRatio) throws IOException, InterruptedException {
    long bytes = 0;
    for (RunningTarget instance : instances) {
      bytes = sum(bytes, instance.memoryForHitRatio(hitRatio));
    }
    return bytes;
  }

  /** The same for a share of bytes. */
  public long memoryForByteHitRatio(double byteHitRatio) throws IOException, InterruptedException {
    long bytes = 0;
    for (RunningTarget instance : instances) {
      bytes = sum(bytes, instance.memoryForByteHitRatio(byteHitRatio));
    }
    return bytes;
  }

  /** Stops all, also after a failure. */
  @Override
  public void close() throws IOException {
    IOException failed = null;
    for (RunningTarget instance : instances.reversed()) {
      try {
        instance.close();
      } catch (IOException e) {
        if (failed == null) {
          failed = e;
        } else {
          failed.addSuppressed(e);
        }
      }
    }
    if (failed != null) {
      throw failed;
    }
  }
}
