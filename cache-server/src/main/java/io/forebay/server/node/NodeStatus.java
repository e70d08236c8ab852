package io.forebay.server.node;

import io.forebay.server.cluster.Cluster;
import io.forebay.server.cluster.ClusterFigures;
import io.forebay.server.cluster.fleet.FleetConfig;
import io.forebay.server.compress.Compressors;
import io.forebay.server.config.ServerConfig;
import io.forebay.server.counters.LoopCounters;
import io.forebay.server.drive.DriveHealth;
import io.forebay.server.origin.OriginStatus;
import io.forebay.server.origin.limit.LimitStatus;
import io.forebay.server.origin.probe.ServerProbes;
import io.forebay.server.peer.PeerCounters;
import io.forebay.server.ring.RingFiles;
import io.forebay.server.tls.CertificateStatus;
import io.forebay.server.tls.acme.AcmeCounters;
import io.forebay.storage.StoreStats;
import io.forebay.storage.disk.DiskStats;
import io.forebay.storage.memory.PageReclaim;
import io.forebay.storage.placement.StorageClassStats;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The state of a running node that the admin API and the metrics read. Any thread. */
public interface NodeStatus {

  /** The configuration in force now. */
  ServerConfig config();

  /** Reasons why the node should get no traffic; empty means ready. */
  List<NotReady> notReady();

  /** What an operator should look at though the node is ready. */
  default List<NotReady> warnings() {
    String problem = memory().problem();
    return problem == null ? List.of() : List.of(new NotReady("memory", problem));
  }

  /** The memory of the process, and what it can have. */
  default Memory memory() {
    return new Memory(0, 0, 0, 0, null, PageReclaim.NONE);
  }

  /** The cluster of the node; null where it is alone. */
  default @Nullable Cluster cluster() {
    return null;
  }

  /** The configuration of the fleet; null where the node is alone. */
  default @Nullable FleetConfig fleet() {
    return null;
  }

  /** Figures of the cluster; null where the node is alone. */
  default @Nullable ClusterFigures clusterFigures() {
    return null;
  }

  /** What became of requests between nodes; null where the node shares no objects. */
  default @Nullable PeerCounters peerCounters() {
    return null;
  }

  List<LoopCounters> counters();

  /** Share of the last second each loop was busy, 0 to 1; same order as {@link #counters}. */
  double[] busyShares();

  /** The present number of bytes in private copies for slow clients. */
  long privateCopyBytes();

  /** Requests and fetches that the limits of protections on what is in flight count now. */
  default long countedInFlight() {
    return 0;
  }

  /** The request rings of the loops; none where the node has none. */
  default RingFiles requestRings() {
    return RingFiles.none();
  }

  /** What compresses and what it did; null where nothing can. */
  default @Nullable Compressors compressors() {
    return null;
  }

  /** Whether the last purge could not be made durable, so that it has to be repeated. */
  boolean isPurgeFailing();

  /** Counters and levels of the store. */
  StoreStats store();

  /** The certificates that clients are shown. */
  default List<CertificateStatus> certificates() {
    return List.of();
  }

  /** What came of ordering certificates by ACME. */
  default AcmeCounters acme() {
    return new AcmeCounters();
  }

  /** Counters and levels of each device of the disk tier. */
  default List<DiskStats> disks() {
    return List.of();
  }

  /** What the drives below the disks say of themselves; none unless they are asked. */
  default List<DriveHealth> drives() {
    return List.of();
  }

  /** Levels and counters of each storage class but the default one. */
  default List<StorageClassStats> storageClasses() {
    return List.of();
  }

  /** The origins with their servers. */
  default List<OriginStatus> origins() {
    return List.of();
  }

  /** What active probes have found of each server that is probed. */
  default List<ServerProbes> probes() {
    return List.of();
  }

  /** The adaptive limits of the origins that have one. */
  default List<LimitStatus> originLimits() {
    return List.of();
  }

  /** Addresses that are being listened on. */
  List<Listening> listening();

  /**
   * The memory of the process.
   *
   * @param budgetBytes what all parts may add up to
   * @param limitBytes of the tightest of the control groups, or of the machine; 0 if not known
   * @param freeBytes that may still be allocated before the kernel kills a process
   * @param pressure share of the last seconds in which tasks waited for memory
   * @param problem what is wrong, or null
   * @param pages what the kernel has reclaimed
   */
  record Memory(
      long budgetBytes,
      long limitBytes,
      long freeBytes,
      double pressure,
      @Nullable String problem,
      PageReclaim pages) {}

  /** One reason for not being ready: a stable token and a sentence. */
  record NotReady(String code, String detail) {}

  /** A bound address; {@code scheme} is http or https. */
  record Listening(String name, String scheme, String host, int port, boolean isDirect) {}
}
