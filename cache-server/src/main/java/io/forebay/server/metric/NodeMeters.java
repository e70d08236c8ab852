package io.forebay.server.metric;

import io.forebay.server.accesslog.AccessLog;
import io.forebay.server.compress.Compressors;
import io.forebay.server.config.ServerConfig.RouteConfig;
import io.forebay.server.counters.CounterNames;
import io.forebay.server.counters.LoopCounters;
import io.forebay.server.counters.NameTable;
import io.forebay.server.drive.DriveHealth;
import io.forebay.server.origin.limit.LimitStatus;
import io.forebay.server.origin.probe.ServerProbes;
import io.forebay.server.tls.CertificateStatus;
import io.forebay.storage.disk.DiskStats;
import io.forebay.storage.placement.StorageClassStats;
import io.micrometer.core.instrument.Meter;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * The meters of the node in one registry. Meters of routes, origins, listeners, disks, storage
 * classes and certificates are added when the node has them; those of certificates are removed with
 * them.
 */
final class NodeMeters {
  private final MeterRegistrar meters;
  private final CachedReports from;
  private final Set<String> disks = new HashSet<>();
  private final Set<String> drives = new HashSet<>();
  private final Set<String> classes = new HashSet<>();
  private final Map<CertificateKey, List<Meter>> certificates = new HashMap<>();
  private int routes = NameTable.NAMED;
  private int origins = NameTable.NAMED;
  private int originServers = NameTable.NAMED;
  private int listeners = NameTable.NAMED;

  /** Servers with meters of their probes; no more than there are names elsewhere. */
  private final Set<ServerKey> probed = new HashSet<>();

  /** Origins with meters of their adaptive limits; likewise. */
  private final Set<String> limited = new HashSet<>();

  /** Plugins with meters; likewise. */
  private final Set<String> plugins = new HashSet<>();

  /** Routes with meters of players; likewise. */
  private final Set<String> players = new HashSet<>();

  private record ServerKey(String origin, String server) {}

  private record CertificateKey(String name, String kind) {}

  /** Adds a series for one name. */
  private interface Series {
    void add(MeterRegistrar meters, CachedReports from, int number, String name);
  }

  NodeMeters(
      MeterRegistrar meters,
      CachedReports from,
      AccessLog accessLog,
      LongSupplier lostActions,
      String version) {
    this.meters = meters;
    this.from = from;
    meters.gauge(
        "forebay_build_info",
        "Version of Forebay and of the Java runtime.",
        () -> 1,
        "java",
        Runtime.version().toString(),
        "version",
        version);
    ProcessMetrics.add(meters, from);
    RequestMetrics.add(meters, from);
    ConnectionMetrics.add(meters, from);
    Http3Metrics.add(meters, from);
    TlsMetrics.add(meters, from);
    AcmeMetrics.add(meters, from);
    ClusterMetrics.add(meters, from);
    FillMetrics.add(meters, from);
    CopyMetrics.add(meters, from);
    EsiMetrics.add(meters, from);
    PrefetchMetrics.add(meters, from);
    OriginMetrics.add(meters, from);
    StoreMetrics.add(meters, from);
    Compressors compressors = from.node().compressors();
    if (compressors != null) {
      CompressionMetrics.add(meters, compressors);
    }
    meters.counter("forebay_access_log_lines", "Access log lines written.", accessLog::written);
    meters.counter(
        "forebay_access_log_dropped",
        "Access log lines lost because the queue was full or the output failed.",
        accessLog::dropped);
    meters.counter(
        "forebay_audit_log_dropped",
        "Audit log lines lost because the queue was full or the output failed.",
        lostActions::getAsLong);
    RequestMetrics.addRoute(meters, from, NameTable.NONE, "none");
    refresh();
  }

  /** Adds meters for names that are new, and removes those of certificates that are gone. */
  synchronized void refresh() {
    List<LoopCounters> loops = from.loops();
    if (!loops.isEmpty()) {
      CounterNames names = loops.getFirst().names();
      routes = addNew(names.routes(), routes, RequestMetrics::addRoute);
      origins = addNew(names.origins(), origins, OriginMetrics::addNamed);
      originServers = addNew(names.originServers(), originServers, OriginMetrics::addServer);
      listeners = addNew(names.listeners(), listeners, RequestMetrics::addListener);
      addPlayers(names.routes());
    }
    for (DiskStats disk : from.disks()) {
      if (disks.add(disk.name())) {
        DiskMetrics.addNamed(meters, from, disk.name());
      }
    }
    for (DriveHealth drive : from.drives()) {
      if (drives.add(drive.store())) {
        DriveMetrics.addNamed(meters, from, drive.store());
      }
    }
    for (StorageClassStats one : from.storageClasses()) {
      if (classes.add(one.name())) {
        StorageClassMetrics.addNamed(meters, from, one.name());
      }
    }
    for (ServerProbes server : from.probes()) {
      ServerKey key = new ServerKey(server.origin(), server.server());
      if (probed.size() < NameTable.MAX_NAMES && probed.add(key)) {
        ProbeMetrics.addNamed(meters, from, server.origin(), server.server());
      }
    }
    for (LimitStatus limit : from.originLimits()) {
      if (limited.size() < NameTable.MAX_NAMES && limited.add(limit.origin())) {
        LimitMetrics.addNamed(meters, from, limit.origin());
      }
    }
    for (String plugin : from.node().config().plugins().set().names()) {
      if (plugins.size() < NameTable.MAX_NAMES && plugins.add(plugin)) {
        PluginMetrics.addNamed(
            meters, plugin, from.node().config().plugins().set().counters(plugin));
      }
    }
    Set<CertificateKey> now = new HashSet<>();
    for (CertificateStatus certificate : from.certificates()) {
      CertificateKey key = new CertificateKey(certificate.name(), certificate.kind());
      now.add(key);
      certificates.computeIfAbsent(key, added -> TlsMetrics.addNamed(meters, from, certificate));
    }
    certificates
        .entrySet()
        .removeIf(entry -> {
          boolean isGone = !now.contains(entry.getKey());
          if (isGone) {
            entry.getValue().forEach(meters::remove);
          }
          return isGone;
        });
  }

  /** Those of routes that read what players tell; routes that share a number share meters. */
  private void addPlayers(NameTable names) {
    for (RouteConfig route : from.node().config().routes()) {
      if (route.video().cmcd().isRead()) {
        int number = names.number(route.name());
        String name = names.names().get(number);
        if (players.add(name)) {
          CmcdMetrics.addRoute(meters, from, number, name);
        }
      }
    }
  }

  synchronized void remove() {
    meters.removeAll();
  }

  /** Adds the names from {@code known} on; with the last that there can be, those that share. */
  private int addNew(NameTable table, int known, Series series) {
    List<String> names = table.names();
    for (int number = known; number < names.size(); number++) {
      series.add(meters, from, number, names.get(number));
    }
    if (known < NameTable.SIZE && names.size() == NameTable.SIZE) {
      series.add(meters, from, NameTable.OTHER, names.get(NameTable.OTHER));
    }
    return names.size();
  }
}
