package io.forebay.server;

import io.forebay.server.config.ConfigOutcome;
import io.forebay.server.config.ConfigProblem;
import io.forebay.server.config.ConfigSource;
import io.forebay.server.config.ConfigText;
import io.forebay.server.config.ConfigView;
import io.forebay.server.config.ReadFiles;
import io.forebay.server.config.ServerConfig;
import io.forebay.server.config.ServerConfig.ListenerConfig;
import io.forebay.server.config.ServerConfig.OriginConfig;
import io.forebay.server.config.history.ConfigHistory;
import io.forebay.server.counters.CounterNames;
import io.forebay.server.deliver.CopyQuota;
import io.forebay.server.exchange.ExchangeContext;
import io.forebay.server.fill.FillTable;
import io.forebay.server.listen.Listeners;
import io.forebay.server.node.NodeControl.Reload;
import io.forebay.server.node.NodeControl.ReloadOrder;
import io.forebay.server.origin.OriginConnections;
import io.forebay.server.origin.OriginProbes;
import io.forebay.server.origin.PooledOriginClient;
import io.forebay.server.origin.ResponseLimits;
import io.forebay.server.origin.dns.CachingNameResolver;
import io.forebay.server.origin.group.Origins;
import io.forebay.server.origin.group.OwnListenAddresses;
import io.forebay.server.protect.Verifiers;
import io.forebay.server.purge.KnownRecipes;
import io.forebay.server.runtime.RuntimeConfig;
import io.forebay.server.text.Printable;
import io.forebay.server.tls.ClientTls;
import io.forebay.server.tls.TlsException;
import io.forebay.server.tls.TlsReload;
import io.forebay.server.tls.acme.CertificateManager;
import io.forebay.storage.ObjectStore;
import io.forebay.storage.placement.StorageClass;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reloads the configuration. Every step that can fail runs before anything changes, so a refused
 * reload leaves the node unchanged.
 */
final class ReloadService {
  /** Keys of a route that choose its requests, or make their cache key. */
  private static final Pattern OF_CACHE_KEYS =
      Pattern.compile(
          "routes\\.[^.]+(\\.((match|key)\\..+|media))?|splits\\..+"
              + "|protection\\.[^.]+\\.(jwt\\.claims-to-headers|forward-auth\\.response-headers)");

  private static final Logger LOG = LoggerFactory.getLogger(ReloadService.class);

  private final ConfigSource source;
  private final ConfigHistory history;
  private final InstantSource clock;

  /** What is in force of the keys that wait for the next start. */
  private final ServerConfig started;

  private final AtomicLong reloads = new AtomicLong();
  private final ActiveConfig activeConfig;
  private final ObjectStore store;
  private final KnownRecipes recipes;
  private final ClientTls tls;
  private final CertificateManager acme;
  private final OwnListenAddresses ownListeners;
  private final CachingNameResolver names;
  private final CopyQuota copies;
  private final FillTable fills;
  private final Listeners listeners;
  private final List<ExchangeContext> loops;
  private final List<PooledOriginClient> clients;
  private final OriginProbes probes;
  private final OriginConnections originConnections;
  private final Verifiers verifiers;
  private final CounterNames counterNames;

  /**
   * The origins of the configuration in force and those of the one before: what began with that one
   * may still send to them.
   */
  private Origins reachable;

  /** What the files had that the configuration in force names. */
  private ReadFiles files = ReadFiles.NONE;

  /** The fleet's document in force, and the sections that it has keys of. */
  private ConfigText.@Nullable Fleet fleet;

  private Set<String> fleetSections = Set.of();

  /**
   * Takes the parts that a reload changes.
   *
   * @param clients one for each loop, in the order of {@code loops}
   */
  ReloadService(
      ConfigSource source,
      ConfigHistory history,
      InstantSource clock,
      ServerConfig started,
      ActiveConfig activeConfig,
      ObjectStore store,
      KnownRecipes recipes,
      ClientTls tls,
      CertificateManager acme,
      OwnListenAddresses ownListeners,
      CachingNameResolver names,
      CopyQuota copies,
      FillTable fills,
      Listeners listeners,
      List<ExchangeContext> loops,
      List<PooledOriginClient> clients,
      OriginProbes probes,
      OriginConnections originConnections,
      Verifiers verifiers,
      CounterNames counterNames) {
    this.originConnections = originConnections;
    this.verifiers = verifiers;
    this.source = source;
    this.history = history;
    this.clock = clock;
    this.started = started;
    this.activeConfig = activeConfig;
    this.store = store;
    this.recipes = recipes;
    this.tls = tls;
    this.acme = acme;
    this.ownListeners = ownListeners;
    this.names = names;
    this.copies = copies;
    this.fills = fills;
    this.listeners = listeners;
    this.loops = loops;
    this.clients = clients;
    this.probes = probes;
    this.counterNames = counterNames;
    this.reachable = activeConfig.origins();
  }

  /** See {@link io.forebay.server.node.NodeControl#reload}. */
  synchronized Reload reload(ReloadOrder order) {
    long id = order.isDryRun() ? 0 : reloads.incrementAndGet();
    ConfigText.Fleet joined = fleet;
    try {
      if (order.number() == 0) {
        return run(id, order, source.load(joined), true);
      }
      if (joined != null) {
        return Reload.refused(
            id,
            List.of(
                "version "
                    + joined.version()
                    + " of the fleet's document is in force: go back with forebay cluster config"
                    + " rollback"));
      }
      ConfigText text = history.text(order.number());
      return text.fleet() == null
          ? run(id, order, source.load(text), false)
          : Reload.refused(
              id,
              List.of(
                  "configuration "
                      + order.number()
                      + " had the fleet's document: go back with forebay cluster config rollback"));
    } catch (IOException | NoSuchElementException e) {
      return Reload.refused(id, List.of(String.valueOf(e.getMessage())));
    }
  }

  /**
   * Puts a document of the fleet in force in place of the one that was, with the node's own file as
   * it is now.
   *
   * @param next null for none
   */
  synchronized Reload join(ConfigText.@Nullable Fleet next, String author, boolean isDryRun) {
    ReloadOrder order = new ReloadOrder(author, isDryRun, 0);
    return run(isDryRun ? 0 : reloads.incrementAndGet(), order, source.load(next), false);
  }

  private Reload run(long id, ReloadOrder order, ConfigOutcome read, boolean isLocal) {
    return switch (read) {
      case ConfigOutcome.Refused refused -> Reload.refused(id, lines(refused));
      case ConfigOutcome.Loaded loaded -> {
        String fleets = isLocal ? changedOfFleet(loaded) : null;
        Reload outcome =
            fleets != null
                ? Reload.refused(id, List.of(fleets))
                : order.isDryRun() ? rehearse(loaded) : apply(id, loaded);
        if (order.isDryRun() || !outcome.errors().isEmpty()) {
          loaded.config().plugins().set().close();
        }
        if (!order.isDryRun() && outcome.errors().isEmpty()) {
          remember(loaded, order.author());
        }
        yield outcome;
      }
    };
  }

  /** A key of the node's own file that is the fleet's to change; null for none. */
  private @Nullable String changedOfFleet(ConfigOutcome.Loaded read) {
    ConfigText.Fleet joined = fleet;
    if (joined == null) {
      return null;
    }
    ConfigView.Difference difference =
        ConfigView.diff(activeConfig.config().config(), read.config());
    List<String> keys =
        difference.changed().stream()
            .filter(key -> !difference.needsRestart().contains(key))
            .filter(key -> fleetSections.contains(sectionOf(key)))
            .toList();
    return keys.isEmpty()
        ? null
        : String.join(", ", keys.subList(0, Math.min(5, keys.size())))
            + (keys.size() > 5 ? " and others" : "")
            + ": version "
            + joined.version()
            + " of the fleet's document is in force: change it there, with forebay cluster config"
            + " push";
  }

  private static String sectionOf(String key) {
    int dot = key.indexOf('.');
    String section = dot < 0 ? key : key.substring(0, dot);
    return section.equals("origin") ? "origins" : section;
  }

  private static Set<String> sections(ConfigOutcome.Loaded accepted) {
    ConfigText.Fleet joined = accepted.text().fleet();
    Set<String> sections = new HashSet<>();
    if (joined != null) {
      String directory =
          String.valueOf(Path.of(joined.file()).toAbsolutePath().normalize().getParent());
      accepted
          .sources()
          .forEach((key, place) -> {
            if (place.startsWith(directory)) {
              sections.add(sectionOf(key));
            }
          });
    }
    return sections;
  }

  /** What differs between the configurations with two documents of the fleet; null for none. */
  synchronized List<ConfigView.Change> changesTo(
      ConfigText.@Nullable Fleet before, ConfigText.@Nullable Fleet after) {
    ServerConfig left = accepted(before);
    ServerConfig right = accepted(after);
    List<ConfigView.Change> changes = ConfigView.diff(left, right).changes();
    left.plugins().set().close();
    right.plugins().set().close();
    return changes;
  }

  private ServerConfig accepted(ConfigText.@Nullable Fleet document) {
    return switch (source.load(document)) {
      case ConfigOutcome.Loaded loaded -> loaded.config();
      case ConfigOutcome.Refused refused ->
          throw new IllegalStateException(
              (document == null ? "the node's file" : "version " + document.version())
                  + " is not valid here: "
                  + String.join("; ", lines(refused)));
    };
  }

  /** A configuration is in force, even if the history cannot be written. */
  synchronized void remember(ConfigOutcome.Loaded accepted, String author) {
    files = accepted.files();
    fleet = accepted.text().fleet();
    fleetSections = sections(accepted);
    try {
      Path file = accepted.file();
      history.add(file == null ? "" : file.toString(), accepted.text(), author, clock.instant());
    } catch (IOException e) {
      LOG.warn("the configuration is in force, but not in the history: {}", Printable.line(e));
    }
  }

  /** See {@link io.forebay.server.node.NodeControl#configChanges}. */
  List<ConfigView.Change> changes(long from, long to) throws IOException {
    ServerConfig before = accepted(from);
    ServerConfig after = accepted(to);
    List<ConfigView.Change> changes = ConfigView.diff(before, after).changes();
    before.plugins().set().close();
    after.plugins().set().close();
    return changes;
  }

  private ServerConfig accepted(long number) throws IOException {
    return switch (source.load(history.text(number))) {
      case ConfigOutcome.Loaded loaded -> loaded.config();
      case ConfigOutcome.Refused refused ->
          throw new IllegalStateException(
              "configuration "
                  + number
                  + " is not valid any more: "
                  + String.join("; ", lines(refused)));
    };
  }

  private static List<String> lines(ConfigOutcome.Refused refused) {
    return refused.problems().stream().map(ConfigProblem::toString).toList();
  }

  /** Does what may fail of a reload, except what concerns files of the store, and nothing else. */
  private Reload rehearse(ConfigOutcome.Loaded read) {
    ServerConfig next = read.config();
    ConfigView.Difference difference = ConfigView.diff(activeConfig.config().config(), next);
    try {
      RuntimeConfig.of(next);
      TlsReload certificates = tls.stage(next.tls(), listenersAsBound(next));
      ConfiguredStorageClasses.of(next, started.cluster());
      Origins.load(withPreviousOrigins(next.origins()), reachable, ownListeners);
      return outcome(0, difference, certificates, read.files().changedSince(files), next);
    } catch (TlsException e) {
      return Reload.refused(0, e.lines());
    } catch (IOException | IllegalArgumentException e) {
      return Reload.refused(0, List.of(String.valueOf(e.getMessage())));
    }
  }

  private Reload outcome(
      long id,
      ConfigView.Difference difference,
      TlsReload certificates,
      List<String> changedFiles,
      ServerConfig next) {
    return new Reload(
        id,
        changed(difference.changed(), certificates, changedFiles),
        difference.changed().stream().filter(key -> OF_CACHE_KEYS.matcher(key).matches()).toList(),
        ConfigView.diff(started, next).needsRestart(),
        List.of());
  }

  private Reload apply(long id, ConfigOutcome.Loaded read) {
    ServerConfig next = read.config();
    ConfigView.Difference difference = ConfigView.diff(activeConfig.config().config(), next);
    List<String> changedFiles = read.files().changedSince(files);
    try {
      // Everything that can fail comes before anything is changed.
      RuntimeConfig compiled = RuntimeConfig.of(next, counterNames.routes());
      TlsReload certificates = tls.stage(next.tls(), listenersAsBound(next));
      List<StorageClass> classes = ConfiguredStorageClasses.of(next, started.cluster());
      store.prepare(classes);
      Origins loaded = Origins.load(withPreviousOrigins(next.origins()), reachable, ownListeners);
      recipes.announce(compiled.routes());
      activeConfig.origins(Origins.load(next.origins(), loaded, ownListeners));
      reachable = loaded;
      names.watch(loaded.hostNames());
      originConnections.prepare(loaded);
      probes.configure(activeConfig.origins());
      ResponseLimits bounds = ResponseLimits.of(next.limits(), next.http2());
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
      fills.recovery().limit(next.limits().recoveryFetches());
      listeners.reconfigure(next);
      tls.commit(certificates, next.tls());
      acme.reconfigure(next.tls().acme());
      store.configure(classes);
      verifiers.prepare(next.protections());
      if (compiled.compresses()) {
        loops.getFirst().compressors().prepare();
      }
      if (compiled.hashesBodies()) {
        loops.getFirst().filling().digesting().prepare();
      }
      activeConfig.config(compiled);
      return outcome(id, difference, certificates, changedFiles, next);
    } catch (TlsException e) {
      return Reload.refused(id, e.lines());
    } catch (IOException | IllegalArgumentException e) {
      return Reload.refused(id, List.of(String.valueOf(e.getMessage())));
    }
  }

  /** Keys, and those that name files which have other content under the same names. */
  private static List<String> changed(
      List<String> keys, TlsReload certificates, List<String> files) {
    List<String> changed = new ArrayList<>(keys);
    for (String entry : Stream.concat(certificates.changed().stream(), files.stream()).toList()) {
      if (keys.stream()
          .noneMatch(key ->
              key.equals(entry) || key.startsWith(entry + ".") || entry.startsWith(key + "."))) {
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

  private List<OriginConfig> withPreviousOrigins(List<OriginConfig> next) {
    List<OriginConfig> all = new ArrayList<>(next);
    for (OriginConfig before : activeConfig.config().config().origins()) {
      if (next.stream().noneMatch(origin -> origin.name().equals(before.name()))) {
        all.add(before);
      }
    }
    return all;
  }
}
