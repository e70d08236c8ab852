package io.forebay.server.fill;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.policy.Freshening;
import io.forebay.core.policy.ResponsePolicy;
import io.forebay.core.policy.StoreVerdict;
import io.forebay.core.policy.StoredMeta;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.object.HeadSpec;
import io.forebay.storage.object.StoredHead;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * Creates a variant from another one: the origin replied 304 with the strong tag of another stored
 * variant, so the new variant has the 304's fields and a copy of that body. The other variant is
 * unchanged, since a 304 updates only what its request selects (RFC 9111 §4.3.4).
 */
record VariantCopy(ReceivedHead head, ByteBuf body) {

  /**
   * Makes it; null if the other variant is not there any more, not whole in memory, or what the
   * origin says now may not be kept for all who have this request's key.
   */
  static @Nullable VariantCopy of(
      FillContext loop,
      FillRequest order,
      FillRequest.StoredRef other,
      HeaderFields notModified,
      long requestTimeMillis,
      long seed) {
    StoreLane lane = loop.lane();
    if (lane.find(other.hi(), other.lo(), other.keyText(), other.keyText().length)
        != StoreLane.Found.HIT) {
      return null;
    }
    StoredHead head = lane.head();
    int region = head.region();
    try {
      StoredMeta meta = loop.meta();
      MemorySegment memory = loop.store().region(region);
      if (head.objectId() != other.objectId() || !meta.wrap(memory, head.headOffset())) {
        return null;
      }
      long now = loop.nowMillis();
      HeaderFields fields =
          Freshening.update(Refresh.storedFields(memory, head, meta), notModified, now);
      int status = meta.status();
      if (!(ResponsePolicy.judge(
              RevalidatedRequest.of(order.request(), meta),
              Refresh.timed(order.route(), order.request(), meta, fields),
              status,
              fields,
              requestTimeMillis,
              now,
              seed)
          instanceof StoreVerdict.Store verdict)) {
        return null;
      }
      HeadSpec.Copied source =
          new HeadSpec.Copied(other.hi(), other.lo(), head.objectId(), head.bodyBirth());
      ReceivedHead received =
          new ReceivedHead(status, fields, head.totalLength(), verdict, now, source);
      byte[] body = body(loop, head);
      return body == null ? null : new VariantCopy(received, Unpooled.wrappedBuffer(body));
    } finally {
      lane.unpin(region);
    }
  }

  private static byte @Nullable [] body(FillContext loop, StoredHead head) {
    int total = (int) head.totalLength();
    if (head.bodyOffset() >= 0) {
      return loop.store()
          .region(head.region())
          .asSlice(head.bodyOffset(), total)
          .toArray(ValueLayout.JAVA_BYTE);
    }
    byte[] body = new byte[total];
    for (int slice = 0, at = 0; at < total; slice++) {
      if (loop.lane().findSlice(head.objectId(), slice) != StoreLane.Found.HIT) {
        return null;
      }
      var place = loop.lane().slice();
      int length = Math.min(place.length(), total - at);
      MemorySegment.copy(
          loop.store().region(place.region()),
          ValueLayout.JAVA_BYTE,
          place.offset(),
          body,
          at,
          length);
      loop.lane().unpin(place.region());
      at += length;
    }
    return body;
  }
}
