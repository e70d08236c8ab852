package io.forebay.server.exchange;

import io.forebay.core.http.RequestView;
import io.forebay.core.http.TargetUri;
import io.forebay.core.key.KeyBuilder;
import io.forebay.core.key.KeyRecipe;
import io.forebay.core.key.NoVarySearch;
import io.forebay.core.policy.StoredMeta;
import io.forebay.server.exchange.Explanation.StoreKey;
import io.forebay.server.fill.FillKey;
import io.forebay.server.fill.SearchRule;
import io.forebay.server.fill.VariantList;
import io.forebay.storage.inspect.Head;
import io.forebay.storage.inspect.Stored;
import io.forebay.storage.inspect.Survey;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Takes the steps of {@link Lookup} by a survey, which leaves no trace: nothing is pinned beyond
 * the answer, promoted, brought in from a disk or counted as asked for. What lies on a disk is
 * found, since a request would have it loaded.
 *
 * <p>One thread, one search.
 */
final class StoredSearch {
  private final Survey survey;
  private final KeyBuilder keys;
  private final RequestView request;
  private final KeyRecipe recipe;

  private @Nullable StoreKey base;
  private @Nullable StoreKey key;
  private @Nullable String searchRule;
  private @Nullable Stored marker;
  private List<String> selectingFields = List.of();
  private VariantList list = VariantList.EMPTY;
  private @Nullable Stored object;
  private @Nullable Stored purged;

  StoredSearch(Survey survey, KeyBuilder keys, RequestView request, KeyRecipe recipe) {
    this.survey = survey;
    this.keys = keys;
    this.request = request;
    this.recipe = recipe;
  }

  /** What was found; null where a key was too long. */
  Explanation.@Nullable Sought result() throws IOException {
    StoreKey found = key;
    StoreKey under = base;
    if (found == null || under == null) {
      return null;
    }
    List<Stored> variants = new ArrayList<>();
    for (FillKey listed : list.keys()) {
      survey
          .find(listed.hi(), listed.lo())
          .filter(one -> !one.isPurged() && !one.isMarker())
          .ifPresent(variants::add);
    }
    return new Explanation.Sought(
        searchRule, under, found, marker, selectingFields, variants, object, purged);
  }

  Lookup.Found find() throws IOException {
    return recipe.hasSearchRules() ? findByRule() : findUnder(null);
  }

  private Lookup.Found findByRule() throws IOException {
    if (!keys.build(request, recipe, null)
        || !keys.buildSearchRule(TargetUri.of(request), recipe)) {
      return Lookup.Found.KEY_TOO_LONG;
    }
    Stored stands = at(built());
    StoredMeta meta = stands == null ? null : meta(stands.head());
    NoVarySearch rule = meta == null ? null : SearchRule.of(meta);
    if (rule == null) {
      return findUnder(null);
    }
    Lookup.Found found = findUnder(rule);
    if (!isMiss(found)) {
      return found;
    }
    Lookup.Found exact = findUnder(null);
    return isMiss(exact) ? findUnder(rule) : exact;
  }

  private static boolean isMiss(Lookup.Found found) {
    return found == Lookup.Found.NOTHING || found == Lookup.Found.OTHER_VARIANTS;
  }

  private Lookup.Found findUnder(@Nullable NoVarySearch rule) throws IOException {
    marker = null;
    object = null;
    list = VariantList.EMPTY;
    selectingFields = List.of();
    searchRule = rule == null ? null : rule.text();
    if (!keys.build(request, recipe, rule)) {
      key = null;
      return Lookup.Found.KEY_TOO_LONG;
    }
    StoreKey under = built();
    base = under;
    key = under;
    Stored found = at(under);
    StoredMeta meta = found == null ? null : meta(found.head());
    if (found == null || meta == null) {
      return Lookup.Found.NOTHING;
    }
    if (!meta.isVaryMarker()) {
      object = found;
      return Lookup.Found.OBJECT;
    }
    marker = found;
    selectingFields = meta.selectingFields();
    byte[] bytes = found.head().head();
    list =
        VariantList.read(MemorySegment.ofArray(bytes), meta.length(), bytes.length - meta.length());
    return findVariant();
  }

  private Lookup.Found findVariant() throws IOException {
    if (!keys.variant(request, selectingFields)) {
      key = null;
      return Lookup.Found.KEY_TOO_LONG;
    }
    StoreKey selected = built();
    key = selected;
    Stored variant = response(selected);
    Stored unvaried = null;
    StoreKey beside = null;
    if (list.hasUnvaried() && keys.unvaried()) {
      beside = built();
      unvaried = response(beside);
    }
    if (beside != null && unvaried != null && dateMillis(unvaried) >= dateMillis(variant)) {
      key = beside;
      object = unvaried;
    } else {
      object = variant;
    }
    return object == null ? Lookup.Found.OTHER_VARIANTS : Lookup.Found.OBJECT;
  }

  private static long dateMillis(@Nullable Stored one) {
    StoredMeta meta = one == null ? null : meta(one.head());
    return meta == null ? Long.MIN_VALUE : meta.dateMillis();
  }

  private @Nullable Stored response(StoreKey at) throws IOException {
    Stored found = at(at);
    return found == null || meta(found.head()) == null ? null : found;
  }

  private StoreKey built() {
    return new StoreKey(keys.toString(), keys.hi(), keys.lo());
  }

  /** What a lookup would find there: not what a purge has killed. */
  private @Nullable Stored at(StoreKey wanted) throws IOException {
    Stored found = survey.find(wanted.hi(), wanted.lo()).orElse(null);
    if (found == null || !found.head().key().equals(wanted.text())) {
      return null;
    }
    if (found.isPurged()) {
      purged = found;
      return null;
    }
    return found;
  }

  static @Nullable StoredMeta meta(Head head) {
    StoredMeta meta = new StoredMeta();
    return meta.wrap(MemorySegment.ofArray(head.head()), 0) ? meta : null;
  }
}
