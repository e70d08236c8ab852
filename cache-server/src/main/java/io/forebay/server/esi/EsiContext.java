package io.forebay.server.esi;

import io.forebay.server.compress.Compressors;
import io.forebay.server.counters.EsiCounters;
import io.forebay.server.deliver.CopyQuota;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;

/**
 * What pages need of their loop.
 *
 * @param copies the quota of what is held for single clients
 * @param compressors decode pages that came compressed, and compress assembled ones
 */
public record EsiContext(
    EventLoop eventLoop,
    ByteBufAllocator allocator,
    Compressors compressors,
    CopyQuota copies,
    EsiCounters counters) {}
