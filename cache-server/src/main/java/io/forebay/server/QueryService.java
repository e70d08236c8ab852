package io.forebay.server;

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
import io.forebay.server.node.StoreTarget;
import io.forebay.server.tls.ClientTls;
import io.forebay.server.tls.TlsPreview;
import io.forebay.storage.ObjectStore;
import io.forebay.storage.inspect.StoreInspection;
import io.forebay.storage.inspect.StoreInspector;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/** Questions about what is stored and what would become of a request. Any thread. */
final class QueryService implements NodeQueries {
  private final ObjectStore store;
  private final ActiveConfig activeConfig;
  private final FillTable fills;
  private final FillHistory history;
  private final ClientTls tls;
  private final long longestSliceFill;
  private final LongSupplier clockMillis;

  QueryService(
      ObjectStore store,
      ActiveConfig activeConfig,
      FillTable fills,
      FillHistory history,
      ClientTls tls,
      long longestSliceFill,
      LongSupplier clockMillis) {
    this.store = store;
    this.activeConfig = activeConfig;
    this.fills = fills;
    this.history = history;
    this.tls = tls;
    this.longestSliceFill = longestSliceFill;
    this.clockMillis = clockMillis;
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
    return RequestExplainer.of(activeConfig.config(), stage, survey, request);
  }
}
