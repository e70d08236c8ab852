package io.forebay.server.fill;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.key.NoVarySearch;
import io.forebay.core.policy.BodyRemainder;
import io.forebay.core.policy.Reason;
import io.forebay.core.policy.StoredHeader;
import io.forebay.core.policy.StoredMeta;
import io.forebay.core.route.Route;
import io.forebay.server.digest.DigestAlgorithm;
import io.forebay.server.digest.DigestLine;
import io.forebay.server.fill.history.FillKey;
import io.forebay.storage.object.HeadSpec;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The head of a response as it will be stored, and its key. */
sealed interface StorableHead {

  List<String> BY_ENCODING = List.of("accept-encoding");

  /** It can't be stored after all. */
  record Refused(Reason reason) implements StorableHead {}

  /**
   * What goes into the store.
   *
   * @param head as followers see it
   * @param marker what stands at its base key, or null
   * @param addedDigests what its last line is reserved for; nothing where it has no such line
   */
  record Made(
      FillHead head, HeadSpec spec, @Nullable VaryMarker marker, List<DigestAlgorithm> addedDigests)
      implements StorableHead {

    /** How what is missing of its body could be fetched; null if that can't be. */
    @Nullable BodyRemainder rest(FillContext loop, FillRequest order) {
      StoredMeta stored = loop.meta();
      return order.request().contentDigest() == null
              && stored.wrap(MemorySegment.ofArray(head.meta()), 0)
          ? BodyRemainder.of(stored, head.totalLength())
          : null;
    }

    /**
     * Writes the markers that lead other requests to this object or its variants. Called before the
     * head is published, so that a follower of another variant finds them. Expects the loop's key
     * builder as {@link StorableHead#of} has left it.
     */
    void writeMarkers(FillContext loop, FillRequest order, long birth) {
      long expires = spec.expiresAtMillis();
      if (!head.selectingFields().isEmpty()) {
        VaryMarker.enter(
            loop, place(loop, order), head.selectingFields(), head.variantKey(), birth, expires);
      } else if (marker != null) {
        VaryMarker.enterUnvaried(loop, place(loop, order), marker.names(), birth, expires);
      }
      NoVarySearch rule = head.searchRule();
      if (rule != null) {
        NoVarySearchRule.write(loop, order.request(), order.route(), rule, expires);
      }
    }

    private VaryMarker.Place place(FillContext loop, FillRequest order) {
      return VaryMarker.Place.of(loop, head.baseKey(), order.request(), order.route());
    }
  }

  /** What a response says of queries, where the route listens to that. */
  static @Nullable NoVarySearch searchRuleOf(Route route, HeaderFields fields) {
    return route.keyRecipe().hasSearchRules() ? NoVarySearch.of(fields) : null;
  }

  /** Builds the base key of a response in the loop's key builder; false when it is too long. */
  static boolean buildBase(FillContext loop, FillRequest order, HeaderFields fields) {
    return loop.keys()
        .build(order.request(), order.route().keyRecipe(), searchRuleOf(order.route(), fields));
  }

  /** Whether the names that variants of a response are told apart by are on a disk. */
  static boolean isMarkerOnDisk(FillContext loop, FillRequest order, ReceivedHead received) {
    return !received.verdict().selectingFields().isEmpty()
        && buildBase(loop, order, received.fields())
        && VaryMarker.isOnDisk(loop);
  }

  /** The same without such a line. */
  static StorableHead of(FillContext loop, FillRequest order, ReceivedHead received, long birth) {
    return of(loop, order, received, birth, List.of());
  }

  /**
   * Makes it; what stands at the base key is in memory, or is not to be waited for.
   *
   * @param added what a last line is reserved for, which is written before the head is
   */
  static StorableHead of(
      FillContext loop,
      FillRequest order,
      ReceivedHead received,
      long birth,
      List<DigestAlgorithm> added) {
    byte[] block =
        StoredHeader.encode(
            received.status(),
            received.fields(),
            received.verdict().omittedFields(),
            received.nowMillis());
    if (block == null) {
      return new Refused(Reason.NOT_STORED_FIELDS);
    }
    var keys = loop.keys();
    NoVarySearch rule = searchRuleOf(order.route(), received.fields());
    if (!buildBase(loop, order, received.fields())) {
      return new Refused(Reason.PASS_KEY_TOO_LONG);
    }
    FillKey base = new FillKey(keys.hi(), keys.lo());
    // A marker would be found under the key, where that is the base key.
    boolean hasNoMarker =
        base.equals(order.key()) && FillRequest.isStillAbsent(loop, base, order.absentAt());
    VaryMarker marker = hasNoMarker ? null : VaryMarker.read(loop);
    List<String> selecting = received.verdict().selectingFields();
    if (!selecting.isEmpty() || (marker != null && marker.names().equals(BY_ENCODING))) {
      // A response that varies only by encoding has the plain variant beside it in any case.
      selecting = VaryMarker.union(marker, selecting, order.route().keyRecipe().fields());
    }
    boolean isVarying = !selecting.isEmpty();
    if ((isVarying && !keys.variant(order.request(), selecting))
        || (!isVarying && marker != null && !keys.unvaried())) {
      return new Refused(Reason.PASS_KEY_TOO_LONG);
    }
    FillKey key = new FillKey(keys.hi(), keys.lo());
    byte[] meta =
        loop.marked(
            received.verdict().meta(),
            order.route(),
            received.status(),
            received.fields(),
            received.totalLength());
    HeadSpec spec =
        new HeadSpec(
                key.hi(),
                key.lo(),
                Arrays.copyOf(keys.text(), keys.textLength()),
                keys.textLength(),
                DigestLine.reserve(HeadBytes.join(meta, block), added),
                Refresh.scopes(loop, order.request(), order.route(), rule, received.fields()),
                birth,
                received.nowMillis() + received.verdict().freshnessLifetimeMillis(),
                HeadSpec.Kind.OBJECT,
                received.totalLength())
            .copiedFrom(received.copied())
            .inClass(loop.storageClass(order.route()));
    FillHead head =
        new FillHead(
            received.status(),
            meta,
            block,
            received.totalLength(),
            spec,
            selecting,
            key,
            base,
            rule);
    return new Made(head, spec, marker, added);
  }
}
