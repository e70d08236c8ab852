package io.forebay.server.metric;

import io.forebay.server.counters.LoopCounters;
import io.forebay.server.drive.DriveHealth;
import io.forebay.server.node.NodeStatus;
import io.forebay.server.origin.limit.LimitStatus;
import io.forebay.server.origin.probe.ServerProbes;
import io.forebay.server.tls.CertificateStatus;
import io.forebay.storage.StoreStats;
import io.forebay.storage.disk.DiskStats;
import io.forebay.storage.placement.StorageClassStats;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The reports from which meters read their values, cached briefly. Many meters read from one report
 * of the store, so each report is kept for a moment: one scrape creates each of them once. Any
 * thread.
 */
final class CachedReports {
  private static final long KEPT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final NodeStatus node;
  private final LongSupplier clockNanos;
  private final Kept<StoreStats> store;
  private final Kept<List<DiskStats>> disks;
  private final Kept<List<DriveHealth>> drives;
  private final Kept<List<StorageClassStats>> classes;
  private final Kept<List<CertificateStatus>> certificates;
  private final Kept<List<ServerProbes>> probes;
  private final Kept<List<LimitStatus>> limits;
  private final Kept<NodeStatus.Memory> memory;
  private final Kept<double[]> busy;

  CachedReports(NodeStatus node, LongSupplier clockNanos) {
    this.node = node;
    this.clockNanos = clockNanos;
    this.store = new Kept<>(node::store);
    this.disks = new Kept<>(node::disks);
    this.drives = new Kept<>(node::drives);
    this.classes = new Kept<>(node::storageClasses);
    this.certificates = new Kept<>(node::certificates);
    this.probes = new Kept<>(node::probes);
    this.limits = new Kept<>(node::originLimits);
    this.memory = new Kept<>(node::memory);
    this.busy = new Kept<>(node::busyShares);
  }

  /** What is read next is read anew. */
  void forget() {
    store.forget();
    disks.forget();
    drives.forget();
    classes.forget();
    certificates.forget();
    probes.forget();
    limits.forget();
    memory.forget();
    busy.forget();
  }

  NodeStatus node() {
    return node;
  }

  List<LoopCounters> loops() {
    return node.counters();
  }

  long sum(ToLongFunction<LoopCounters> which) {
    long sum = 0;
    for (LoopCounters loop : loops()) {
      sum += which.applyAsLong(loop);
    }
    return sum;
  }

  StoreStats store() {
    return store.get();
  }

  List<DiskStats> disks() {
    return disks.get();
  }

  List<DriveHealth> drives() {
    return drives.get();
  }

  List<StorageClassStats> storageClasses() {
    return classes.get();
  }

  List<CertificateStatus> certificates() {
    return certificates.get();
  }

  List<ServerProbes> probes() {
    return probes.get();
  }

  List<LimitStatus> originLimits() {
    return limits.get();
  }

  NodeStatus.Memory memory() {
    return memory.get();
  }

  double[] busyShares() {
    return busy.get();
  }

  /** A report and when it was made. */
  private final class Kept<T> {
    private final Supplier<T> source;
    private volatile @Nullable Made<T> latest;

    Kept(Supplier<T> source) {
      this.source = source;
    }

    T get() {
      Made<T> known = latest;
      long now = clockNanos.getAsLong();
      if (known == null || now - known.atNanos > KEPT_NANOS) {
        known = new Made<>(source.get(), now);
        latest = known;
      }
      return known.value;
    }

    void forget() {
      latest = null;
    }
  }

  private record Made<T>(T value, long atNanos) {}
}
