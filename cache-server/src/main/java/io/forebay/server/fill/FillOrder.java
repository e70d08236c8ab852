package io.forebay.server.fill;

import io.forebay.core.http.ByteRange.Satisfiable;
import io.forebay.core.http.RequestView;
import io.forebay.core.route.Route;
import io.forebay.server.origin.OriginRequest;
import org.jspecify.annotations.Nullable;

/**
 * What a fill is asked to bring.
 *
 * @param key where it is registered: the base key, or a variant's
 * @param request a copy of the request that caused it, for its selecting fields
 * @param originRequest what is sent, complete
 * @param stale the stored object whose validators the request carries, or null for a plain fetch
 * @param asked the bytes that the request asks for by range, or null for a whole response
 * @param isShared whether others may join it: then it is registered under its key
 * @param isBackground whether it goes on without followers (stale-while-revalidate)
 * @param isStaleUsable whether what is stored may be served while the origin fails, so that its
 *     failure must not take the place of it
 * @param followerLimit followers at most; later ones pass through
 */
public record FillOrder(
    FillKey key,
    RequestView request,
    Route route,
    OriginRequest originRequest,
    @Nullable StoredRef stale,
    @Nullable Satisfiable asked,
    boolean isShared,
    boolean isBackground,
    boolean isStaleUsable,
    int followerLimit) {

  /** A stored object: its key, its key's text, and its identity. */
  @SuppressWarnings("ArrayRecordComponent")
  public record StoredRef(long hi, long lo, byte[] keyText, long objectId) {}
}
