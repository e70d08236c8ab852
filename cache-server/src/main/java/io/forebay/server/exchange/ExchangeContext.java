package io.forebay.server.exchange;

import io.forebay.core.key.KeyBuilder;
import io.forebay.core.key.Scopes;
import io.forebay.core.policy.StoredMeta;
import io.forebay.server.accesslog.RequestLog;
import io.forebay.server.cluster.member.Fence;
import io.forebay.server.cluster.purge.GroupInvalidations;
import io.forebay.server.compress.Compressors;
import io.forebay.server.compress.copy.CopyMaker;
import io.forebay.server.compress.dictionary.Dictionaries;
import io.forebay.server.counters.LoopCounters;
import io.forebay.server.deliver.Leases;
import io.forebay.server.fairness.ClientLimiter;
import io.forebay.server.fill.FillContext;
import io.forebay.server.fill.FillTable;
import io.forebay.server.fill.history.FillHistory;
import io.forebay.server.http.ChallengeTokens;
import io.forebay.server.loop.LoopLoad;
import io.forebay.server.loop.RequestIds;
import io.forebay.server.origin.call.OriginClient;
import io.forebay.server.prefetch.PrefetchBudget;
import io.forebay.server.protect.Gatekeeper;
import io.forebay.server.purge.PurgeQueue;
import io.forebay.server.response.HeadWriter;
import io.forebay.server.tunnel.TunnelLimiter;
import io.forebay.storage.ObjectStore;
import io.forebay.storage.lane.StoreLane;
import io.netty.channel.EventLoop;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The dependencies of the exchanges of one event loop: the context of its fills, and what only
 * requests need. Confined to the loop, except the limiters and the purges, which all loops share.
 *
 * @param filling what its fills use too
 * @param load how the loop keeps up
 * @param purges makes the purges that requests ask for
 * @param heads writes the heads of its responses
 * @param gatekeeper judges requests of routes with a protection
 * @param random from 0 to less than 1, for what is decided by chance
 * @param copies makes coded copies of stored responses
 * @param challenges answers to ACME validations that are expected
 * @param compressors code bodies off the loops; all loops share them
 * @param dictionaries finds the compression dictionaries that clients name
 * @param prefetches what may be fetched ahead of clients; all loops share it
 * @param fence until when what is stored may be used without validation; null without a cluster
 * @param groups takes invalidated groups of responses to other nodes; null where none is
 */
public record ExchangeContext(
    FillContext filling,
    Leases leases,
    LoopLoad load,
    RequestLog requestLog,
    TunnelLimiter tunnels,
    ClientLimiter clients,
    PurgeQueue purges,
    HeadWriter heads,
    RequestIds requestIds,
    FailureLog failures,
    Gatekeeper gatekeeper,
    DoubleSupplier random,
    CopyMaker copies,
    ChallengeTokens challenges,
    Compressors compressors,
    Dictionaries dictionaries,
    PrefetchBudget prefetches,
    @Nullable Fence fence,
    @Nullable GroupInvalidations groups) {

  /** Whether stored responses must not be used as they are. */
  boolean isFenced(long nanoTime) {
    return fence != null && fence.isPast(nanoTime);
  }

  public int index() {
    return filling.index();
  }

  public EventLoop eventLoop() {
    return filling.eventLoop();
  }

  public StoreLane lane() {
    return filling.lane();
  }

  public KeyBuilder keys() {
    return filling.keys();
  }

  public Scopes scopes() {
    return filling.scopes();
  }

  public OriginClient origins() {
    return filling.origins();
  }

  public LoopCounters counters() {
    return filling.counters();
  }

  public ObjectStore store() {
    return filling.store();
  }

  public FillTable fills() {
    return filling.fills();
  }

  public FillHistory history() {
    return filling.history();
  }

  public StoredMeta meta() {
    return filling.meta();
  }

  public long nowMillis() {
    return filling.nowMillis();
  }
}
