package io.forebay.server.fill;

import io.forebay.core.http.ByteRange.Satisfiable;
import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.RequestView;
import io.forebay.core.policy.Revalidation;
import io.forebay.core.route.Route;
import io.forebay.server.fill.history.FillKey;
import io.forebay.server.origin.call.OriginRequest;
import io.forebay.storage.lane.StoreLane;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a fill is asked to fetch: request, key and validators.
 *
 * @param key where it is registered: the base key, or a variant's
 * @param request a copy of the request that caused it, for its selecting fields
 * @param originRequest what is sent, complete
 * @param stale the stored object whose validators the request carries, or null for a plain fetch
 * @param others stored variants that the request names beside it, though it does not select them
 * @param asked the bytes that the request asks for by range, or null for a whole response
 * @param isShared whether others may join it: then it is registered under its key
 * @param isBackground whether it goes on without followers (stale-while-revalidate)
 * @param isStaleUsable whether what is stored may be served while the origin fails, so that its
 *     failure must not take the place of it
 * @param followerLimit followers at most; later ones pass through
 * @param absentAt the install count of the lane before a look at the key that found nothing, or
 *     UNKNOWN
 * @param aheadBytes of a fetch ahead of clients: the longest body that is wanted; 0 for others
 */
public record FillRequest(
    FillKey key,
    RequestView request,
    Route route,
    OriginRequest originRequest,
    @Nullable StoredRef stale,
    List<Other> others,
    @Nullable Satisfiable asked,
    boolean isShared,
    boolean isBackground,
    boolean isStaleUsable,
    int followerLimit,
    long absentAt,
    long aheadBytes) {

  /** One that a client asks for, or the refresh of what is served. */
  public FillRequest(
      FillKey key,
      RequestView request,
      Route route,
      OriginRequest originRequest,
      @Nullable StoredRef stale,
      List<Other> others,
      @Nullable Satisfiable asked,
      boolean isShared,
      boolean isBackground,
      boolean isStaleUsable,
      int followerLimit,
      long absentAt) {
    this(
        key,
        request,
        route,
        originRequest,
        stale,
        others,
        asked,
        isShared,
        isBackground,
        isStaleUsable,
        followerLimit,
        absentAt,
        0);
  }

  /** Whether nothing can have been stored under a key since nothing was found at that count. */
  public static boolean isStillAbsent(FillContext loop, FillKey key, long absentAt) {
    return absentAt != StoreLane.UNKNOWN && loop.lane().installCount(key.lo()) == absentAt;
  }

  /** Whether no client has asked for it: what it cannot store must leave no trace for clients. */
  boolean isAhead() {
    return aheadBytes > 0;
  }

  /** A variant under the same URL, and the strong tag that the request names it by. */
  public record Other(StoredRef ref, String etag) {}

  /** Whether there is something that a 304 could confirm. */
  boolean isConditional() {
    return stale != null || !others.isEmpty();
  }

  /** The other variant that a 304 is about, or null where it is none of them. */
  @Nullable StoredRef variantIdentifiedBy(HeaderFields notModified) {
    int index = Revalidation.selected(others.stream().map(Other::etag).toList(), notModified);
    return index < 0 ? null : others.get(index).ref();
  }

  /** A stored object: its key, its key's text, and its identity. */
  @SuppressWarnings("ArrayRecordComponent")
  public record StoredRef(long hi, long lo, byte[] keyText, long objectId) {}
}
