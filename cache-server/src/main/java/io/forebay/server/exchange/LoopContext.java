package io.forebay.server.exchange;

import io.forebay.core.key.KeyBuilder;
import io.forebay.core.key.Scopes;
import io.forebay.core.policy.StoredMeta;
import io.forebay.server.deliver.Leases;
import io.forebay.server.fairness.ClientPlaces;
import io.forebay.server.fill.FillHistory;
import io.forebay.server.fill.FillTable;
import io.forebay.server.metric.AccessLane;
import io.forebay.server.metric.LoopCounters;
import io.forebay.server.origin.OriginClient;
import io.forebay.server.tunnel.TunnelPlaces;
import io.forebay.storage.ObjectStore;
import io.forebay.storage.StoreLane;
import io.netty.channel.EventLoop;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/**
 * What one loop owns, and the node-wide parts it shares with the others. The lane, the key builder,
 * the leases, the origin client and the counters may be touched by this loop only.
 *
 * @param load how the loop keeps up
 * @param loops number of loops of the node
 * @param meta the one flyweight with which this loop reads stored metas
 * @param scratch room for a short text being written
 * @param paceAboveBytes a fill larger than this is held to its fastest follower
 * @param clockMillis wall clock
 * @param random from 0 to less than 1, for what is decided by chance
 */
@SuppressWarnings("ArrayRecordComponent")
public record LoopContext(
    int index,
    EventLoop eventLoop,
    StoreLane lane,
    KeyBuilder keys,
    Scopes scopes,
    Leases leases,
    OriginClient origins,
    LoopLoad load,
    LoopCounters counters,
    AccessLane accessLog,
    ObjectStore store,
    FillTable fills,
    FillHistory history,
    TunnelPlaces tunnels,
    ClientPlaces clients,
    int loops,
    StoredMeta meta,
    byte[] scratch,
    RequestIds requestIds,
    FailureLog failures,
    long paceAboveBytes,
    LongSupplier clockMillis,
    DoubleSupplier random) {

  public long nowMillis() {
    return clockMillis.getAsLong();
  }
}
