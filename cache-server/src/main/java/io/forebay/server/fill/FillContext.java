package io.forebay.server.fill;

import io.forebay.core.key.KeyBuilder;
import io.forebay.core.key.Scopes;
import io.forebay.core.policy.StoredMeta;
import io.forebay.core.route.Route;
import io.forebay.server.counters.LoopCounters;
import io.forebay.server.fill.history.FillHistory;
import io.forebay.server.origin.call.OriginClient;
import io.forebay.storage.ObjectStore;
import io.forebay.storage.lane.StoreLane;
import io.netty.channel.EventLoop;
import java.util.function.LongSupplier;

/**
 * The dependencies of the fills of one event loop: what the loop owns, and the node-wide parts.
 * Only this loop may use the lane, the key builder, the origin client, the counters and the meta.
 *
 * @param index of the loop, from 0
 * @param loops number of loops of the node
 * @param meta the one flyweight with which this loop reads stored metas
 * @param paceAboveBytes a fill larger than this is paced by its fastest follower
 * @param clockMillis wall clock
 */
public record FillContext(
    int index,
    EventLoop eventLoop,
    StoreLane lane,
    KeyBuilder keys,
    Scopes scopes,
    OriginClient origins,
    LoopCounters counters,
    ObjectStore store,
    FillTable fills,
    FillHistory history,
    int loops,
    StoredMeta meta,
    long paceAboveBytes,
    LongSupplier clockMillis) {

  /** The number of the storage class of what a route stores. */
  public int storageClass(Route route) {
    return store.classes().number(route.settings().storageClass());
  }

  public long nowMillis() {
    return clockMillis.getAsLong();
  }
}
