package io.forebay.server;

import io.forebay.core.http.AuthorityNormalizer;
import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.RequestView;
import io.forebay.core.http.SyntheticRequest;
import io.forebay.core.http.TargetUri;
import io.forebay.core.key.KeyBuilder;
import io.forebay.core.key.KeyRecipe;
import io.forebay.core.key.PurgeUrl;
import io.forebay.core.key.Scopes;
import io.forebay.core.route.Route;
import io.forebay.server.explain.Explanation;
import io.forebay.server.explain.RequestExplainer;
import io.forebay.server.fill.FillTable;
import io.forebay.server.fill.history.FillHistory;
import io.forebay.server.fill.history.FillKey;
import io.forebay.server.node.NodeQueries;
import io.forebay.server.node.NodeStatus;
import io.forebay.server.node.StoreTarget;
import io.forebay.server.peer.PeerDirectory;
import io.forebay.server.peer.PeerPlan;
import io.forebay.server.peer.PeerRouter;
import io.forebay.server.tls.ClientTls;
import io.forebay.server.tls.TlsPreview;
import io.forebay.storage.ObjectStore;
import io.forebay.storage.inspect.StoreInspection;
import io.forebay.storage.inspect.StoreInspector;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Answers queries about stored objects and explains requests. Any thread. */
final class QueryService implements NodeQueries {
  /** Ports under which sites are published besides those that this node listens on. */
  private static final List<Integer> COMMON_PORTS = List.of(8000, 8080, 8443);

  private static final Duration LOOK_BUDGET = Duration.ofSeconds(2);

  private final ObjectStore store;
  private final ActiveConfig activeConfig;
  private final FillTable fills;
  private final FillHistory history;
  private final ClientTls tls;
  private final long longestSliceFill;
  private final LongSupplier clockMillis;
  private final @Nullable PeerDirectory peers;

  /** {@code peers} is null where the node shares no objects. */
  QueryService(
      ObjectStore store,
      ActiveConfig activeConfig,
      FillTable fills,
      FillHistory history,
      ClientTls tls,
      long longestSliceFill,
      LongSupplier clockMillis,
      @Nullable PeerDirectory peers) {
    this.store = store;
    this.activeConfig = activeConfig;
    this.fills = fills;
    this.history = history;
    this.tls = tls;
    this.longestSliceFill = longestSliceFill;
    this.clockMillis = clockMillis;
    this.peers = peers;
  }

  @Override
  public StoreInspection inspection() {
    return store.inspection();
  }

  @Override
  public List<TlsPreview> tlsForecasts(String host) {
    return tls.forecasts(host);
  }

  @Override
  public List<StoreTarget> storeTargets(String url) {
    PurgeUrl parsed = PurgeUrl.parse(url);
    if (parsed == null) {
      throw new IllegalArgumentException("not a URL that can be requested here: " + url);
    }
    // Both are confined to a thread.
    KeyBuilder keys = new KeyBuilder(store.secret());
    Scopes scopes = new Scopes(store.secret());
    List<StoreTarget> targets = new ArrayList<>();
    for (TargetUri uri : parsed.targets()) {
      Route route = activeConfig.config().routes().match(uri.authority(), uri.path());
      KeyRecipe recipe = route == null ? KeyRecipe.DEFAULT : route.keyRecipe();
      if (!keys.build(uri, recipe)) {
        throw new IllegalArgumentException(
            "the key of this URL is too long: requests for it are passed through");
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
                      SyntheticRequest.of("GET", uri, HeaderFields.of()),
                      clockMillis.getAsLong()),
              store.inspection().wasDroppedLately(keys.lo())));
    }
    return targets;
  }

  /**
   * The URLs of the same host, path and query, of either scheme and on the ports that come into
   * question, under which something is stored that no purge has removed.
   */
  List<String> storedElsewhere(String url, List<NodeStatus.Listening> listening) {
    PurgeUrl parsed = PurgeUrl.parse(url);
    if (parsed == null) {
      return List.of();
    }
    TargetUri named = parsed.targets().getFirst();
    String host = AuthorityNormalizer.host(named.authority());
    Set<Integer> ports = new TreeSet<>(COMMON_PORTS);
    listening.stream().map(NodeStatus.Listening::port).filter(port -> port > 0).forEach(ports::add);
    Set<String> authorities = new LinkedHashSet<>(List.of(named.authority(), host));
    ports.forEach(port -> authorities.add(host + ":" + port));
    String target = named.path() + (named.query() == null ? "" : "?" + named.query());
    List<StoreTarget> targets = new ArrayList<>();
    for (String scheme : List.of("http", "https")) {
      for (String authority : authorities) {
        targets.addAll(storeTargets(scheme + "://" + authority + target));
      }
    }
    try {
      return store
          .inspection()
          .ask(
              LOOK_BUDGET,
              survey -> {
                Set<String> found = new LinkedHashSet<>();
                for (StoreTarget one : targets) {
                  if (survey
                      .find(one.hi(), one.lo())
                      .filter(object -> !object.isPurged())
                      .isPresent()) {
                    found.add(one.uri().toString());
                  }
                }
                return List.copyOf(found);
              });
    } catch (IOException e) {
      // Only a hint: the store is busy, or a disk cannot be read.
      return List.of();
    }
  }

  @Override
  public Explanation explain(StoreInspector survey, RequestView request) throws IOException {
    RequestExplainer.Stage stage =
        new RequestExplainer.Stage(
            new KeyBuilder(store.secret()),
            fills,
            history,
            store.sliceBytes(),
            longestSliceFill,
            clockMillis.getAsLong());
    Explanation told = RequestExplainer.of(activeConfig.config(), stage, survey, request);
    Explanation.ToOrigin asked = told.origin();
    return asked == null
        ? told
        : told.withNotes(activeConfig.origins().notes(asked.origin())).withNotes(nodesAsked(told));
  }

  /** Which other nodes would be asked before the origin. */
  private List<String> nodesAsked(Explanation told) {
    Route route = told.route();
    if (peers == null
        || route == null
        || told.answer().action() == Explanation.Action.PASS
        || !route.sharing().withPeers()) {
      return List.of();
    }
    PeerPlan plan =
        new PeerRouter(peers, (target, asked) -> {}).plan(told.request(), route.keyRecipe(), false);
    return plan == null
        ? List.of("no other node of the cluster is asked: the key is this node's, or none can be")
        : List.of(
            "other nodes of the cluster are asked before the origin: "
                + String.join(", then ", plan.nodes()));
  }
}
