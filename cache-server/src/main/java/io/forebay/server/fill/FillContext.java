package io.forebay.server.fill;

import io.forebay.core.http.FieldsView;
import io.forebay.core.key.KeyBuilder;
import io.forebay.core.key.Scopes;
import io.forebay.core.policy.StoredMeta;
import io.forebay.core.route.Route;
import io.forebay.server.compress.CompressionSettings;
import io.forebay.server.counters.LoopCounters;
import io.forebay.server.digest.DigestContext;
import io.forebay.server.fill.history.FillHistory;
import io.forebay.server.origin.call.OriginClient;
import io.forebay.server.peer.PeerRouter;
import io.forebay.storage.ObjectStore;
import io.forebay.storage.lane.StoreLane;
import io.netty.channel.EventLoop;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The dependencies of the fills of one event loop: what the loop owns, and the node-wide parts.
 * Only this loop may use the lane, the key builder, the origin client, the counters and the meta.
 *
 * @param index of the loop, from 0
 * @param loops number of loops of the node
 * @param meta the one flyweight with which this loop reads stored metas
 * @param paceAboveBytes a fill larger than this is paced by its fastest follower
 * @param clockMillis wall clock
 * @param compression what a route compresses by the configuration in force
 * @param digesting of bodies
 * @param peers says which other nodes are asked before origins; null where none is
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
    LongSupplier clockMillis,
    Function<Route, CompressionSettings> compression,
    DigestContext digesting,
    @Nullable PeerRouter peers) {

  /**
   * The storage class of what other nodes own. No name of the configuration has a dot, so it is
   * none of theirs.
   */
  public static final String COPIES = "node.copies";

  /** The number of the storage class of what a route stores. */
  public int storageClass(Route route) {
    return store.classes().number(route.settings().storageClass());
  }

  /** Whether what is stored by that route is dropped once those who wait for it have it. */
  boolean isPassing(Route route) {
    return peers != null && !peers.keepsCopies() && route.settings().storageClass().equals(COPIES);
  }

  /** The metadata of a response as it is stored: marked if coded copies of it may be made. */
  byte[] marked(byte[] judged, Route route, int status, FieldsView fields, long totalLength) {
    return status == 200 && compression.apply(route).suits(fields, totalLength)
        ? StoredMeta.compressible(judged, fields)
        : judged;
  }

  public long nowMillis() {
    return clockMillis.getAsLong();
  }
}
