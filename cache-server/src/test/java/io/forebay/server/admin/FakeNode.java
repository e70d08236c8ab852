package io.forebay.server.admin;

import io.forebay.core.http.RequestView;
import io.forebay.server.cluster.ClusterFigures;
import io.forebay.server.compress.Compressors;
import io.forebay.server.config.ConfigEnvironment;
import io.forebay.server.config.ConfigLoader;
import io.forebay.server.config.ConfigOutcome;
import io.forebay.server.config.ConfigView;
import io.forebay.server.config.ServerConfig;
import io.forebay.server.config.history.AcceptedConfig;
import io.forebay.server.counters.LoopCounters;
import io.forebay.server.drive.DriveHealth;
import io.forebay.server.explain.Explanation;
import io.forebay.server.node.NodeControl;
import io.forebay.server.node.StoreTarget;
import io.forebay.server.origin.OriginStatus;
import io.forebay.server.origin.drain.DrainOrder;
import io.forebay.server.origin.drain.DrainOutcome;
import io.forebay.server.origin.health.ProbeStatus;
import io.forebay.server.origin.limit.LimitStatus;
import io.forebay.server.origin.probe.ServerProbes;
import io.forebay.server.peer.PeerCounters;
import io.forebay.server.purge.PurgeDone;
import io.forebay.server.purge.PurgeOrder;
import io.forebay.server.purge.PurgeRefusedException;
import io.forebay.server.purge.PurgeRefusedException.Refusal;
import io.forebay.server.tls.CertificateStatus;
import io.forebay.storage.CellStats;
import io.forebay.storage.MiddleTierStats;
import io.forebay.storage.RecoveryState;
import io.forebay.storage.StoreStats;
import io.forebay.storage.disk.DiskStats;
import io.forebay.storage.disk.ScrubStats;
import io.forebay.storage.evict.EvictionStats;
import io.forebay.storage.evict.HitEstimate;
import io.forebay.storage.evict.ResizeStats;
import io.forebay.storage.inspect.StoreInspection;
import io.forebay.storage.inspect.StoreInspector;
import io.forebay.storage.placement.StorageClassStats;
import io.forebay.storage.purge.PurgeEstimate;
import io.forebay.storage.purge.PurgeKind;
import io.forebay.storage.purge.PurgeStatus;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** A scripted node that records the calls that it receives. */
public final class FakeNode implements NodeControl {
  static final long UNKNOWN_PURGE = 10;

  private volatile ServerConfig config;
  private volatile List<NotReady> notReady = List.of();
  private volatile List<Listening> listening = List.of();
  private volatile @Nullable String journalFailure;
  private volatile @Nullable SmallStore stored;
  private volatile List<DiskStats> disks = List.of();
  private volatile List<DriveHealth> drives = List.of();
  private volatile @Nullable ClusterFigures clusterFigures;
  private volatile List<StorageClassStats> classes = List.of();
  private volatile List<CertificateStatus> certificates = List.of();
  private final List<ReloadOrder> reloads = new CopyOnWriteArrayList<>();
  private volatile Reload reload = new Reload(1, List.of(), List.of(), List.of(), List.of());
  private final List<LoopCounters> counters = List.of(new LoopCounters(), new LoopCounters());
  private final List<PurgeOrder> purged = new CopyOnWriteArrayList<>();
  private final List<DrainOrder> drained = new CopyOnWriteArrayList<>();

  public FakeNode(Map<String, String> options) {
    config = load(options);
  }

  /** A configuration of these options with a free admin port. */
  public static ServerConfig load(Map<String, String> options) {
    Path nowhere = Path.of("/nonexistent");
    Map<String, String> all = new java.util.HashMap<>(options);
    all.putIfAbsent("origin", "http://127.0.0.1:9000");
    all.putIfAbsent("admin.address", "127.0.0.1:0");
    ConfigOutcome outcome =
        new ConfigLoader(
                new ConfigEnvironment(Map.of(), nowhere, nowhere, nowhere, nowhere, "edge-test"))
            .load(null, all);
    if (outcome instanceof ConfigOutcome.Loaded loaded) {
      return loaded.config();
    }
    throw new AssertionError(outcome);
  }

  public FakeNode config(ServerConfig value) {
    config = value;
    return this;
  }

  public FakeNode disks(DiskStats... all) {
    disks = List.of(all);
    return this;
  }

  public FakeNode drives(DriveHealth... all) {
    drives = List.of(all);
    return this;
  }

  public FakeNode cluster(ClusterFigures figures) {
    clusterFigures = figures;
    return this;
  }

  @Override
  public @Nullable ClusterFigures clusterFigures() {
    return clusterFigures;
  }

  @Override
  public @Nullable PeerCounters peerCounters() {
    return clusterFigures == null ? null : new PeerCounters();
  }

  public FakeNode certificates(CertificateStatus... all) {
    certificates = List.of(all);
    return this;
  }

  public FakeNode storageClasses(StorageClassStats... all) {
    classes = List.of(all);
    return this;
  }

  @Override
  public List<StorageClassStats> storageClasses() {
    return classes;
  }

  @Override
  public List<OriginStatus> origins() {
    return List.of(
        new OriginStatus(
            "default",
            "peak-ewma",
            3,
            256,
            new LimitStatus("default", 40, 12, false, 20.5, 24.25),
            List.of(
                new OriginStatus.Server(
                    "http://127.0.0.1:9000",
                    1,
                    false,
                    3,
                    4,
                    null,
                    List.of(
                        new OriginStatus.Endpoint(
                            "127.0.0.1:9000",
                            "usable",
                            null,
                            0,
                            2,
                            1,
                            1.25,
                            0,
                            1,
                            40,
                            new ProbeStatus(
                                ProbeStatus.Verdict.PASSING,
                                true,
                                1_700_000_000_000L,
                                "status 503",
                                1_700_000_000_000L)),
                        new OriginStatus.Endpoint(
                            "127.0.0.2:9000",
                            "ejected",
                            "5 failures in a row; the latest: no response",
                            1_700_000_000_000L,
                            1,
                            0,
                            -1,
                            5,
                            2,
                            100,
                            null))),
                new OriginStatus.Server(
                    "http://gone.example:80",
                    1,
                    true,
                    0,
                    0,
                    "name gone.example does not resolve: NXDOMAIN",
                    List.of()))));
  }

  @Override
  public List<LimitStatus> originLimits() {
    return List.of(new LimitStatus("default", 40, 12, false, 20.5, 24.25));
  }

  @Override
  public List<ServerProbes> probes() {
    return List.of(new ServerProbes("default", "http://127.0.0.1:9000", 31, 4, 1, 0));
  }

  @Override
  public DrainOutcome drain(DrainOrder order) throws IOException {
    switch (order.server()) {
      case "http://127.0.0.1:9000" -> {}
      case "http://last.example" -> throw new IllegalStateException("it is the last one");
      case "http://full.example" -> throw new IOException("No space left on device");
      default -> throw new IllegalArgumentException("no origin has the server " + order.server());
    }
    drained.add(order);
    return new DrainOutcome("default", order.server(), true);
  }

  @Override
  public DrainOutcome undrain(String server, @Nullable String origin) {
    return new DrainOutcome(origin == null ? "default" : origin, server, false);
  }

  List<DrainOrder> drained() {
    return List.copyOf(drained);
  }

  @Override
  public List<DriveHealth> drives() {
    return drives;
  }

  @Override
  public List<DiskStats> disks() {
    return disks;
  }

  @Override
  public List<CertificateStatus> certificates() {
    return certificates;
  }

  FakeNode notReady(NotReady... reasons) {
    notReady = List.of(reasons);
    return this;
  }

  public FakeNode listening(Listening... all) {
    listening = List.of(all);
    return this;
  }

  /** Makes every purge of this text fail as if its journal could not be written. */
  FakeNode journalFailsAt(String text) {
    journalFailure = text;
    return this;
  }

  FakeNode stores(SmallStore value) {
    stored = value;
    return this;
  }

  @Override
  public @Nullable StoreInspection inspection() {
    SmallStore small = stored;
    return small == null ? null : small.inspection();
  }

  @Override
  public List<StoreTarget> storeTargets(String url) {
    SmallStore small = stored;
    return small == null ? List.of() : small.targets(url);
  }

  @Override
  public Explanation explain(StoreInspector survey, RequestView request) throws IOException {
    return Objects.requireNonNull(stored).explain(config, survey, request);
  }

  FakeNode reload(Reload outcome) {
    reload = outcome;
    return this;
  }

  List<PurgeOrder> purged() {
    return new ArrayList<>(purged);
  }

  @Override
  public ServerConfig config() {
    return config;
  }

  @Override
  public List<NotReady> notReady() {
    return notReady;
  }

  @Override
  public List<LoopCounters> counters() {
    return counters;
  }

  @Override
  public double[] busyShares() {
    return new double[] {0.25, 0.5};
  }

  @Override
  public Compressors compressors() {
    return new Compressors(1, 1, UnpooledByteBufAllocator.DEFAULT);
  }

  @Override
  public long privateCopyBytes() {
    return 77;
  }

  @Override
  public boolean isPurgeFailing() {
    return true;
  }

  @Override
  public StoreStats store() {
    return new StoreStats(
        128,
        4 << 20,
        10,
        60,
        56,
        2,
        1000,
        2000,
        33,
        44,
        5,
        6,
        7,
        8,
        9,
        10,
        11,
        27,
        12,
        13,
        14,
        15,
        16,
        17,
        18,
        19,
        20,
        21,
        22,
        23,
        24,
        25,
        true,
        new RecoveryState(RecoveryState.Phase.REBUILDING, 0.5, 12),
        26,
        new EvictionStats(0.7, 2, 32_768, 3, 0.25, 1000, 4, List.of(new HitEstimate(2, 0.9, 0.8))),
        false,
        new ScrubStats(0.5, 27, 28_000, 29, 30, 31),
        new ResizeStats(3, 120, 32, 33, 34, null),
        List.of(
            new MiddleTierStats("tier1", "/mnt/cxl", 64, 4 << 20, 3, 40, 20, 1, 35, 36, 37, 38)),
        List.of(
            new CellStats(0, 2, 64, 5, 30, 28, 1, 39), new CellStats(1, 2, 64, 5, 30, 28, 1, 40)),
        "bound to nodes [0, 1]");
  }

  @Override
  public @Nullable String purgeProblem(PurgeOrder order) {
    return order.text().contains("impossible") ? "no request can be for it" : null;
  }

  @Override
  public PurgeDone purge(PurgeOrder order) throws PurgeRefusedException {
    if (order.text().equals(journalFailure)) {
      throw new PurgeRefusedException("No space left on device", Refusal.JOURNAL);
    }
    purged.add(order);
    OptionalLong matched =
        order.kind() == PurgeKind.URL ? OptionalLong.of(1) : OptionalLong.empty();
    return new PurgeDone(100 + purged.size(), 7_000 + purged.size(), matched, 1_234_567);
  }

  @Override
  public PurgeEstimate dryRun(PurgeOrder order, long mostMillis) {
    return new PurgeEstimate(
        List.of(
            new PurgeEstimate.Part("memory", 4, 60, ""),
            new PurgeEstimate.Part("disk d0", 1, 10, "the rest")));
  }

  @Override
  public PurgeDone undo(long id) throws PurgeRefusedException {
    if (id == UNKNOWN_PURGE) {
      throw new PurgeRefusedException("no such purge is known", Refusal.UNKNOWN);
    }
    if (id == 9) {
      throw new PurgeRefusedException("it is a hard purge", Refusal.FINAL);
    }
    return new PurgeDone(id + 1, id + 1, OptionalLong.empty(), 1_234_567);
  }

  @Override
  public @Nullable PurgeStatus purgeStatus(long id) {
    return id == UNKNOWN_PURGE
        ? null
        : new PurgeStatus(
            id,
            PurgeKind.PATTERN,
            true,
            "path ^/img/",
            0,
            1000,
            OptionalLong.of(3),
            OptionalLong.of(30),
            true,
            false,
            OptionalLong.empty());
  }

  @Override
  public List<PurgeStatus> latestPurges(int most) {
    return List.of(Objects.requireNonNull(purgeStatus(9)));
  }

  @Override
  public Reload reload(ReloadOrder order) {
    reloads.add(order);
    return reload;
  }

  /** What reloads were asked for. */
  List<ReloadOrder> reloads() {
    return reloads;
  }

  @Override
  public List<AcceptedConfig> acceptedConfigs() {
    return List.of(
        new AcceptedConfig(
            11,
            Instant.parse("2026-03-01T12:00:00Z"),
            "start",
            "ab".repeat(32),
            "/etc/forebay.yaml",
            0),
        new AcceptedConfig(
            12,
            Instant.parse("2026-03-02T12:00:00Z"),
            "signal",
            "cd".repeat(32),
            "/etc/forebay.yaml",
            0));
  }

  @Override
  public List<ConfigView.Change> configChanges(long from, long to) {
    if (from < 11 || to > 12) {
      throw new NoSuchElementException("no configuration has the number " + Math.max(from, to));
    }
    return List.of(new ConfigView.Change("limits.fills", "256", "512"));
  }

  @Override
  public List<Listening> listening() {
    return listening;
  }
}
