package io.forebay.server.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.RequestView;
import io.forebay.core.http.SyntheticRequest;
import io.forebay.core.http.TargetUri;
import io.forebay.core.key.KeyBuilder;
import io.forebay.core.key.KeyRecipe;
import io.forebay.core.key.ResponseTags;
import io.forebay.core.key.Scopes;
import io.forebay.core.policy.ResponsePolicy;
import io.forebay.core.policy.StoreVerdict;
import io.forebay.core.policy.StoredHeader;
import io.forebay.core.route.Route;
import io.forebay.server.config.ServerConfig;
import io.forebay.server.explain.Explanation;
import io.forebay.server.explain.RequestExplainer;
import io.forebay.server.fill.FillTable;
import io.forebay.server.fill.history.FillHistory;
import io.forebay.server.node.StoreTarget;
import io.forebay.server.runtime.RuntimeConfig;
import io.forebay.storage.ObjectStore;
import io.forebay.storage.StoreException;
import io.forebay.storage.StoreSettings;
import io.forebay.storage.inspect.StoreInspection;
import io.forebay.storage.inspect.StoreInspector;
import io.forebay.storage.object.HeadSpec;
import io.forebay.storage.object.InstallOutcome;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** A store with objects under a node's keys, without a node. */
final class SmallStore implements AutoCloseable {
  private static final Route ROUTE = Route.toOrigin("main");

  private final ObjectStore store;

  SmallStore(Path directory) throws StoreException {
    store =
        ObjectStore.open(
            StoreSettings.of(directory.resolve("data"), 1 << 20, 1, System::currentTimeMillis)
                .withMemoryDirectory(directory.resolve("memory"))
                .withLockMemory(false));
  }

  /** Stores a body that is fresh for an hour. */
  SmallStore has(String url, String body) {
    SyntheticRequest request = SyntheticRequest.of("GET", url);
    HeaderFields fields = HeaderFields.of("cache-control", "max-age=3600", "etag", "\"1\"");
    long now = System.currentTimeMillis();
    StoreVerdict.Store verdict =
        assertInstanceOf(
            StoreVerdict.Store.class, ResponsePolicy.judge(request, ROUTE, 200, fields, now, now));
    byte[] block = StoredHeader.encode(200, fields, List.of(), now);
    assertNotNull(block);
    byte[] meta = verdict.meta();
    byte[] head = Arrays.copyOf(meta, meta.length + block.length);
    System.arraycopy(block, 0, head, meta.length, block.length);
    KeyBuilder keys = new KeyBuilder(store.secret());
    assertTrue(keys.build(request, KeyRecipe.DEFAULT));
    HeadSpec spec =
        new HeadSpec(
            keys.hi(),
            keys.lo(),
            Arrays.copyOf(keys.text(), keys.textLength()),
            keys.textLength(),
            head,
            new Scopes(store.secret())
                .ofResponse(request, KeyRecipe.DEFAULT, ResponseTags.of(fields)),
            store.nextBirth(),
            now + verdict.freshnessLifetimeMillis(),
            HeadSpec.Kind.OBJECT,
            body.length());
    assertEquals(
        InstallOutcome.INSTALLED,
        store.lane(0).putSmall(spec, ByteBuffer.wrap(body.getBytes(StandardCharsets.UTF_8))));
    return this;
  }

  StoreInspection inspection() {
    return store.inspection();
  }

  List<StoreTarget> targets(String url) {
    TargetUri uri = SyntheticRequest.of("GET", url).target();
    KeyBuilder keys = new KeyBuilder(store.secret());
    assertTrue(keys.build(uri, KeyRecipe.DEFAULT));
    return List.of(
        new StoreTarget(
            uri,
            ROUTE,
            keys.toString(),
            keys.hi(),
            keys.lo(),
            new Scopes(store.secret()).exact(uri, KeyRecipe.DEFAULT),
            false,
            false));
  }

  /** By these rules; nothing is fetched, and nothing is known not to be storable. */
  Explanation explain(ServerConfig config, StoreInspector survey, RequestView request)
      throws IOException {
    return RequestExplainer.of(
        RuntimeConfig.of(config),
        new RequestExplainer.Stage(
            new KeyBuilder(store.secret()),
            new FillTable(8, 8),
            FillHistory.ofKeys(8),
            store.sliceBytes(),
            store.sliceBytes(),
            System.currentTimeMillis()),
        survey,
        request);
  }

  @Override
  public void close() {
    store.close();
  }
}
