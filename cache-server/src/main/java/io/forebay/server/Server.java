package io.forebay.server;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.PlainRequest;
import io.forebay.core.http.RequestView;
import io.forebay.core.http.TargetUri;
import io.forebay.core.key.KeyBuilder;
import io.forebay.core.key.KeyRecipe;
import io.forebay.core.key.PurgeUrl;
import io.forebay.core.key.Scopes;
import io.forebay.core.policy.StoredMeta;
import io.forebay.core.route.Route;
import io.forebay.server.accesslog.AccessLog;
import io.forebay.server.admin.AdminServer;
import io.forebay.server.config.ConfigOutcome;
import io.forebay.server.config.ConfigProblem;
import io.forebay.server.config.ConfigView;
import io.forebay.server.config.ServerConfig;
import io.forebay.server.config.ServerConfig.ListenerConfig;
import io.forebay.server.config.ServerConfig.OriginConfig;
import io.forebay.server.counters.LoopCounters;
import io.forebay.server.deliver.CopyQuota;
import io.forebay.server.deliver.Leases;
import io.forebay.server.exchange.ExchangeContext;
import io.forebay.server.exchange.ExchangeFactory;
import io.forebay.server.exchange.FailureLog;
import io.forebay.server.explain.Explanation;
import io.forebay.server.explain.RequestExplainer;
import io.forebay.server.fairness.ClientLimiter;
import io.forebay.server.fill.FillContext;
import io.forebay.server.fill.FillTable;
import io.forebay.server.fill.SliceFill;
import io.forebay.server.fill.history.FillHistory;
import io.forebay.server.fill.history.FillKey;
import io.forebay.server.listen.Listeners;
import io.forebay.server.loop.ListenException;
import io.forebay.server.loop.Loop;
import io.forebay.server.loop.LoopLoad;
import io.forebay.server.loop.RequestIds;
import io.forebay.server.loop.Transport;
import io.forebay.server.metric.NodeMetrics;
import io.forebay.server.node.NodeControl;
import io.forebay.server.node.StoreTarget;
import io.forebay.server.origin.OriginConnections;
import io.forebay.server.origin.OriginReadiness;
import io.forebay.server.origin.Origins;
import io.forebay.server.origin.OwnListeners;
import io.forebay.server.origin.PooledOriginClient;
import io.forebay.server.origin.ResponseLimits;
import io.forebay.server.origin.dns.CachingNameResolver;
import io.forebay.server.purge.PurgePredicate;
import io.forebay.server.purge.PurgeScopes;
import io.forebay.server.runtime.RuntimeConfig;
import io.forebay.server.tls.CertificateStatus;
import io.forebay.server.tls.ClientTls;
import io.forebay.server.tls.TlsException;
import io.forebay.server.tls.TlsPreview;
import io.forebay.server.tls.TlsReload;
import io.forebay.server.tunnel.TunnelLimiter;
import io.forebay.storage.ObjectStore;
import io.forebay.storage.StoreException;
import io.forebay.storage.StoreSettings;
import io.forebay.storage.StoreStats;
import io.forebay.storage.disk.DeviceSettings;
import io.forebay.storage.disk.DiskSettings;
import io.forebay.storage.disk.DiskStats;
import io.forebay.storage.disk.DiskTier;
import io.forebay.storage.evict.Tuning;
import io.forebay.storage.inspect.StoreInspection;
import io.forebay.storage.inspect.StoreInspector;
import io.forebay.storage.memory.MachineMemory;
import io.forebay.storage.purge.Purge;
import io.forebay.storage.purge.PurgeEstimate;
import io.forebay.storage.purge.PurgeFailedException;
import io.forebay.storage.purge.PurgeReceipt;
import io.forebay.storage.purge.PurgeStatus;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running node: opens what it needs in order, joins it, and closes it in the opposite order.
 * Either everything is up when {@link #start} returns or nothing of it is left.
 */
public final class Server implements NodeControl, AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Server.class);

  /** How often chunks that sockets do not take are looked at. */
  private static final long LEASE_TICK_MILLIS = 250;

  private static final int HISTORY_ENTRIES = 1 << 16;

  private final Supplier<ConfigOutcome> source;

  /** Wall clock: what ages and expires does so by it. Timeouts do not. */
  private final LongSupplier clockMillis;

  /** What is at work of the keys that wait for the next start. */
  private final ServerConfig started;

  private final AtomicLong reloads = new AtomicLong();
  private final PurgeHealth purgeHealth = new PurgeHealth();

  /** For messages; the store writes it. */
  private final Path journalFile;

  /** What was opened, last first. */
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();

  private final CopyQuota copies;
  private final FillTable fills;
  private final TunnelLimiter tunnels = new TunnelLimiter();
  private final ClientLimiter places = new ClientLimiter();
  private final FillHistory history = FillHistory.ofKeys(HISTORY_ENTRIES);
  private final ObjectStore store;
  private final MemoryPlan.Sum memorySum;
  private final MemoryWatch memoryWatch;
  private final Transport transport;
  private final CachingNameResolver names;
  private final AccessLog accessLog;
  private final ClientTls tls;
  private final Listeners listeners;
  private final NodeMetrics metrics;
  private final AdminServer admin;
  private final OwnListeners ownListeners =
      new OwnListeners(
          this::boundAddresses,
          OwnListeners::ofMachine,
          task -> Thread.ofVirtual().name("own-addresses").start(task),
          System::nanoTime);
  private final List<LoopCounters> counters = new ArrayList<>();
  private final List<ExchangeContext> loops = new ArrayList<>();
  private final List<PooledOriginClient> clients = new ArrayList<>();

  /**
   * The origins of the configuration in force and those of the one before: what began with that one
   * may still send to them.
   */
  private Origins reachable;

  private volatile RuntimeConfig snapshot;
  private volatile Origins origins;
  private volatile boolean isDraining;

  /**
   * Starts a node.
   *
   * @param source gives the configuration, now and at each reload
   * @param version of Forebay, for metrics and the admin API
   * @throws StartException when it cannot start; nothing is left running then
   */
  public static Server start(Supplier<ConfigOutcome> source, String version) throws StartException {
    return start(source, version, System::currentTimeMillis);
  }

  /** The same by another wall clock, which any thread asks. */
  static Server start(Supplier<ConfigOutcome> source, String version, LongSupplier clockMillis)
      throws StartException {
    return switch (source.get()) {
      case ConfigOutcome.Refused refused ->
          throw new StartException(
              StartException.BAD_CONFIGURATION,
              refused.problems().stream().map(ConfigProblem::toString).toList());
      case ConfigOutcome.Loaded loaded -> {
        loaded.warnings().forEach(LOG::warn);
        yield new Server(source, loaded.config(), version, clockMillis);
      }
    };
  }

  private Server(
      Supplier<ConfigOutcome> source, ServerConfig config, String version, LongSupplier clockMillis)
      throws StartException {
    this.source = source;
    this.clockMillis = clockMillis;
    this.started = config;
    this.journalFile = config.store().data().resolve("purge.journal");
    try {
      snapshot = RuntimeConfig.of(config);
      // What cannot be used is found before anything is allocated; the threads start unpinned.
      tls = opened(ClientTls.open(config, clockMillis));
      // Before the store: a memory tier is not allocated for a node that cannot listen.
      Path adminSocket = config.admin().address().unixFile();
      Listeners.check(
          config, adminSocket == null ? Map.of("admin", config.admin().address()) : Map.of());
      if (adminSocket != null) {
        AdminServer.check(adminSocket);
      }
      copies = new CopyQuota(config.limits().privateCopyBytes());
      fills = new FillTable(config.limits().fills(), config.limits().refusedLoads());
      names = opened(CachingNameResolver.system());
      origins = Origins.load(config.origins(), Origins.NONE, ownListeners);
      reachable = origins;
      names.watch(origins.hostNames());
      // Before the loops: what these start must not inherit a loop's CPU.
      accessLog = opened(AccessLog.open(config.accessLog(), loopCount(config)));
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
                  storeSettings(config, tierBytes, clockMillis)
                      .withIndexEntries(plan.index(tierBytes).entries())));
      memorySum = plan.sum(store.memoryParts());
      if (!memorySum.fits()) {
        LOG.warn(memorySum.warning());
      }
      memoryWatch = opened(new MemoryWatch(machine::read, memorySum).start());
      transport = opened(Transport.open(config.threads()));
      List<ExchangeFactory> exchanges = new ArrayList<>();
      OriginConnections connections = new OriginConnections();
      for (Loop loop : transport.loops()) {
        ExchangeContext context = context(loop, connections);
        loops.add(context);
        exchanges.add(new ExchangeFactory(context, () -> snapshot));
      }
      opened.push(this::closeOriginClients);
      listeners =
          opened(
              Listeners.bind(config, transport, exchanges, counters, accessLog, clockMillis, tls));
      metrics = opened(new NodeMetrics(this, accessLog, version));
      admin = opened(AdminServer.start(this, metrics, accessLog, version));
      for (ExchangeContext loop : loops) {
        loop.eventLoop()
            .scheduleAtFixedRate(
                loop.leases()::onTick, LEASE_TICK_MILLIS, LEASE_TICK_MILLIS, TimeUnit.MILLISECONDS);
      }
      listeners.accept();
    } catch (StartException e) {
      undo();
      throw e;
    } catch (TlsException e) {
      undo();
      throw new StartException(StartException.BAD_CONFIGURATION, e.lines());
    } catch (StoreException | ListenException e) {
      undo();
      throw new StartException(StartException.NO_RESOURCE, List.of(e.getMessage()));
    } catch (BindException e) {
      undo();
      throw new StartException(StartException.NO_RESOURCE, List.of(String.valueOf(e.getMessage())));
    } catch (IOException | IllegalArgumentException e) {
      undo();
      throw new StartException(
          StartException.BAD_CONFIGURATION, List.of(String.valueOf(e.getMessage())));
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

  private static int loopCount(ServerConfig config) {
    return config.threads().loops() > 0
        ? config.threads().loops()
        : Runtime.getRuntime().availableProcessors();
  }

  private static StoreSettings storeSettings(
      ServerConfig config, long tierBytes, LongSupplier clockMillis) {
    return StoreSettings.of(config.store().data(), tierBytes, loopCount(config), clockMillis)
        .withMemoryDirectory(config.store().memoryDirectory())
        .withScrub(config.store().scrubRate())
        .withDisks(disks(config))
        .withPredicates(PurgePredicate::parse)
        .withEviction(tuning(config.store().protectedShare(), config.store().touchThreshold()));
  }

  private static DiskSettings disks(ServerConfig config) {
    List<DeviceSettings> devices = new ArrayList<>();
    for (ServerConfig.DiskConfig disk : config.stores()) {
      devices.add(
          DeviceSettings.of(disk.name(), disk.path(), disk.bytes())
              .withReaders(disk.readers())
              .withFaults(disk.maxErrors(), disk.slow().toMillis())
              .withScrub(config.store().scrubRate()));
    }
    ServerConfig.StoreConfig store = config.store();
    return DiskSettings.of(devices)
        .with(
            store.diskAdmission().equals("always")
                ? DiskSettings.Admission.ALWAYS
                : DiskSettings.Admission.SECOND_HIT,
            store.diskBytesPerDay())
        .withKeepMillis(store.diskKeep().toMillis())
        .withOpener(
            store.diskIo().equals("direct") ? DiskTier.Opener.direct() : DiskTier.Opener.files())
        .withStopMillis(store.diskStopLimit().toMillis());
  }

  private static Tuning tuning(String share, String threshold) {
    return new Tuning(
        share.equals("auto") ? Tuning.AUTO.protectedShare() : Double.parseDouble(share),
        threshold.equals("auto") ? Tuning.AUTO.touchThreshold() : Integer.parseInt(threshold));
  }

  private ExchangeContext context(Loop loop, OriginConnections connections) {
    LoopCounters loopCounters = new LoopCounters();
    counters.add(loopCounters);
    PooledOriginClient client =
        new PooledOriginClient(
            loop.eventLoop(),
            transport.socketChannel(),
            Transport.ALLOCATOR,
            origins,
            ResponseLimits.of(snapshot.config().limits()),
            connections,
            names,
            loopCounters);
    clients.add(client);
    var lane = store.lane(loop.index());
    long memoryBytes = (long) store.regionCount() * store.regionBytes();
    var filling =
        new FillContext(
            loop.index(),
            loop.eventLoop(),
            lane,
            new KeyBuilder(store.secret()),
            new Scopes(store.secret()),
            client,
            loopCounters,
            store,
            fills,
            history,
            transport.loops().size(),
            new StoredMeta(),
            memoryBytes / 16,
            clockMillis);
    return new ExchangeContext(
        filling,
        new Leases(
            store,
            lane,
            Transport.ALLOCATOR,
            copies,
            loopCounters,
            transport.writesFromAddresses()),
        new LoopLoad(snapshot.config().overload()),
        accessLog.forLoop(loop.index()),
        tunnels,
        places,
        new byte[RuntimeConfig.MAX_CACHE_STATUS_LENGTH],
        new RequestIds(clockMillis.getAsLong(), loop.index()),
        new FailureLog(clockMillis),
        new SplittableRandom()::nextDouble);
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
    return StartupScreen.lines(this, transport, store, memorySum, copies, snapshot.config());
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
  public boolean isPurgeFailing() {
    return purgeHealth.failure() != null;
  }

  /** What each loop has; to be touched on that loop only. */
  List<ExchangeContext> loops() {
    return loops;
  }

  /** Keys under which fills are in progress at this moment. */
  int fillsInProgress() {
    return fills.size();
  }

  // --- what the admin API asks ------------------------------------------------------------------

  @Override
  public ServerConfig config() {
    return snapshot.config();
  }

  @Override
  public List<NotReady> notReady() {
    List<NotReady> reasons = new ArrayList<>();
    if (isDraining) {
      reasons.add(new NotReady("draining", "the node is shutting down"));
    }
    String purgeFailure = purgeHealth.failure();
    if (purgeFailure != null) {
      reasons.add(new NotReady("purge", "the last purge failed, repeat it: " + purgeFailure));
    }
    if (store.isMemoryLost()) {
      reasons.add(
          new NotReady(
              "memory-tier",
              "the files of the memory tier were cut: nothing is stored, start the node again"));
    }
    for (OriginReadiness.Problem problem : OriginReadiness.problems(origins, names)) {
      reasons.add(new NotReady("origin", problem.detail()));
    }
    return reasons;
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
  public List<CertificateStatus> certificates() {
    @Nullable ClientTls current = tls;
    return current == null ? List.of() : current.statuses();
  }

  @Override
  public List<TlsPreview> tlsForecasts(String host) {
    @Nullable ClientTls current = tls;
    return current == null ? List.of() : current.forecasts(host);
  }

  @Override
  public List<DiskStats> disks() {
    return store.diskStats();
  }

  @Override
  public void disk(String name, DiskAction action) throws IOException {
    switch (action) {
      case OFFLINE -> {
        boolean ignored = store.takeOffline(name);
      }
      case ONLINE -> store.bringOnline(name);
      case REINIT -> store.reinitialise(name);
    }
  }

  @Override
  public StoreInspection inspection() {
    return store.inspection();
  }

  @Override
  public List<StoreTarget> storeTargets(String url) {
    PurgeUrl parsed = PurgeUrl.parse(url);
    if (parsed == null) {
      throw new IllegalArgumentException("not a URL that could be requested here: " + url);
    }
    // Both are confined to a thread.
    KeyBuilder keys = new KeyBuilder(store.secret());
    Scopes scopes = new Scopes(store.secret());
    List<StoreTarget> targets = new ArrayList<>();
    for (TargetUri uri : parsed.targets()) {
      Route route = snapshot.routes().match(uri.authority(), uri.path());
      KeyRecipe recipe = route == null ? KeyRecipe.DEFAULT : route.keyRecipe();
      if (!keys.build(uri, recipe)) {
        throw new IllegalArgumentException("the key of this URL would be too long: it is passed");
      }
      targets.add(
          new StoreTarget(
              uri,
              route,
              keys.toString(),
              keys.hi(),
              keys.lo(),
              scopes.exact(uri, recipe),
              history
                  .hitForMiss()
                  .isKnown(
                      new FillKey(keys.hi(), keys.lo()),
                      PlainRequest.of("GET", uri, HeaderFields.of()),
                      clockMillis.getAsLong()),
              store.inspection().wasDroppedLately(keys.lo())));
    }
    return targets;
  }

  @Override
  public Explanation explain(StoreInspector survey, RequestView request) throws IOException {
    RequestExplainer.Stage stage =
        new RequestExplainer.Stage(
            new KeyBuilder(store.secret()),
            fills,
            history,
            store.sliceBytes(),
            SliceFill.longestBytes(loops.getFirst().filling()),
            clockMillis.getAsLong());
    return RequestExplainer.of(snapshot, stage, survey, request);
  }

  @Override
  public @Nullable String purgeProblem(PurgeOrder order) {
    try {
      purgeOf(order);
      return null;
    } catch (IllegalArgumentException e) {
      return e.getMessage();
    }
  }

  private Purge purgeOf(PurgeOrder order) {
    // Scopes are confined to a thread: purges come from many.
    PurgeScopes scopes = new PurgeScopes(snapshot.routes(), new Scopes(store.secret()));
    return switch (order.kind()) {
      case EVERYTHING -> Purge.everything(order.isSoft(), order.text());
      case URL -> purge(Purge.Kind.EXACT, scopes.url(order.text()), order);
      case HOST -> purge(Purge.Kind.HOST, scopes.host(order.text()), order);
      case PREFIX -> purge(Purge.Kind.PREFIX, scopes.prefix(order.text()), order);
      case TAG -> purge(Purge.Kind.TAG, scopes.tag(order.text()), order);
      case PATTERN -> {
        String host = PurgePredicate.parse(order.text()).host();
        yield purge(Purge.Kind.PREDICATE, host == null ? new long[0] : scopes.host(host), order);
      }
    };
  }

  @Override
  public PurgeDone purge(PurgeOrder order) throws PurgeRefusedException {
    Purge purge = understood(order);
    try {
      PurgeReceipt receipt = store.purge(purge);
      purgeHealth.worked();
      return new PurgeDone(
          receipt.id(), receipt.sequence(), receipt.matched(), receipt.tookNanos());
    } catch (PurgeFailedException e) {
      if (e.isForNow()) {
        throw new PurgeRefusedException(String.valueOf(e.getMessage()), Refusal.FOR_NOW);
      }
      String why = e.getMessage() + " (" + journalFile + ")";
      purgeHealth.failed(why);
      throw new PurgeRefusedException(why, Refusal.JOURNAL);
    }
  }

  private Purge understood(PurgeOrder order) throws PurgeRefusedException {
    try {
      return purgeOf(order);
    } catch (IllegalArgumentException e) {
      throw new PurgeRefusedException(String.valueOf(e.getMessage()), Refusal.ORDER);
    }
  }

  @Override
  public PurgeEstimate dryRun(PurgeOrder order, long mostMillis) throws PurgeRefusedException {
    PurgeEstimate estimate = store.estimate(understood(order), mostMillis);
    if (estimate == null) {
      throw new PurgeRefusedException("another dry run is counting: wait for it", Refusal.FOR_NOW);
    }
    return estimate;
  }

  @Override
  public @Nullable PurgeStatus purgeStatus(long id) {
    return store.purgeStatus(id);
  }

  @Override
  public List<PurgeStatus> latestPurges(int most) {
    return store.latestPurges(most);
  }

  private static Purge purge(Purge.Kind kind, long[] scopes, PurgeOrder order) {
    return new Purge(kind, scopes, order.isSoft(), order.text());
  }

  @Override
  public synchronized Reload reload() {
    long id = reloads.incrementAndGet();
    return switch (source.get()) {
      case ConfigOutcome.Refused refused ->
          new Reload(
              id,
              List.of(),
              List.of(),
              refused.problems().stream().map(ConfigProblem::toString).toList());
      case ConfigOutcome.Loaded loaded -> apply(id, loaded.config());
    };
  }

  private Reload apply(long id, ServerConfig next) {
    ConfigView.Difference difference = ConfigView.diff(snapshot.config(), next);
    try {
      // Everything that can fail comes before anything is changed.
      RuntimeConfig compiled = RuntimeConfig.of(next);
      TlsReload certificates = tls.stage(next.tls(), listenersAsBound(next));
      Origins loaded = Origins.load(withThoseBefore(next.origins()), reachable, ownListeners);
      origins = Origins.load(next.origins(), loaded, ownListeners);
      reachable = loaded;
      names.watch(loaded.hostNames());
      ResponseLimits bounds = ResponseLimits.of(next.limits());
      for (int i = 0; i < loops.size(); i++) {
        PooledOriginClient client = clients.get(i);
        loops
            .get(i)
            .eventLoop()
            .submit(() -> client.reconfigure(loaded, bounds))
            .syncUninterruptibly();
      }
      copies.limitBytes(next.limits().privateCopyBytes());
      fills.limit(next.limits().fills(), next.limits().refusedLoads());
      listeners.reconfigure(next);
      tls.commit(certificates, next.tls());
      snapshot = compiled;
      return new Reload(
          id,
          changed(difference.changed(), certificates),
          ConfigView.diff(started, next).needsRestart(),
          List.of());
    } catch (TlsException e) {
      return new Reload(id, List.of(), List.of(), e.lines());
    } catch (IOException | IllegalArgumentException e) {
      return new Reload(id, List.of(), List.of(), List.of(String.valueOf(e.getMessage())));
    }
  }

  /** Keys, and the certificates that have other files under the same names. */
  private static List<String> changed(List<String> keys, TlsReload certificates) {
    List<String> changed = new ArrayList<>(keys);
    for (String entry : certificates.changed()) {
      if (keys.stream().noneMatch(key -> key.equals(entry) || key.startsWith(entry + "."))) {
        changed.add(entry);
      }
    }
    return List.copyOf(changed);
  }

  /** Listeners come, go and change between plain text and TLS at the next start only. */
  private List<ListenerConfig> listenersAsBound(ServerConfig next) {
    List<ListenerConfig> bound = new ArrayList<>();
    for (ListenerConfig listener : started.listeners()) {
      bound.add(
          next.listeners().stream()
              .filter(other ->
                  other.name().equals(listener.name()) && other.isTls() == listener.isTls())
              .findFirst()
              .orElse(listener));
    }
    return bound;
  }

  private List<OriginConfig> withThoseBefore(List<OriginConfig> next) {
    List<OriginConfig> all = new ArrayList<>(next);
    for (OriginConfig before : snapshot.config().origins()) {
      if (next.stream().noneMatch(origin -> origin.name().equals(before.name()))) {
        all.add(before);
      }
    }
    return all;
  }

  /** Opens the access log's file anew, after it was rotated. */
  public void reopenLog() {
    accessLog.reopen();
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
   * Stops taking work, lets what runs end within the bound, and closes everything.
   *
   * @return whether every connection ended by itself
   */
  public boolean drain(Duration bound) {
    isDraining = true;
    boolean isClean = false;
    try {
      isClean = listeners.drain(bound);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    close();
    return isClean;
  }

  /** Before the loops end: idle connections are closed in order, waiting calls are told. */
  private void closeOriginClients() {
    for (int i = 0; i < clients.size(); i++) {
      loops.get(i).eventLoop().submit(clients.get(i)::close).awaitUninterruptibly();
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
