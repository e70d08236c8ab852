package io.forebay.server;

import io.forebay.core.http.RequestView;
import io.forebay.core.key.KeyBuilder;
import io.forebay.core.key.Scopes;
import io.forebay.core.policy.StoredMeta;
import io.forebay.server.accesslog.AccessLog;
import io.forebay.server.accesslog.RequestLogs;
import io.forebay.server.admin.AdminServer;
import io.forebay.server.audit.AuditActor;
import io.forebay.server.audit.AuditEvent;
import io.forebay.server.audit.AuditEvent.Result;
import io.forebay.server.audit.AuditLog;
import io.forebay.server.cluster.Cluster;
import io.forebay.server.cluster.ClusterFigures;
import io.forebay.server.cluster.NodeLoad;
import io.forebay.server.cluster.fleet.FleetConfig;
import io.forebay.server.cluster.fleet.FleetStart;
import io.forebay.server.cluster.peer.ObjectPeers;
import io.forebay.server.compress.Compressors;
import io.forebay.server.compress.copy.CopyMaker;
import io.forebay.server.compress.copy.CopyRegistry;
import io.forebay.server.compress.dictionary.Dictionaries;
import io.forebay.server.config.ClusterConfig;
import io.forebay.server.config.ConfigOutcome;
import io.forebay.server.config.ConfigProblem;
import io.forebay.server.config.ConfigSource;
import io.forebay.server.config.ConfigView;
import io.forebay.server.config.FleetBootstrap;
import io.forebay.server.config.ServerConfig;
import io.forebay.server.config.history.AcceptedConfig;
import io.forebay.server.config.history.ConfigHistory;
import io.forebay.server.counters.CounterNames;
import io.forebay.server.counters.LoopCounters;
import io.forebay.server.deliver.CopyQuota;
import io.forebay.server.deliver.Leases;
import io.forebay.server.digest.DigestContext;
import io.forebay.server.digest.DigestThreads;
import io.forebay.server.drive.DriveHealth;
import io.forebay.server.drive.DriveMonitor;
import io.forebay.server.exchange.ExchangeContext;
import io.forebay.server.exchange.ExchangeFactory;
import io.forebay.server.exchange.FailureLog;
import io.forebay.server.exchange.PeerRequestHandler;
import io.forebay.server.explain.Explanation;
import io.forebay.server.fairness.ClientLimiter;
import io.forebay.server.fill.FillContext;
import io.forebay.server.fill.FillTable;
import io.forebay.server.fill.SliceFill;
import io.forebay.server.fill.history.FillHistory;
import io.forebay.server.handover.Inheritance;
import io.forebay.server.handover.Released;
import io.forebay.server.http.ChallengeTokens;
import io.forebay.server.listen.InheritedSockets;
import io.forebay.server.listen.Listeners;
import io.forebay.server.listen.peer.NodeListener;
import io.forebay.server.loop.CellPlan;
import io.forebay.server.loop.CpuPlan;
import io.forebay.server.loop.ListenException;
import io.forebay.server.loop.Loop;
import io.forebay.server.loop.LoopLoad;
import io.forebay.server.loop.RequestIds;
import io.forebay.server.loop.Transport;
import io.forebay.server.metric.NodeMetrics;
import io.forebay.server.node.NodeControl;
import io.forebay.server.node.StoreTarget;
import io.forebay.server.origin.OriginConnections;
import io.forebay.server.origin.OriginDrains;
import io.forebay.server.origin.OriginProbes;
import io.forebay.server.origin.OriginReadiness;
import io.forebay.server.origin.OriginSender;
import io.forebay.server.origin.OriginStatus;
import io.forebay.server.origin.PooledOriginClient;
import io.forebay.server.origin.ResponseLimits;
import io.forebay.server.origin.call.OriginClient;
import io.forebay.server.origin.dns.CachingNameResolver;
import io.forebay.server.origin.dns.NamePlaces;
import io.forebay.server.origin.drain.DrainFile;
import io.forebay.server.origin.drain.DrainOrder;
import io.forebay.server.origin.drain.DrainOutcome;
import io.forebay.server.origin.group.Origins;
import io.forebay.server.origin.group.OwnListenAddresses;
import io.forebay.server.origin.hedge.HedgingOriginClient;
import io.forebay.server.origin.limit.LimitStatus;
import io.forebay.server.origin.mirror.MirrorLimiter;
import io.forebay.server.origin.mirror.MirroringOriginClient;
import io.forebay.server.origin.probe.Prober;
import io.forebay.server.origin.probe.ServerProbes;
import io.forebay.server.origin.resume.ResumingOriginClient;
import io.forebay.server.peer.PeerCounters;
import io.forebay.server.peer.PeerDirectory;
import io.forebay.server.peer.PeerRouter;
import io.forebay.server.peer.PeerSender;
import io.forebay.server.prefetch.PrefetchBudget;
import io.forebay.server.protect.Gatekeeper;
import io.forebay.server.protect.Verifiers;
import io.forebay.server.protect.forward.ForwardAuth;
import io.forebay.server.protect.rate.RateBuckets;
import io.forebay.server.purge.KnownRecipes;
import io.forebay.server.purge.PurgeDone;
import io.forebay.server.purge.PurgeOrder;
import io.forebay.server.purge.PurgePredicate;
import io.forebay.server.purge.PurgeQueue;
import io.forebay.server.purge.PurgeRefusedException;
import io.forebay.server.response.HeadWriter;
import io.forebay.server.ring.RingFiles;
import io.forebay.server.runtime.RuntimeConfig;
import io.forebay.server.tls.CertificateStatus;
import io.forebay.server.tls.ClientTls;
import io.forebay.server.tls.TlsException;
import io.forebay.server.tls.TlsPreview;
import io.forebay.server.tls.acme.AcmeCounters;
import io.forebay.server.tls.acme.CertificateManager;
import io.forebay.server.tunnel.TunnelLimiter;
import io.forebay.storage.ObjectStore;
import io.forebay.storage.StoreException;
import io.forebay.storage.StoreSettings;
import io.forebay.storage.StoreStats;
import io.forebay.storage.disk.DiskStats;
import io.forebay.storage.evict.Tuning;
import io.forebay.storage.inspect.StoreInspection;
import io.forebay.storage.inspect.StoreInspector;
import io.forebay.storage.memory.MachineMemory;
import io.forebay.storage.placement.StorageClassStats;
import io.forebay.storage.purge.PurgeEstimate;
import io.forebay.storage.purge.PurgeStatus;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running node: opens its parts in order, connects them, and closes them in reverse order. When
 * {@link #start} returns, either everything is running or nothing is left.
 */
public final class Server implements NodeControl, AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Server.class);

  /** How often chunks that sockets do not take are looked at. */
  private static final long LEASE_TICK_MILLIS = 250;

  /** For how long soft purges can be undone. */
  private static final Duration PURGE_UNDO = Duration.ofHours(1);

  private static final int HISTORY_ENTRIES = 1 << 16;

  /** Wall clock: what ages and expires does so by it. Timeouts do not. */
  private final LongSupplier clockMillis;

  /** What is at work of the keys that wait for the next start. */
  private final ServerConfig started;

  /** What was opened, last first. */
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();

  private final CopyQuota copies;
  private final CopyRegistry codedCopies;
  private final FillTable fills;
  private final TunnelLimiter tunnels = new TunnelLimiter();
  private final PrefetchBudget prefetches = new PrefetchBudget();
  private final MirrorLimiter mirrors = new MirrorLimiter();
  private final ClientLimiter places = new ClientLimiter();
  private final Compressors compressors;
  private final DigestThreads digestThreads;
  private final RateBuckets rateBuckets;
  private final Verifiers verifiers;
  private final FillHistory history = FillHistory.ofKeys(HISTORY_ENTRIES);
  private final ObjectStore store;
  private final MemoryPlan.Sum memorySum;
  private final MemoryWatch memoryWatch;
  private final @Nullable DriveMonitor drives;
  private final Transport transport;
  private final CachingNameResolver names;
  private final AccessLog accessLog;
  private final RingFiles rings;
  private final RequestLogs requestLogs;
  private final AuditLog auditLog;
  private final ClientTls tls;
  private final ChallengeTokens challenges = new ChallengeTokens();
  private final CertificateManager acme;
  private final Listeners listeners;
  private final NodeMetrics metrics;
  private final AdminServer admin;
  private final OwnListenAddresses ownListeners =
      new OwnListenAddresses(
          this::boundAddresses,
          OwnListenAddresses::ofMachine,
          task -> Thread.ofVirtual().name("own-addresses").start(task),
          System::nanoTime);
  private final CounterNames counterNames = new CounterNames();
  private final List<LoopCounters> counters = new ArrayList<>();
  private final List<ExchangeContext> loops = new ArrayList<>();
  private final List<PooledOriginClient> clients = new ArrayList<>();
  private final OriginConnections originConnections = opened(new OriginConnections());
  private final OriginDrains drains;
  private final OriginProbes probes;
  private final ActiveConfig activeConfig;
  private final PurgeService purges;
  private final @Nullable Cluster cluster;

  /** The nodes that share objects with this one; null where none does. */
  private final @Nullable ObjectPeers peers;

  private final @Nullable NodeListener nodeListener;

  private final OriginConnections peerConnections = opened(new OriginConnections());
  private final CounterNames peerNames = new CounterNames();
  private final List<PooledOriginClient> peerClients = new ArrayList<>();
  private final PurgeQueue purgeQueue;
  private final QueryService queries;
  private final ConfigHistory configHistory;
  private final ReloadService reloading;
  private final @Nullable FleetConfig fleet;

  private volatile boolean isDraining;

  /**
   * Starts a node.
   *
   * @param source gives the configuration, now and at each reload
   * @param version of Forebay, for metrics and the admin API
   * @throws StartException when it cannot start; nothing is left running then
   */
  public static Server start(ConfigSource source, String version) throws StartException {
    return start(source, version, System::currentTimeMillis);
  }

  /**
   * Starts a node that listens on sockets which are open already.
   *
   * @param inherited what the process before this one left, or a service manager opened
   */
  public static Server start(ConfigSource source, String version, Inheritance inherited)
      throws StartException {
    return start(
        source,
        version,
        System::currentTimeMillis,
        System::nanoTime,
        CpuPlan.Machine.here(),
        NamePlaces.SYSTEM,
        inherited);
  }

  /**
   * Starts a node for a rehearsal of its configuration: by a wall clock that the caller moves,
   * which rate limits follow, too. Timeouts stay those of the machine.
   *
   * @param clockMillis never goes back; any thread asks it
   */
  public static Server rehearse(ConfigSource source, String version, LongSupplier clockMillis)
      throws StartException {
    return start(
        source,
        version,
        clockMillis,
        () -> clockMillis.getAsLong() * 1_000_000,
        CpuPlan.Machine.here(),
        NamePlaces.SYSTEM,
        Inheritance.none());
  }

  /** The same by another wall clock, which any thread asks. */
  static Server start(ConfigSource source, String version, LongSupplier clockMillis)
      throws StartException {
    return start(source, version, clockMillis, CpuPlan.Machine.here(), NamePlaces.SYSTEM);
  }

  /** The same on what it takes for its machine, with what that knows of names. */
  static Server start(
      ConfigSource source,
      String version,
      LongSupplier clockMillis,
      CpuPlan.Machine machine,
      NamePlaces namePlaces)
      throws StartException {
    return start(
        source, version, clockMillis, System::nanoTime, machine, namePlaces, Inheritance.none());
  }

  private static Server start(
      ConfigSource source,
      String version,
      LongSupplier clockMillis,
      LongSupplier rateNanos,
      CpuPlan.Machine machine,
      NamePlaces namePlaces,
      Inheritance inherited)
      throws StartException {
    FleetBootstrap own = source.bootstrap();
    ConfigOutcome read = own == null ? source.load() : FleetStart.load(source, own);
    while (true) {
      try {
        return start(source, read, version, clockMillis, rateNanos, machine, namePlaces, inherited);
      } catch (StartException e) {
        ConfigOutcome instead =
            own == null || !e.isOfReloadedKeys() ? null : FleetStart.instead(source, own, read);
        if (instead == null) {
          throw e;
        }
        LOG.error("the node cannot start with the fleet's document: {}", e.getMessage());
        read = instead;
      }
    }
  }

  private static Server start(
      ConfigSource source,
      ConfigOutcome read,
      String version,
      LongSupplier clockMillis,
      LongSupplier rateNanos,
      CpuPlan.Machine machine,
      NamePlaces namePlaces,
      Inheritance inherited)
      throws StartException {
    return switch (read) {
      case ConfigOutcome.Refused refused ->
          throw new StartException(
              StartException.BAD_CONFIGURATION,
              refused.problems().stream().map(ConfigProblem::toString).toList());
      case ConfigOutcome.Loaded loaded -> {
        loaded.warnings().forEach(LOG::warn);
        yield new Server(
            source, loaded, version, clockMillis, rateNanos, machine, namePlaces, inherited);
      }
    };
  }

  private Server(
      ConfigSource source,
      ConfigOutcome.Loaded loaded,
      String version,
      LongSupplier clockMillis,
      LongSupplier rateNanos,
      CpuPlan.Machine cpus,
      NamePlaces namePlaces,
      Inheritance inherited)
      throws StartException {
    this.clockMillis = clockMillis;
    this.rateBuckets = new RateBuckets(rateNanos);
    ServerConfig config = loaded.config();
    this.started = config;
    try (InheritedSockets sockets = new InheritedSockets(inherited.sockets())) {
      RuntimeConfig compiled = RuntimeConfig.of(config, counterNames.routes());
      // What cannot be used is found before anything is allocated; the threads start unpinned.
      tls = opened(ClientTls.open(config, clockMillis));
      tls.inheritTicketKeys(inherited.ticketKeys(), inherited.ticketKeysMadeAtMillis());
      acme =
          opened(
              CertificateManager.open(
                  config.tls().acme(), config.store().data(), tls, challenges, clockMillis));
      // Before the store: a memory tier is not allocated for a node that cannot listen.
      Path adminSocket = config.admin().address().unixFile();
      Listeners.check(
          config,
          adminSocket == null ? Map.of("admin", config.admin().address()) : Map.of(),
          sockets);
      if (adminSocket != null) {
        AdminServer.check(adminSocket);
      }
      copies = new CopyQuota(config.limits().privateCopyBytes());
      codedCopies = new CopyRegistry(clockMillis.getAsLong());
      fills = new FillTable(config.limits().fills(), config.limits().refusedLoads());
      fills.recovery().limit(config.limits().recoveryFetches());
      names = opened(CachingNameResolver.over(namePlaces));
      Origins origins = Origins.load(config.origins(), Origins.NONE, ownListeners);
      activeConfig = opened(new ActiveConfig(compiled, origins));
      names.watch(origins.hostNames());
      originConnections.prepare(origins);
      int loopCount = Transport.loopCount(config.threads(), cpus);
      CpuPlan cpuPlan = CpuPlan.of(config.threads().pin(), loopCount, cpus);
      CellPlan cellPlan = CellPlan.of(config.store().cells(), cpuPlan, cpus.nodes());
      // Before the loops: what these start must not inherit a loop's CPU.
      accessLog = opened(accessLog(config, loopCount));
      MachineMemory machine = MachineMemory.system();
      MemoryPlan plan = MemoryPlan.of(config, machine);
      long tierBytes =
          plan.tierBytes(config.store().memory(), config.store().memoryDirectory() != null);
      String choice = plan.choice(config.store().memory(), tierBytes);
      if (choice != null) {
        LOG.info(choice);
      }
      plan.requirePlace(tierBytes, config.store().memoryDirectory());
      String indexWarning = plan.indexWarning(tierBytes);
      if (indexWarning != null) {
        LOG.warn(indexWarning);
      }
      store =
          opened(
              ObjectStore.open(
                  storeSettings(config, tierBytes, loopCount, clockMillis)
                      .withCells(cells(cellPlan))
                      .withIndex(plan.index(tierBytes))));
      // The lock of the store also protects these files; loops end before they are closed.
      rings =
          opened(
              RingFiles.open(
                  store.memoryDirectory(), loopCount, config.accessLog().ringBytes(), clockMillis));
      requestLogs = new RequestLogs(accessLog, rings, config.accessLog().lines(), loopCount);
      // The lock of the store also protects its file.
      auditLog = opened(auditLog(config));
      compressors =
          opened(
              new Compressors(
                  config.compression().threads(),
                  config.compression().streams(),
                  Transport.ALLOCATOR));
      if (compiled.compresses()) {
        compressors.prepare();
      }
      digestThreads = opened(new DigestThreads());
      if (compiled.hashesBodies()) {
        digestThreads.prepare();
      }
      // The lock of the store also protects this directory.
      verifiers =
          opened(
              new Verifiers(
                  Math.max(1, Runtime.getRuntime().availableProcessors() / 4),
                  config.store().data(),
                  clockMillis,
                  System::nanoTime));
      verifiers.prepare(config.protections());
      drains =
          new OriginDrains(
              new DrainFile(config.store().data()),
              originConnections,
              this::origins,
              this::applyDrains,
              clockMillis);
      memorySum = plan.sum(store.memoryParts());
      if (!memorySum.fits()) {
        LOG.warn(memorySum.warning());
      }
      TierSizePolicy sizer =
          TierSizePolicy.of(store, config.store().memoryMin(), () -> System.nanoTime() / 1_000_000);
      MemoryWatch.Follower follower =
          sizer == null ? null : new MemoryWatch.Follower(machine::pressure, sizer);
      memoryWatch = opened(new MemoryWatch(machine::read, memorySum, follower).start());
      Path smartctl = config.store().smartctl();
      drives =
          smartctl == null
              ? null
              : opened(new DriveMonitor(smartctl, Path.of("/sys"), store::diskDirectories).start());
      KnownRecipes recipes = KnownRecipes.open(config.store().data(), store, compiled.routes());
      purges = new PurgeService(store, activeConfig, recipes, config.store().data());
      ClusterConfig clustered = config.cluster();
      cluster =
          clustered == null
              ? null
              : opened(
                  Cluster.start(
                      clustered,
                      config.forwarding().nodeId(),
                      HexFormat.of().formatHex(store.identity()),
                      version,
                      new ClusterLogPurges(
                          store.replicatedPurges(), purges::purgeOf, clustered.purge().gap()),
                      purges::purgeHere,
                      config.store().data(),
                      Clock.systemUTC()));
      peers =
          cluster == null
              ? null
              : cluster.shareObjects(
                  store.replicatedPurges()::begun, store.replicatedPurges()::applied);
      if (cluster != null) {
        purges.join(cluster);
      }
      purgeQueue = opened(new PurgeQueue(purges::purgeTogether, auditLog));
      transport = opened(Transport.open(config.threads(), loopCount, cpuPlan));
      if (cpus.nodes().nodes().size() > 1) {
        LOG.info("loops {}; the memory tier has {}", transport.pinning(), cellPlan.word());
      }
      List<ExchangeFactory> exchanges = new ArrayList<>();
      for (Loop loop : transport.loops()) {
        ExchangeContext context = context(loop);
        loops.add(context);
        exchanges.add(new ExchangeFactory(context, activeConfig::config));
      }
      opened.push(this::closeOriginClients);
      listeners =
          opened(
              Listeners.bind(
                  config,
                  transport,
                  exchanges,
                  counters,
                  requestLogs,
                  clockMillis,
                  tls,
                  sockets,
                  Listeners.tokenKey(inherited.tokenKey())));
      nodeListener = peers == null ? null : opened(listenForNodes(peers, exchanges));
      probes =
          opened(
              new OriginProbes(
                  originConnections,
                  names,
                  Transport.ALLOCATOR,
                  new SplittableRandom(),
                  clockMillis,
                  System::nanoTime,
                  LoggerFactory.getLogger(Prober.class)::warn));
      probes.configure(origins);
      queries =
          new QueryService(
              store,
              activeConfig,
              fills,
              history,
              tls,
              SliceFill.longestBytes(loops.getFirst().filling()),
              clockMillis,
              peers == null ? null : peers.directory());
      configHistory = ConfigHistory.open(config.store().data());
      reloading =
          new ReloadService(
              source,
              configHistory,
              () -> Instant.ofEpochMilli(clockMillis.getAsLong()),
              config,
              activeConfig,
              store,
              recipes,
              tls,
              acme,
              ownListeners,
              names,
              copies,
              fills,
              listeners,
              loops,
              clients,
              probes,
              originConnections,
              verifiers,
              counterNames);
      reloading.remember(loaded, "start");
      metrics = opened(new NodeMetrics(this, accessLog, auditLog::lost, version));
      admin = opened(AdminServer.start(this, metrics, accessLog, auditLog, version));
      for (ExchangeContext loop : loops) {
        loop.eventLoop()
            .scheduleAtFixedRate(
                loop.leases()::onTick, LEASE_TICK_MILLIS, LEASE_TICK_MILLIS, TimeUnit.MILLISECONDS);
      }
      if (cluster != null) {
        cluster.nodes().counts(this::load);
      }
      listeners.accept();
      fleet =
          cluster == null || clustered == null
              ? null
              : opened(
                  FleetConfig.start(
                      clustered,
                      cluster.membership(),
                      new ServerFleetNode(this, reloading),
                      new ServerFleetTls(tls, challenges, acme),
                      config.store().data(),
                      loaded.text().fleet(),
                      Clock.systemUTC()));
      ClusterConfig.SharedSecret secret = clustered == null ? null : clustered.secret();
      if (fleet != null && secret != null) {
        acme.join(fleet.orderGroups(secret));
      }
      acme.start();
    } catch (StartException e) {
      undo();
      throw e;
    } catch (TlsException e) {
      undo();
      throw StartException.ofReloadedKeys(e.lines());
    } catch (StoreException | ListenException e) {
      undo();
      throw new StartException(StartException.NO_RESOURCE, List.of(e.getMessage()));
    } catch (BindException e) {
      undo();
      throw new StartException(StartException.NO_RESOURCE, List.of(String.valueOf(e.getMessage())));
    } catch (IOException e) {
      undo();
      throw new StartException(
          StartException.BAD_CONFIGURATION, List.of(String.valueOf(e.getMessage())));
    } catch (IllegalArgumentException e) {
      undo();
      throw StartException.ofReloadedKeys(List.of(String.valueOf(e.getMessage())));
    } catch (RuntimeException | Error e) {
      undo();
      throw e;
    }
  }

  /**
   * After a start that failed: everything is closed, and the store leaves nothing new in memory.
   */
  private void undo() {
    for (AutoCloseable resource : opened) {
      if (resource instanceof ObjectStore unused) {
        opened.remove(unused);
        opened.addLast(unused::closeUnused);
        break;
      }
    }
    close();
  }

  private <T extends AutoCloseable> T opened(T resource) {
    opened.push(resource);
    return resource;
  }

  private static List<StoreSettings.Cell> cells(CellPlan plan) {
    return plan.cells().stream()
        .map(cell -> new StoreSettings.Cell(cell.node(), cell.loops()))
        .toList();
  }

  private static AccessLog accessLog(ServerConfig config, int loopCount) throws StartException {
    try {
      return AccessLog.open(config.accessLog(), loopCount);
    } catch (IOException e) {
      throw new StartException(StartException.NO_RESOURCE, List.of(String.valueOf(e.getMessage())));
    }
  }

  private static AuditLog auditLog(ServerConfig config) throws StartException {
    try {
      return AuditLog.open(
          config.audit(),
          config.store().data(),
          config.accessLog().lines().mask(),
          System::currentTimeMillis);
    } catch (IOException e) {
      throw new StartException(StartException.NO_RESOURCE, List.of(String.valueOf(e.getMessage())));
    }
  }

  private static StoreSettings storeSettings(
      ServerConfig config, long tierBytes, int loopCount, LongSupplier clockMillis) {
    return StoreSettings.of(config.store().data(), tierBytes, loopCount, clockMillis)
        .withMemoryDirectory(config.store().memoryDirectory())
        .withTiers(
            config.store().tiers().stream()
                .map(tier -> new StoreSettings.MiddleTier(tier.path(), tier.bytes()))
                .toList())
        .withScrub(config.store().scrubRate())
        .withDisks(ConfiguredDisks.of(config, memoryBytes()))
        .withClasses(ConfiguredStorageClasses.of(config, config.cluster()))
        .withPredicates(PurgePredicate::parse)
        .withPurgeUndo(PURGE_UNDO.toMillis())
        .withEviction(tuning(config.store()));
  }

  private static long memoryBytes() {
    return MachineMemory.system().read().limitBytes();
  }

  private static Tuning tuning(ServerConfig.StoreConfig store) {
    String share = store.protectedShare();
    String threshold = store.touchThreshold();
    return new Tuning(
        share.equals("auto") ? Tuning.AUTO.protectedShare() : Double.parseDouble(share),
        threshold.equals("auto") ? Tuning.AUTO.touchThreshold() : Integer.parseInt(threshold),
        switch (store.smallObjects()) {
          case "auto" -> Tuning.AUTO.smallClass();
          case "8KiB" -> Tuning.smallClass(8 << 10);
          case "32KiB" -> Tuning.smallClass(32 << 10);
          case "128KiB" -> Tuning.smallClass(128 << 10);
          case "512KiB" -> Tuning.smallClass(512 << 10);
          default -> 0;
        });
  }

  private ExchangeContext context(Loop loop) {
    LoopCounters loopCounters = new LoopCounters(counterNames);
    counters.add(loopCounters);
    PooledOriginClient client =
        new PooledOriginClient(
            loop.eventLoop(),
            transport.socketChannel(),
            Transport.ALLOCATOR,
            activeConfig.origins(),
            ResponseLimits.of(
                activeConfig.config().config().limits(), activeConfig.config().config().http2()),
            originConnections,
            names,
            loopCounters,
            new SplittableRandom());
    clients.add(client);
    OriginSender hedging =
        new HedgingOriginClient(client, client::isHedged, loop.eventLoop(), loopCounters);
    @Nullable ObjectPeers shared = peers;
    PeerSender peerSender = shared == null ? null : peerSender(loop, hedging, shared.directory());
    OriginSender first = peerSender == null ? hedging : peerSender;
    OriginClient resuming =
        new ResumingOriginClient(
            first,
            (origin, request) -> request.peers() != null || client.isResumed(origin),
            loopCounters);
    OriginClient mirroring =
        new MirroringOriginClient(
            resuming,
            client,
            client::hostOf,
            loop.eventLoop(),
            mirrors,
            loopCounters,
            new SplittableRandom());
    var lane = store.lane(loop.index());
    long memoryBytes = (long) store.regionCount() * store.regionBytes();
    var filling =
        new FillContext(
            loop.index(),
            loop.eventLoop(),
            lane,
            new KeyBuilder(store.secret()),
            new Scopes(store.secret()),
            mirroring,
            loopCounters,
            store,
            fills,
            history,
            transport.loops().size(),
            new StoredMeta(),
            memoryBytes / 16,
            clockMillis,
            route -> activeConfig.config().compression(route),
            new DigestContext(route -> activeConfig.config().digests(route), digestThreads),
            shared == null || peerSender == null
                ? null
                : new PeerRouter(shared.directory(), peerSender::forget));
    return new ExchangeContext(
        filling,
        new Leases(
            store,
            lane,
            Transport.ALLOCATOR,
            copies,
            loopCounters,
            transport.writesFromAddresses()),
        new LoopLoad(activeConfig.config().config().overload()),
        requestLogs.forLoop(loop.index()),
        tunnels,
        places,
        purgeQueue,
        new HeadWriter(RuntimeConfig.MAX_CACHE_STATUS_LENGTH),
        new RequestIds(clockMillis.getAsLong(), loop.index()),
        new FailureLog(clockMillis),
        new Gatekeeper(
            loopCounters,
            rateBuckets,
            verifiers,
            new ForwardAuth(verifiers.forwarded(), resuming, loop.eventLoop()),
            clockMillis),
        new SplittableRandom()::nextDouble,
        new CopyMaker(filling, loop.eventLoop(), compressors, codedCopies),
        challenges,
        compressors,
        new Dictionaries(filling, loop.eventLoop(), compressors, codedCopies),
        prefetches,
        cluster == null ? null : cluster.fence(),
        cluster == null || shared == null ? null : cluster.groupInvalidations());
  }

  /** The client for other nodes counts by itself: they are no origins of the configuration. */
  private PeerSender peerSender(Loop loop, OriginSender origins, PeerDirectory directory) {
    ResponseLimits limits =
        ResponseLimits.of(
            activeConfig.config().config().limits(), activeConfig.config().config().http2());
    PooledOriginClient nodes =
        new PooledOriginClient(
            loop.eventLoop(),
            transport.socketChannel(),
            Transport.ALLOCATOR,
            Origins.NONE,
            limits,
            peerConnections,
            names,
            new LoopCounters(peerNames),
            new SplittableRandom());
    peerClients.add(nodes);
    return new PeerSender(origins, nodes, limits, directory, loop.eventLoop());
  }

  private NodeListener listenForNodes(ObjectPeers known, List<ExchangeFactory> exchanges)
      throws ListenException {
    ClusterConfig clustered = Objects.requireNonNull(started.cluster());
    ServerConfig.Address address = Objects.requireNonNull(clustered.share().listen());
    List<PeerRequestHandler> handlers = new ArrayList<>();
    for (int i = 0; i < exchanges.size(); i++) {
      handlers.add(
          new PeerRequestHandler(
              exchanges.get(i),
              known.directory(),
              loops.get(i).eventLoop(),
              new LoopLoad(started.overload())));
    }
    return NodeListener.bind(
        Listeners.resolve(address),
        started,
        transport,
        handlers,
        counters,
        requestLogs,
        clockMillis,
        known.listenerTls(),
        known::nodeOf);
  }

  /** Where this node listens with any protocol, the admin API's included. */
  private List<InetSocketAddress> boundAddresses() {
    List<InetSocketAddress> bound = new ArrayList<>();
    for (Listening own : listening()) {
      // A Unix-domain socket has a file for a host, and port 0: no address leads to it.
      if (own.port() != 0) {
        bound.add(new InetSocketAddress(InetAddress.ofLiteral(own.host()), own.port()));
      }
    }
    @Nullable AdminServer started = admin;
    InetSocketAddress address = started == null ? null : started.address();
    if (address != null) {
      bound.add(address);
    }
    return bound;
  }

  // --- the start screen -------------------------------------------------------------------------

  /** One screen on what runs where, with what memory. */
  public List<String> banner() {
    return StartupScreen.lines(this, transport, store, memorySum, copies, started);
  }

  @Override
  public Memory memory() {
    return memoryWatch.state();
  }

  /** Address of the admin API, {@code http://host:port} or {@code unix:file}. */
  public String adminUrl() {
    InetSocketAddress address = admin.address();
    return address == null
        ? started.admin().address().host()
        : "http://"
            + StartupScreen.hostPort(address.getAddress().getHostAddress(), address.getPort());
  }

  @Override
  public long privateCopyBytes() {
    return copies.usedBytes();
  }

  @Override
  public RingFiles requestRings() {
    return rings;
  }

  @Override
  public Compressors compressors() {
    return compressors;
  }

  @Override
  public long countedInFlight() {
    return rateBuckets.countedInFlight();
  }

  @Override
  public boolean isPurgeFailing() {
    return purges.failure() != null;
  }

  /** What each loop has; to be touched on that loop only. */
  List<ExchangeContext> loops() {
    return loops;
  }

  /** The event loops, to have something run on each. */
  public List<? extends Executor> executors() {
    return transport.loops().stream().map(Loop::eventLoop).toList();
  }

  /** Whether no response is being fetched into the store at this moment. */
  public boolean isIdle() {
    return fills.size() == 0 && store.stats().unfinishedFills() == 0;
  }

  /** Keys under which fills are in progress at this moment. */
  int fillsInProgress() {
    return fills.size();
  }

  /** Coded copies that are being made at this moment. */
  int copiesInProgress() {
    return codedCopies.active();
  }

  // --- what the admin API asks ------------------------------------------------------------------

  @Override
  public ServerConfig config() {
    return activeConfig.config().config();
  }

  @Override
  public List<NotReady> notReady() {
    List<NotReady> reasons = new ArrayList<>();
    if (isDraining) {
      reasons.add(new NotReady("draining", "the node is shutting down"));
    }
    String purgeFailure = purges.failure();
    if (purgeFailure != null) {
      reasons.add(new NotReady("purge", "the last purge failed; repeat it: " + purgeFailure));
    }
    @Nullable Cluster joined = cluster;
    @Nullable FleetConfig following = fleet;
    Cluster.Problem cutOff = joined == null ? null : joined.problem();
    if (cutOff != null) {
      reasons.add(new NotReady(cutOff.code(), cutOff.detail()));
    } else if (joined != null && (following == null || !following.isAnswering())) {
      reasons.add(
          new NotReady(
              "catching-up", "what other nodes answer to ACME validations is not known yet"));
    }
    if (store.isMemoryLost()) {
      reasons.add(
          new NotReady(
              "memory-tier",
              "the files of the memory tier were truncated: nothing is stored, restart the node"));
    }
    for (OriginReadiness.Problem problem :
        OriginReadiness.problems(activeConfig.origins(), names)) {
      reasons.add(new NotReady("origin", problem.detail()));
    }
    return reasons;
  }

  @Override
  public List<NotReady> warnings() {
    List<NotReady> warnings = new ArrayList<>(NodeControl.super.warnings());
    @Nullable Cluster joined = cluster;
    Cluster.Problem cutOff = joined == null ? null : joined.warning();
    if (cutOff != null) {
      warnings.add(new NotReady(cutOff.code(), cutOff.detail()));
    }
    @Nullable FleetConfig following = fleet;
    String configured = following == null ? null : following.problem();
    if (configured != null) {
      warnings.add(new NotReady("fleet-config", configured));
    }
    return warnings;
  }

  /** For the other nodes of the cluster. */
  private NodeLoad load() {
    return ClusterLoad.of(counters, notReady().stream().map(NotReady::code).toList());
  }

  @Override
  public @Nullable FleetConfig fleet() {
    return fleet;
  }

  @Override
  public @Nullable ClusterFigures clusterFigures() {
    @Nullable Cluster joined = cluster;
    return joined == null ? null : joined.figures();
  }

  @Override
  public @Nullable PeerCounters peerCounters() {
    @Nullable ObjectPeers shared = peers;
    return shared == null ? null : shared.directory().counters();
  }

  @Override
  public @Nullable Cluster cluster() {
    return cluster;
  }

  @Override
  public List<OriginStatus> origins() {
    return OriginStatus.all(activeConfig.origins(), clients, originConnections, names);
  }

  @Override
  public List<LimitStatus> originLimits() {
    return originConnections.limits(activeConfig.origins());
  }

  @Override
  public DrainOutcome drain(DrainOrder order) throws IOException {
    return drains.drain(order);
  }

  @Override
  public DrainOutcome undrain(String server, @Nullable String origin) throws IOException {
    return drains.undrain(server, origin);
  }

  @Override
  public List<ServerProbes> probes() {
    return probes.servers();
  }

  private void applyDrains() {
    for (int i = 0; i < clients.size(); i++) {
      loops.get(i).eventLoop().submit(clients.get(i)::applyDrains).syncUninterruptibly();
    }
  }

  @Override
  public List<LoopCounters> counters() {
    return List.copyOf(counters);
  }

  @Override
  public double[] busyShares() {
    return transport.loops().stream().mapToDouble(Loop::busyShare).toArray();
  }

  @Override
  public StoreStats store() {
    return store.stats();
  }

  @Override
  public AcmeCounters acme() {
    return acme.counters();
  }

  @Override
  public List<CertificateStatus> certificates() {
    @Nullable ClientTls current = tls;
    return current == null ? List.of() : current.statuses();
  }

  @Override
  public List<DiskStats> disks() {
    return store.diskStats();
  }

  @Override
  public List<DriveHealth> drives() {
    @Nullable DriveMonitor monitor = drives;
    return monitor == null ? List.of() : monitor.latest();
  }

  @Override
  public List<StorageClassStats> storageClasses() {
    return store.classStats();
  }

  @Override
  public void disk(String name, DiskAction action) throws IOException {
    switch (action) {
      case OFFLINE -> {
        boolean ignored = store.takeOffline(name);
      }
      case ONLINE -> store.bringOnline(name);
      case REINIT -> store.reinitialise(name);
      case EVACUATE -> store.evacuate(name);
      case CANCEL_EVACUATION -> store.cancelEvacuation(name);
      case REPLACE -> store.replace(ConfiguredDisks.named(name, config(), memoryBytes()));
      case ADD -> store.add(ConfiguredDisks.named(name, config(), memoryBytes()));
      case REMOVE -> store.remove(name);
    }
  }

  @Override
  public StoreInspection inspection() {
    return queries.inspection();
  }

  @Override
  public List<TlsPreview> tlsForecasts(String host) {
    return queries.tlsForecasts(host);
  }

  @Override
  public List<StoreTarget> storeTargets(String url) {
    return queries.storeTargets(url);
  }

  @Override
  public Explanation explain(StoreInspector survey, RequestView request) throws IOException {
    return queries.explain(survey, request);
  }

  @Override
  public @Nullable String purgeProblem(PurgeOrder order) {
    return purges.purgeProblem(order);
  }

  @Override
  public PurgeDone purge(PurgeOrder order) throws PurgeRefusedException {
    return purges.purge(order);
  }

  @Override
  public PurgeDone undo(long id) throws PurgeRefusedException {
    return purges.undo(id);
  }

  @Override
  public List<String> storedElsewhere(String url) {
    return queries.storedElsewhere(url, listening());
  }

  @Override
  public PurgeEstimate dryRun(PurgeOrder order, long mostMillis) throws PurgeRefusedException {
    return purges.dryRun(order, mostMillis);
  }

  @Override
  public @Nullable PurgeStatus purgeStatus(long id) {
    return purges.purgeStatus(id);
  }

  @Override
  public List<PurgeStatus> latestPurges(int most) {
    return purges.latestPurges(most);
  }

  /** Reloads for a signal. */
  public Reload reload() {
    Reload done = reload(ReloadOrder.by("signal"));
    tell("SIGHUP reload", done.errors().isEmpty() ? Result.DONE : Result.REFUSED);
    return done;
  }

  @Override
  public Reload reload(ReloadOrder order) {
    Reload done = reloading.reload(order);
    metrics.refresh();
    return done;
  }

  /** The meters follow what a reload has changed. */
  void refreshMetrics() {
    metrics.refresh();
  }

  @Override
  public List<AcceptedConfig> acceptedConfigs() {
    return configHistory.entries();
  }

  @Override
  public List<ConfigView.Change> configChanges(long from, long to) throws IOException {
    return reloading.changes(from, to);
  }

  /** The node's meters, to bind to a registry besides that of {@code /metrics}. */
  public MeterBinder metrics() {
    return metrics;
  }

  private void tell(String action, Result result) {
    auditLog.record(AuditEvent.of(AuditActor.SIGNAL, action, "", result));
  }

  /** Opens the files of logs anew, after they were rotated. */
  public void reopenLog() {
    @Nullable CompletableFuture<Void> ignored = accessLog.reopen();
    ignored = auditLog.reopen();
    tell("SIGUSR1 reopen", Result.DONE);
  }

  @Override
  public List<Listening> listening() {
    @Nullable Listeners current = listeners;
    return current == null
        ? List.of()
        : current.bound().stream()
            .map(bound ->
                new Listening(
                    bound.name(), bound.scheme(), bound.host(), bound.port(), bound.isDirect()))
            .toList();
  }

  // --- the end ----------------------------------------------------------------------------------

  /**
   * Before the drain: the node is no longer ready, so that load balancers stop sending to it, and
   * goes on accepting and serving. The caller decides when {@link #drain} follows: {@code
   * timeouts.lame-duck} says after how long.
   */
  public void beginLameDuck() {
    isDraining = true;
  }

  /**
   * Stops taking work, lets what runs end within the bound, and closes everything.
   *
   * @return whether every connection ended by itself
   */
  public boolean drain(Duration bound) {
    isDraining = true;
    tell("SIGTERM drain", Result.DONE);
    boolean isClean = false;
    try {
      @Nullable NodeListener ofNodes = nodeListener;
      CompletableFuture<Void> sent =
          ofNodes == null ? CompletableFuture.completedFuture(null) : ofNodes.drain();
      long deadline = System.nanoTime() + bound.toNanos();
      isClean = listeners.drain(bound);
      sent.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      isClean = false;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    close();
    return isClean;
  }

  /** Whether the listening sockets can be handed over to another process. */
  public boolean canBeReplaced() {
    return transport.name().equals("epoll");
  }

  /** What another process needs to take over; this node goes on as it is. */
  public Inheritance inheritance() {
    return new Inheritance(
        listeners.open(), tls.ticketKeys(), tls.ticketKeysMadeAtMillis(), listeners.tokenKey());
  }

  /**
   * Stops in favour of another process: as {@link #drain}, but the listening sockets stay open and
   * nobody is refused, and the node is ready until the end.
   *
   * @param ending how long connections that are open have to end while others are accepted
   * @param grace how long a new connection may then wait for its first request
   * @param bound how long requests in progress have from then on; meanwhile nothing is accepted
   */
  public Released release(Duration ending, Duration grace, Duration bound)
      throws InterruptedException {
    Inheritance left = inheritance();
    auditLog.record(AuditEvent.of(AuditActor.SIGNAL, "hand-over", "", Result.DONE));
    listeners.endConnections(ending);
    long from = System.nanoTime();
    int cut = listeners.detach(grace, bound);
    long detached = System.nanoTime();
    close();
    return new Released(
        left,
        cut,
        from,
        TimeUnit.NANOSECONDS.toMillis(detached - from),
        TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - detached));
  }

  /** Before the loops end: idle connections are closed in order, waiting calls are told. */
  private void closeOriginClients() {
    for (int i = 0; i < clients.size(); i++) {
      loops.get(i).eventLoop().submit(clients.get(i)::close).awaitUninterruptibly();
    }
    for (int i = 0; i < peerClients.size(); i++) {
      loops.get(i).eventLoop().submit(peerClients.get(i)::close).awaitUninterruptibly();
    }
  }

  /** Closes everything at once; the store is left clean. */
  @Override
  public void close() {
    while (!opened.isEmpty()) {
      AutoCloseable resource = opened.pop();
      try {
        resource.close();
      } catch (Exception e) {
        LOG.warn("closing {}: {}", resource.getClass().getSimpleName(), String.valueOf(e));
      }
    }
  }
}
