package io.forebay.server.explain;

import io.forebay.core.http.RequestView;
import io.forebay.core.key.KeyBuilder;
import io.forebay.core.key.KeyRecipe;
import io.forebay.core.key.NoVarySearch;
import io.forebay.core.policy.StoredMeta;
import io.forebay.server.exchange.LookupSteps;
import io.forebay.server.explain.Explanation.StoreKey;
import io.forebay.server.fill.VariantList;
import io.forebay.server.fill.history.FillKey;
import io.forebay.storage.inspect.Head;
import io.forebay.storage.inspect.InspectedObject;
import io.forebay.storage.inspect.StoreInspector;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Looks up stored responses through the store's inspection, without side effects: nothing stays
 * pinned, is promoted, loaded from a disk or counted as requested. An object on a disk counts as
 * found, since a request would load it.
 *
 * <p>One thread, one search.
 */
final class InspectionLookup extends LookupSteps<RequestView, IOException> {
  private static final StoreKey NO_KEY = new StoreKey("", 0, 0);

  private final StoreInspector survey;
  private final KeyBuilder keys;
  private final KeyRecipe recipe;

  private StoreKey base = NO_KEY;
  private StoreKey key = NO_KEY;
  private @Nullable String searchRule;
  private @Nullable InspectedObject marker;
  private List<String> selectingFields = List.of();
  private VariantList list = VariantList.EMPTY;
  private @Nullable InspectedObject object;
  private @Nullable InspectedObject purged;

  // What was looked at last.
  private final StoredMeta meta = new StoredMeta();
  private MemorySegment head = MemorySegment.NULL;

  InspectionLookup(StoreInspector survey, KeyBuilder keys, KeyRecipe recipe) {
    this.survey = survey;
    this.keys = keys;
    this.recipe = recipe;
  }

  /** What was found, where no key was too long. */
  Explanation.Sought result() throws IOException {
    List<InspectedObject> variants = new ArrayList<>();
    for (FillKey listed : list.keys()) {
      survey
          .find(listed.hi(), listed.lo())
          .filter(one -> !one.isPurged() && !one.isMarker())
          .ifPresent(variants::add);
    }
    return new Explanation.Sought(
        searchRule, base, key, marker, selectingFields, variants, object, purged);
  }

  // --- what the steps ask -----------------------------------------------------------------------

  @Override
  public RequestView request(RequestView request) {
    return request;
  }

  @Override
  public KeyRecipe recipe(RequestView request) {
    return recipe;
  }

  @Override
  public KeyBuilder keys(RequestView request) {
    return keys;
  }

  @Override
  public void onBase(RequestView request, @Nullable NoVarySearch rule) {
    searchRule = rule == null ? null : rule.text();
    marker = null;
    selectingFields = List.of();
    list = VariantList.EMPTY;
    base = built();
    key = base;
  }

  @Override
  public void onVariant(RequestView request) {
    key = built();
  }

  private StoreKey built() {
    return new StoreKey(keys.toString(), keys.hi(), keys.lo());
  }

  /** What a lookup would find there: not what a purge has killed. */
  @Override
  public Found look(RequestView request) throws IOException {
    object = null;
    InspectedObject found = survey.find(keys.hi(), keys.lo()).orElse(null);
    if (found == null || !found.head().key().equals(keys.toString())) {
      return Found.NOTHING;
    }
    if (found.isPurged()) {
      purged = found;
      return Found.NOTHING;
    }
    head = MemorySegment.ofArray(found.head().head());
    if (!meta.wrap(head, 0)) {
      return Found.NOTHING;
    }
    if (meta.isVaryMarker()) {
      marker = found;
      selectingFields = meta.selectingFields();
      list = VariantList.read(head, meta.length(), headLength(request) - meta.length());
    } else {
      object = found;
    }
    return Found.OBJECT;
  }

  @Override
  public StoredMeta meta(RequestView request) {
    return meta;
  }

  @Override
  public MemorySegment memory(RequestView request) {
    return head;
  }

  @Override
  public long headOffset(RequestView request) {
    return 0;
  }

  @Override
  public int headLength(RequestView request) {
    return (int) head.byteSize();
  }

  @Override
  public void release(RequestView request) {
    // A survey holds nothing.
  }

  @Override
  public Found moveToFront(RequestView request, List<String> names, long baseHi, long baseLo) {
    return Found.OBJECT;
  }

  static @Nullable StoredMeta meta(Head head) {
    StoredMeta meta = new StoredMeta();
    return meta.wrap(MemorySegment.ofArray(head.head()), 0) ? meta : null;
  }
}
