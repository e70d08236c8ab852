package io.forebay.server.fill;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.RequestView;
import io.forebay.core.key.KeyRecipe;
import io.forebay.core.key.KeyText;
import io.forebay.core.key.NoVarySearch;
import io.forebay.core.key.ResponseTags;
import io.forebay.core.policy.Freshening;
import io.forebay.core.policy.ResponsePolicy;
import io.forebay.core.policy.Revalidation;
import io.forebay.core.policy.StoreVerdict;
import io.forebay.core.policy.StoredHeader;
import io.forebay.core.policy.StoredMeta;
import io.forebay.core.route.Route;
import io.forebay.server.media.ManifestLifetime;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.object.HeadSpec;
import io.forebay.storage.object.InstallOutcome;
import io.forebay.storage.object.StoredHead;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Updates a stored object from a 304, or from the 200 to a HEAD (RFC 9111 §4.3.4, §4.3.5): a new
 * head, the same body.
 */
public final class Refresh {
  private Refresh() {}

  /**
   * Writes the new head.
   *
   * @param onLoaded told when a head that has left memory since is back from its disk, or can't be
   *     had; null if it has been waited for already
   * @return INSTALLED when the object is fresh again, BUSY to be called again, null to be called
   *     again when {@code onLoaded} is, anything else when there is nothing (any more) that this
   *     304 could confirm
   */
  static @Nullable InstallOutcome apply(
      FillContext loop,
      FillRequest order,
      FillRequest.StoredRef stale,
      HeaderFields notModified,
      long requestTimeMillis,
      long birth,
      @Nullable Runnable onLoaded) {
    StoreLane lane = loop.lane();
    switch (lane.find(stale.hi(), stale.lo(), stale.keyText(), stale.keyText().length)) {
      case BUSY -> {
        return InstallOutcome.BUSY;
      }
      case ON_DISK -> {
        return onLoaded != null && lane.load(onLoaded) ? null : InstallOutcome.GONE;
      }
      case MISS -> {
        return InstallOutcome.GONE;
      }
      case HIT -> {}
    }
    StoredHead head = lane.head();
    int region = head.region();
    try {
      StoredMeta meta = loop.meta();
      MemorySegment bytes = loop.store().region(region);
      if (head.objectId() != stale.objectId()
          || !meta.wrap(bytes, head.headOffset())
          || !Revalidation.matches(meta, notModified)) {
        return InstallOutcome.GONE;
      }
      return install(
          loop,
          order.request(),
          order.route(),
          stale,
          meta,
          Freshening.update(storedFields(bytes, head, meta), notModified, loop.nowMillis()),
          head.totalLength(),
          requestTimeMillis,
          birth);
    } finally {
      lane.unpin(region);
    }
  }

  /** All fields that the origin had sent, those among them that no client gets too. */
  static HeaderFields storedFields(MemorySegment bytes, StoredHead head, StoredMeta meta) {
    HeaderFields.Builder fields = HeaderFields.builder();
    StoredHeader.decode(bytes, head.headOffset() + meta.length(), head.headLength() - meta.length())
        .forEach(fields::add);
    meta.consumedFields().forEach(fields::add);
    return fields.build();
  }

  /**
   * Writes a new head for what has just been found, as a HEAD's response describes it.
   *
   * @param head pinned; it stays so
   * @param get the request that a GET for the same would have been
   */
  public static InstallOutcome applyHead(
      FillContext loop,
      RequestView get,
      Route route,
      FillRequest.StoredRef found,
      StoredHead head,
      StoredMeta meta,
      HeaderFields headResponse,
      long requestTimeMillis,
      long birth) {
    HeaderFields stored = storedFields(loop.store().bytes(head), head, meta);
    return install(
        loop,
        get,
        route,
        found,
        meta,
        Freshening.update(stored, headResponse, loop.nowMillis()),
        head.totalLength(),
        requestTimeMillis,
        birth);
  }

  private static InstallOutcome install(
      FillContext loop,
      RequestView request,
      Route route,
      FillRequest.StoredRef stale,
      StoredMeta meta,
      HeaderFields fields,
      long totalLength,
      long requestTimeMillis,
      long birth) {
    long now = loop.nowMillis();
    int status = meta.status();
    NoVarySearch rule = StorableHead.searchRuleOf(route, fields);
    RequestView confirming = RevalidatedRequest.of(request, meta);
    Route timed = timed(route, request, meta, fields);
    if (!(ResponsePolicy.judge(
                confirming, timed, status, fields, requestTimeMillis, now, stale.lo() ^ birth)
            instanceof StoreVerdict.Store verdict)
        || !isUnderItsKey(loop, request, route, stale, rule, verdict.selectingFields())) {
      // What the origin says now forbids keeping it, or keeping it for all who have its key.
      loop.lane().invalidate(stale.hi(), stale.lo());
      return InstallOutcome.GONE;
    }
    byte[] block = StoredHeader.encode(status, fields, verdict.omittedFields(), now);
    if (block == null) {
      return InstallOutcome.GONE;
    }
    byte[] marked = loop.marked(verdict.meta(), route, status, fields, totalLength);
    HeadSpec spec =
        new HeadSpec(
                stale.hi(),
                stale.lo(),
                stale.keyText(),
                stale.keyText().length,
                HeadBytes.join(marked, block),
                scopes(loop, request, route, rule, fields),
                birth,
                now + verdict.freshnessLifetimeMillis(),
                HeadSpec.Kind.OBJECT,
                totalLength)
            .inClass(loop.storageClass(route));
    return loop.lane().refresh(spec, stale.objectId());
  }

  /** A manifest that is confirmed is the one that said for how long it is fresh. */
  static Route timed(Route route, RequestView request, StoredMeta meta, HeaderFields fields) {
    return route.settings().media().timesManifests()
            && ManifestLifetime.isManifest(request.pathText(), fields.first("content-type"))
        ? HeldManifest.timed(route, Duration.ofMillis(meta.freshnessLifetimeMillis()))
        : route;
  }

  /** All that a purge can name a response to a fill's request by. */
  static long[] scopes(
      FillContext loop,
      RequestView request,
      Route route,
      @Nullable NoVarySearch rule,
      HeaderFields fields) {
    KeyRecipe recipe = route.keyRecipe();
    long[] scopes = loop.scopes().ofResponse(request, recipe, ResponseTags.of(fields));
    return rule == null ? scopes : loop.scopes().withSearch(scopes, request, recipe);
  }

  /** Whether the object's key tells apart all requests that its response varies by now. */
  private static boolean isUnderItsKey(
      FillContext loop,
      RequestView request,
      Route route,
      FillRequest.StoredRef stale,
      @Nullable NoVarySearch rule,
      List<String> selectingFields) {
    var keys = loop.keys();
    if (!keys.build(request, route.keyRecipe(), rule)) {
      return false;
    }
    String text = new String(stale.keyText(), StandardCharsets.ISO_8859_1);
    boolean isOfBase =
        text.startsWith(keys.toString())
            && (text.length() == keys.baseLength() || text.charAt(keys.baseLength()) == ' ');
    if (!isOfBase) {
      return false;
    }
    return KeyText.selectingFields(text, keys.baseLength()).containsAll(selectingFields);
  }
}
