package io.forebay.server.exchange;

import io.forebay.core.http.ByteRange.Satisfiable;
import io.forebay.core.policy.Age;
import io.forebay.core.policy.BodyRemainder;
import io.forebay.core.policy.Reason;
import io.forebay.core.policy.StoredMeta;
import io.forebay.core.route.Route;
import io.forebay.server.counters.LoopCounters.CacheResult;
import io.forebay.server.deliver.BodyBytes;
import io.forebay.server.deliver.Delivery;
import io.forebay.server.deliver.Multipart;
import io.forebay.server.deliver.StoredBody;
import io.forebay.server.fill.FillHead;
import io.forebay.server.http.ClientInfo;
import io.forebay.server.http.ResponseSink;
import io.forebay.server.response.HeadWriter;
import io.forebay.server.response.NotModifiedLines;
import io.forebay.server.response.PartLines;
import io.forebay.server.response.ResponsePlan;
import io.forebay.server.runtime.RuntimeConfig;
import io.forebay.storage.object.StoredHead;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Sends the response that stored metadata describes: of an object in the store, or of a fill in
 * progress. One head is written (the stored lines, then the few that change), then the body follows
 * from mapped memory.
 *
 * <p>Without state, so that a hit makes no object for it.
 */
final class StoredResponseSender {
  private StoredResponseSender() {}

  /** What became of a response. */
  enum Sent {
    /** It is on its way. */
    BEGUN,
    /** The origin is asked for what its body lacks first; the exchange is told. */
    AWAITED,
    /** The index was busy: try again in a moment. */
    BUSY,
    /** A part of the body that is wanted is gone and can't be had by itself. */
    INCOMPLETE,
    /** The disk does not accept the load of what is wanted first. */
    REFUSED,
    /**
     * It can't be kept until it is sent, and what is lost of it meanwhile can't be had by itself.
     */
    UNKEPT
  }

  /**
   * Sends a stored object, if all of the body that is wanted is there or can be fetched.
   *
   * @param head pinned; the pin is given back or goes with the body
   */
  static Sent send(
      Exchange exchange,
      StoredHead head,
      StoredMeta meta,
      CacheResult result,
      Reason why,
      long now) {
    ExchangeContext loop = exchange.loop;
    ResponsePlan plan = plan(exchange, meta, head.totalLength());
    BodyBytes slices = null;
    PartialBody parts = null;
    StoredBody pinned = null;
    boolean isCompletable = true;
    if (plan.hasBody() && head.bodyOffset() < 0) {
      StoredBody stored =
          new StoredBody(loop.lane(), loop.eventLoop(), head.objectId(), head.sliceBytes());
      isCompletable =
          isOneChunk(exchange, plan, head.sliceBytes())
              || BodyFallback.mayComplete(exchange, head, meta);
      Sent sent =
          switch (presence(stored, head, plan, isCompletable)) {
            case ALL -> {
              parts = BodyFallback.partsKnownOf(exchange, head.objectId());
              yield Sent.BEGUN;
            }
            case BUSY -> Sent.BUSY;
            case INCOMPLETE -> {
              parts = BodyFallback.partsOf(exchange, head, meta, plan);
              yield parts == null ? Sent.INCOMPLETE : prepared(parts, plan.from());
            }
          };
      if (sent == Sent.BEGUN) {
        sent = kept(exchange, stored, parts, plan, isCompletable);
      }
      if (sent != Sent.BEGUN) {
        loop.lane().unpin(head.region());
        return sent;
      }
      pinned = stored;
      slices = parts == null ? stored : parts;
    }
    if (pinned != null && !isCompletable) {
      // Given back when the response is over, whatever becomes of it.
      exchange.sources().keeps(pinned);
    }
    try {
      begin(exchange, head, meta, plan, slices, parts, result, why, now);
    } finally {
      if (parts != null) {
        parts.release();
      } else if (pinned != null && isCompletable) {
        pinned.release();
      }
    }
    return Sent.BEGUN;
  }

  /** Whether one chunk, which is sent with the head, is all of the body that is wanted. */
  private static boolean isOneChunk(Exchange exchange, ResponsePlan plan, int sliceBytes) {
    return plan.parts().isEmpty()
        && plan.to() - plan.from() <= exchange.sink.chunkBytes()
        && plan.from() / sliceBytes == (plan.to() - 1) / sliceBytes;
  }

  /**
   * Pins what must still be readable when the head has gone: of a body that can be completed the
   * slice that goes out with the head, of another one every slice that is wanted (I9).
   */
  private static Sent kept(
      Exchange exchange,
      StoredBody stored,
      @Nullable PartialBody parts,
      ResponsePlan plan,
      boolean isCompletable) {
    Runnable onceLoaded = () -> exchange.run(Exchange.Step.LOOK_UP);
    StoredBody.Keeping keeping = StoredBody.Keeping.KEPT;
    if (parts != null) {
      keeping = parts.keepFirst(plan.from(), onceLoaded);
    } else if (isCompletable) {
      keeping = stored.keepAt(plan.from(), onceLoaded);
    } else {
      for (Satisfiable part : plan.wanted()) {
        if (keeping == StoredBody.Keeping.KEPT) {
          keeping = stored.keepAll(part.first(), part.end(), onceLoaded);
        }
      }
    }
    return switch (keeping) {
      case KEPT -> Sent.BEGUN;
      case LOADING -> Sent.AWAITED;
      case REFUSED -> Sent.REFUSED;
      case TOO_MANY -> Sent.UNKEPT;
      case GONE -> Sent.BUSY;
    };
  }

  static ResponsePlan plan(Exchange exchange, StoredMeta meta, long totalLength) {
    return ResponsePlan.of(
        exchange.request, meta, totalLength, exchange.route().ranges().maxRanges());
  }

  /**
   * Whether the slices are there that must be before the head is sent: of a body that can be
   * completed those of its beginning, so that a hit on a very large one costs no more than on a
   * large one; of one that can't, all of every range.
   */
  private static StoredBody.Presence presence(
      StoredBody stored, StoredHead head, ResponsePlan plan, boolean isCompletable) {
    long near =
        isCompletable
            ? plan.from() + PartialBody.LOOKED_FOR * (long) head.sliceBytes()
            : Long.MAX_VALUE;
    if (plan.parts().isEmpty()) {
      return stored.presence(plan.from(), Math.min(plan.to(), near));
    }
    for (Satisfiable part : plan.parts()) {
      StoredBody.Presence presence = stored.presence(part.first(), Math.min(part.end(), near));
      if (presence != StoredBody.Presence.ALL) {
        return presence;
      }
    }
    return StoredBody.Presence.ALL;
  }

  private static Sent prepared(PartialBody parts, long from) {
    return switch (parts.prepare(from)) {
      case READY -> Sent.BEGUN;
      case AWAITED -> Sent.AWAITED;
      case BUSY -> Sent.BUSY;
      case REFUSED -> Sent.INCOMPLETE;
    };
  }

  /**
   * Sends the head and begins with the body.
   *
   * @param slices the body, if there is one that is not in the head's record
   * @param partial the same, where some of it has to be fetched
   */
  private static void begin(
      Exchange exchange,
      StoredHead head,
      StoredMeta meta,
      ResponsePlan plan,
      @Nullable BodyBytes slices,
      @Nullable PartialBody partial,
      CacheResult result,
      Reason why,
      long now) {
    Multipart parts;
    try {
      parts = sendHead(exchange, head, meta, plan, partial, result, why, now);
    } catch (RuntimeException | Error e) {
      exchange.loop.lane().unpin(head.region());
      throw e;
    }
    ExchangeContext loop = exchange.loop;
    if (!plan.hasBody()) {
      loop.lane().unpin(head.region());
      exchange.over();
    } else if (slices == null) {
      // The head's pin goes with the body.
      sendInline(exchange, head, plan, parts);
    } else {
      if (!isOneChunk(exchange, plan, head.sliceBytes()) || partial != null) {
        // One chunk goes out with the head.
        exchange
            .sources()
            .mayFetchRest(
                BodyRemainder.of(meta, head.totalLength()),
                plan,
                head.objectId(),
                head.sliceBytes());
      }
      loop.lane().unpin(head.region());
      Delivery delivery = delivery(exchange, slices, plan, parts);
      exchange.sends(delivery);
      delivery.onProgress();
    }
  }

  /**
   * Sends the head of a stored object, which is pinned.
   *
   * @return what stands around the parts of the body that are to follow, if there are several
   */
  private static @Nullable Multipart sendHead(
      Exchange exchange,
      StoredHead head,
      StoredMeta meta,
      ResponsePlan plan,
      @Nullable PartialBody partial,
      CacheResult result,
      Reason why,
      long now) {
    ExchangeContext loop = exchange.loop;
    long total = head.totalLength();
    HeadWriter out = loop.heads().begin(exchange.sink, plan.status());
    int blockOffset = head.headOffset() + meta.length();
    int blockLength = head.headLength() - meta.length();
    int replaced =
        HstsLine.write(exchange, out, loop.store().region(head.region()), blockOffset, blockLength);
    blockOffset += replaced;
    blockLength -= replaced;
    Multipart parts = null;
    if (!plan.parts().isEmpty()) {
      parts =
          PartLines.copy(
              out.fields(),
              loop.leases().copy(head.region(), blockOffset, blockLength),
              plan.parts(),
              total,
              loop.requestIds());
    } else if (plan.sendsAllFields()) {
      loop.leases().copyTo(out.fields(), head.region(), blockOffset, blockLength);
    } else {
      NotModifiedLines.copy(
          out.fields(), loop.leases().copy(head.region(), blockOffset, blockLength));
    }
    out.age(Age.currentAgeSeconds(meta, now)).via(exchange.snapshot.viaLine());
    boolean isFetched = result == CacheResult.MISS || result == CacheResult.JOINED;
    String fetched = partial == null || isFetched ? null : partial.cacheStatus();
    if (partial != null && fetched != null) {
      out.cacheStatus(fetched);
      sendHead(exchange, out, plan, parts, total, partial.result(), Reason.MISS_PARTIAL);
    } else {
      cacheStatus(exchange, out, meta, result, why, now);
      sendHead(exchange, out, plan, parts, total, result, why);
    }
    return parts;
  }

  /** Writes all lines of a whole, fresh response but those about framing. */
  static void writeFresh(
      ExchangeContext loop,
      RuntimeConfig snapshot,
      Route route,
      String scheme,
      ClientInfo client,
      HeadWriter out,
      StoredHead head,
      StoredMeta meta,
      long now) {
    int blockOffset = head.headOffset() + meta.length();
    int blockLength = head.headLength() - meta.length();
    int replaced =
        HstsLine.write(
            snapshot,
            route,
            scheme,
            client,
            out,
            loop.store().region(head.region()),
            blockOffset,
            blockLength);
    loop.leases()
        .copyTo(out.fields(), head.region(), blockOffset + replaced, blockLength - replaced);
    out.age(Age.currentAgeSeconds(meta, now))
        .via(snapshot.viaLine())
        .cacheStatusHit(snapshot.cacheStatus(), Reason.HIT_FRESH, Age.timeToLiveSeconds(meta, now));
  }

  private static void sendInline(
      Exchange exchange, StoredHead head, ResponsePlan plan, @Nullable Multipart parts) {
    ResponseSink sink = exchange.sink;
    if (parts == null) {
      int length = (int) (plan.to() - plan.from());
      exchange.record.bodyBytes(length);
      Delivery.sendPinned(
          exchange.loop.leases(),
          sink,
          head.region(),
          head.bodyOffset() + (int) plan.from(),
          length);
    } else {
      exchange.record.bodyBytes(parts.lengthBytes());
      Delivery.sendPinned(exchange.loop.leases(), sink, head.region(), head.bodyOffset(), parts);
    }
    exchange.over();
  }

  static Delivery delivery(
      Exchange exchange, BodyBytes body, ResponsePlan plan, @Nullable Multipart parts) {
    ExchangeContext loop = exchange.loop;
    return parts == null
        ? new Delivery(
            loop.leases(), loop.eventLoop(), exchange.sink, body, plan.from(), plan.to(), exchange)
        : new Delivery(loop.leases(), loop.eventLoop(), exchange.sink, body, parts, exchange);
  }

  private static void cacheStatus(
      Exchange exchange,
      HeadWriter out,
      StoredMeta meta,
      CacheResult result,
      Reason why,
      long now) {
    var cacheStatus = exchange.snapshot.cacheStatus();
    if (result == CacheResult.REVALIDATED) {
      out.cacheStatus(cacheStatus.forwarded(why, 304, true, exchange.hasJoined(), null));
    } else if (result == CacheResult.MISS || result == CacheResult.JOINED) {
      boolean isCollapsed = result == CacheResult.JOINED;
      out.cacheStatus(cacheStatus.forwarded(why, 206, true, isCollapsed, null));
    } else {
      out.cacheStatusHit(cacheStatus, why, Age.timeToLiveSeconds(meta, now));
    }
  }

  /**
   * Sends the head of what a fill brings.
   *
   * @param meta what the fill's head is read with
   * @param total length of the body, or -1 while it is not known
   * @return what stands around the parts of the body that are to follow, if there are several
   */
  static @Nullable Multipart sendHeadOf(
      Exchange exchange,
      FillHead head,
      StoredMeta meta,
      ResponsePlan plan,
      long total,
      boolean isLeader) {
    HeadWriter out = exchange.loop.heads().begin(exchange.sink, plan.status());
    byte[] block = head.block();
    int replaced = HstsLine.write(exchange, out, MemorySegment.ofArray(block), 0, block.length);
    if (replaced > 0) {
      block = Arrays.copyOfRange(block, replaced, block.length);
    }
    Multipart parts = null;
    if (!plan.parts().isEmpty()) {
      parts = PartLines.copy(out.fields(), block, plan.parts(), total, exchange.loop.requestIds());
    } else if (plan.sendsAllFields()) {
      out.fields().writeBytes(block);
    } else {
      NotModifiedLines.copy(out.fields(), block);
    }
    long age = Age.currentAgeSeconds(meta, exchange.loop.nowMillis());
    if (age > 0 || !isLeader) {
      // Without an Age the response was made for this very request (RFC 9111 §5.1).
      out.age(age);
    }
    out.via(exchange.snapshot.viaLine());
    Reason why = exchange.reason();
    out.cacheStatus(
        exchange.snapshot.cacheStatus().forwarded(why, head.originStatus(), true, !isLeader, null));
    CacheResult result = isLeader ? CacheResult.MISS : CacheResult.JOINED;
    sendHead(exchange, out, plan, parts, total, result, why);
    return parts;
  }

  private static void sendHead(
      Exchange exchange,
      HeadWriter out,
      ResponsePlan plan,
      @Nullable Multipart parts,
      long total,
      CacheResult result,
      Reason why) {
    if (plan.status() == 206 && parts == null) {
      out.contentRange(plan.from(), plan.to() - 1, total);
    } else if (plan.status() == 416) {
      out.unsatisfiedRange(total);
    }
    long length = parts == null ? plan.contentLength() : parts.lengthBytes();
    out.send(length, !plan.hasBody());
    exchange.onHeadSent(plan.status(), result, why);
    if (!plan.hasBody()) {
      exchange.sink.flush();
    }
  }
}
