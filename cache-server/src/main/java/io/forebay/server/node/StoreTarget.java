package io.forebay.server.node;

import io.forebay.core.http.TargetUri;
import io.forebay.core.route.Route;
import org.jspecify.annotations.Nullable;

/**
 * A URL resolved for queries of the store: its route, key and scope, and the history of its key.
 *
 * @param route null where none is for it
 * @param isUncacheable whether its last response could not be stored
 * @param wasDropped whether it was dropped from memory lately, to make room
 */
public record StoreTarget(
    TargetUri uri,
    @Nullable Route route,
    String key,
    long hi,
    long lo,
    long baseScope,
    boolean isUncacheable,
    boolean wasDropped) {}
