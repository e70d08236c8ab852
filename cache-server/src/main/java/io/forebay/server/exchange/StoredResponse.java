package io.forebay.server.exchange;

import io.forebay.core.policy.Age;
import io.forebay.core.policy.BodyRest;
import io.forebay.core.policy.Reason;
import io.forebay.core.policy.StoredMeta;
import io.forebay.server.deliver.Delivery;
import io.forebay.server.deliver.StoredBody;
import io.forebay.server.fill.FillHead;
import io.forebay.server.metric.LoopCounters.CacheResult;
import io.forebay.storage.StoredHead;
import io.netty.buffer.ByteBuf;

/**
 * Sends the response that stored metadata describes: of an object in the store, or of a fill in
 * progress. One head is written (the stored lines, then the few that change), then the body follows
 * from mapped memory.
 *
 * <p>Without state, so that a hit makes no object for it.
 */
final class StoredResponse {
  private StoredResponse() {}

  /**
   * Sends a stored object, if all of the body that is wanted is there.
   *
   * @param head pinned; the pin is given back or goes with the body
   * @return ALL when the response is on its way; else nothing has been sent
   */
  static StoredBody.Presence send(
      Exchange exchange,
      StoredHead head,
      StoredMeta meta,
      CacheResult result,
      Reason why,
      long now) {
    LoopContext loop = exchange.loop;
    ResponseSink sink = exchange.sink;
    long total = head.totalLength();
    ResponsePlan plan = ResponsePlan.of(exchange.request, meta, total);
    StoredBody slices = null;
    if (plan.hasBody() && head.bodyOffset() < 0) {
      slices = new StoredBody(loop.lane(), loop.eventLoop(), head.objectId(), head.sliceBytes());
      StoredBody.Presence presence = slices.presence(plan.from(), plan.to());
      if (presence != StoredBody.Presence.ALL) {
        loop.lane().unpin(head.region());
        return presence;
      }
    }
    ByteBuf out = sink.beginHead(plan.status());
    int blockOffset = head.headOffset() + meta.length();
    int blockLength = head.headLength() - meta.length();
    if (plan.sendsAllFields()) {
      loop.leases().copyTo(out, head.region(), blockOffset, blockLength);
    } else {
      NotModifiedLines.copy(out, loop.leases().copy(head.region(), blockOffset, blockLength));
    }
    HeadLines.age(out, Age.currentAgeSeconds(meta, now));
    out.writeBytes(exchange.snapshot.viaLine());
    var cacheStatus = exchange.snapshot.cacheStatus();
    if (result == CacheResult.REVALIDATED) {
      HeadLines.cacheStatus(out, cacheStatus.forwarded(why, 304, true, exchange.hasJoined(), null));
    } else {
      HeadLines.cacheStatusHit(
          out, cacheStatus, why, Age.timeToLiveSeconds(meta, now), loop.scratch());
    }
    sendHead(exchange, out, plan, total, result, why);
    if (!plan.hasBody()) {
      loop.lane().unpin(head.region());
      exchange.over();
    } else if (slices == null) {
      // The head's pin goes with the body.
      exchange.record.bodyBytes(plan.to() - plan.from());
      Delivery.sendPinned(
          loop.leases(),
          sink,
          head.region(),
          head.bodyOffset() + (int) plan.from(),
          (int) (plan.to() - plan.from()));
      exchange.over();
    } else {
      if (plan.to() - plan.from() > sink.chunkBytes()) {
        // The head may be gone before the body is sent. One chunk is looked up at once.
        exchange.mayFetchRest(BodyRest.of(meta, total));
      }
      loop.lane().unpin(head.region());
      Delivery delivery =
          new Delivery(
              loop.leases(), loop.eventLoop(), sink, slices, plan.from(), plan.to(), exchange);
      exchange.sends(delivery);
      delivery.onProgress();
    }
    return StoredBody.Presence.ALL;
  }

  /**
   * Sends the head of what a fill brings.
   *
   * @param meta what the fill's head is read with
   * @param total length of the body, or -1 while it is not known
   * @return what of the body is to follow
   */
  static ResponsePlan sendHeadOf(
      Exchange exchange, FillHead head, StoredMeta meta, long total, boolean isLeader) {
    ResponsePlan plan = ResponsePlan.of(exchange.request, meta, total);
    ByteBuf out = exchange.sink.beginHead(plan.status());
    if (plan.sendsAllFields()) {
      out.writeBytes(head.block());
    } else {
      NotModifiedLines.copy(out, head.block());
    }
    HeadLines.age(out, Age.currentAgeSeconds(meta, exchange.loop.nowMillis()));
    out.writeBytes(exchange.snapshot.viaLine());
    Reason why = exchange.reason();
    HeadLines.cacheStatus(
        out, exchange.snapshot.cacheStatus().forwarded(why, head.status(), true, !isLeader, null));
    sendHead(exchange, out, plan, total, isLeader ? CacheResult.MISS : CacheResult.JOINED, why);
    return plan;
  }

  private static void sendHead(
      Exchange exchange,
      ByteBuf out,
      ResponsePlan plan,
      long total,
      CacheResult result,
      Reason why) {
    if (plan.status() == 206) {
      HeadLines.contentRange(out, plan.from(), plan.to() - 1, total);
    } else if (plan.status() == 416) {
      HeadLines.unsatisfiedRange(out, total);
    }
    exchange.sink.head(out, plan.contentLength(), !plan.hasBody());
    exchange.onHeadSent(plan.status(), result, why);
    if (!plan.hasBody()) {
      exchange.sink.flush();
    }
  }
}
