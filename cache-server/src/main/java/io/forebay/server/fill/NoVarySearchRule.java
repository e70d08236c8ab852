package io.forebay.server.fill;

import io.forebay.core.http.RequestView;
import io.forebay.core.http.TargetUri;
import io.forebay.core.key.KeyRecipe;
import io.forebay.core.key.NoVarySearch;
import io.forebay.core.key.ResponseTags;
import io.forebay.core.policy.StoredMeta;
import io.forebay.core.route.Route;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.object.HeadSpec;
import io.forebay.storage.object.StoredHead;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The record at a path whose responses have No-Vary-Search: the rule of the latest response, in the
 * place of a vary marker's names. One rule per path, so a path takes at most one record; responses
 * stored under another rule are no longer found and are evicted in time.
 */
public final class NoVarySearchRule {
  private static final ResponseTags NO_TAGS = new ResponseTags(List.of(), false);

  private NoVarySearchRule() {}

  /** Of the head that the lane has just found; gives its pin back. Null if it is no rule. */
  private static @Nullable NoVarySearch ofFound(FillContext loop) {
    StoredHead head = loop.lane().head();
    StoredMeta meta = loop.meta();
    NoVarySearch rule = null;
    if (meta.wrap(loop.store().region(head.region()), head.headOffset())) {
      rule = of(meta);
    }
    loop.lane().unpin(head.region());
    return rule;
  }

  /** What a stored meta says; null if it is no rule. */
  public static @Nullable NoVarySearch of(StoredMeta meta) {
    List<String> text = meta.isVaryMarker() ? meta.selectingFields() : List.of();
    return text.size() == 1 ? NoVarySearch.parse(text.getFirst()) : null;
  }

  /** Sees to it that the rule stands at the request's path. */
  static void write(
      FillContext loop, RequestView request, Route route, NoVarySearch rule, long expiresAtMillis) {
    KeyRecipe recipe = route.keyRecipe();
    var keys = loop.keys();
    if (!keys.buildSearchRule(TargetUri.of(request), recipe)) {
      return;
    }
    boolean isThere =
        loop.lane().find(keys.hi(), keys.lo(), keys.text(), keys.textLength())
            == StoreLane.Found.HIT;
    NoVarySearch before = isThere ? ofFound(loop) : null;
    long birth = loop.store().nextBirth();
    if (birth < 0 || (before != null && before.text().equals(rule.text()))) {
      return;
    }
    long[] scopes = loop.scopes().ofResponse(request, recipe, NO_TAGS);
    // If there is no room for it, the next response tries again.
    var ignored =
        loop.lane()
            .putMarker(
                new HeadSpec(
                        keys.hi(),
                        keys.lo(),
                        Arrays.copyOf(keys.text(), keys.textLength()),
                        keys.textLength(),
                        StoredMeta.encodeVaryMarker(List.of(rule.text()), loop.nowMillis()),
                        loop.scopes().withSearch(scopes, request, recipe),
                        birth,
                        expiresAtMillis,
                        HeadSpec.Kind.VARY_MARKER,
                        0)
                    .inClass(loop.storageClass(route)));
  }
}
