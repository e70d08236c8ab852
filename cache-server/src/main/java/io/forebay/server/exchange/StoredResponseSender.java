package io.forebay.server.exchange;

import io.forebay.core.http.ByteRange.Satisfiable;
import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.KnownField;
import io.forebay.core.peer.PeerResponseField;
import io.forebay.core.policy.Age;
import io.forebay.core.policy.BodyRemainder;
import io.forebay.core.policy.CacheStatus;
import io.forebay.core.policy.Reason;
import io.forebay.core.policy.StoredMeta;
import io.forebay.core.route.Route;
import io.forebay.server.compress.copy.CopyHead;
import io.forebay.server.compress.copy.Representation;
import io.forebay.server.counters.LoopCounters.CacheResult;
import io.forebay.server.deliver.BodyBytes;
import io.forebay.server.deliver.Delivery;
import io.forebay.server.deliver.DiskReads;
import io.forebay.server.deliver.Leases;
import io.forebay.server.deliver.Multipart;
import io.forebay.server.deliver.StoredBody;
import io.forebay.server.digest.DigestPreferences;
import io.forebay.server.fill.FillContext;
import io.forebay.server.fill.FillHead;
import io.forebay.server.http.ClientInfo;
import io.forebay.server.http.ResponseSink;
import io.forebay.server.loop.RequestIds;
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
 * Sends the response described by stored metadata: of an object in the store, or of a fill in
 * progress. Writes one head (the stored lines, then the few that change), then the body from mapped
 * memory.
 *
 * <p>One per loop, without state, so that a hit makes no object for it.
 */
final class StoredResponseSender {

  /** The exchange, as far as the source of the body goes. */
  interface Owner extends DiskReads.Owner {

    /** Whether the missing slices of the object could not be fetched separately. */
    boolean isIncomplete();

    /** Whether it waited for, or read from, another exchange's fill at any time. */
    boolean hasJoined();

    /** Other sources of the body's bytes; null before their first use. */
    @Nullable BodyFallback fallbackIfAny();

    /** The same; creates it if there is none. */
    BodyFallback fallback();

    /** The first bytes of the body are in memory: looks up again. */
    void onLoaded();
  }

  private final FillContext loop;
  private final Leases leases;
  private final HeadWriter heads;
  private final RequestIds requestIds;
  private final ExchangeContext context;

  StoredResponseSender(ExchangeContext loop) {
    this.context = loop;
    this.loop = loop.filling();
    this.leases = loop.leases();
    this.heads = loop.heads();
    this.requestIds = loop.requestIds();
  }

  /** What became of a response. */
  enum Sent {
    /** It is on its way. */
    BEGUN,
    /** The origin is asked for what its body lacks first; the exchange is told. */
    AWAITED,
    /** The index was busy: try again in a moment. */
    BUSY,
    /** Slices may turn up, and so many ask origins meanwhile that this one may not. */
    HELD_BACK,
    /** A requested part of the body is lost and cannot be fetched separately. */
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
   * @param head pinned, or what was read of it is held; either is given back or goes with the body
   */
  Sent send(
      ClientRequest request,
      ClientResponse response,
      Owner owner,
      StoredHead head,
      StoredMeta meta,
      CacheResult result,
      Reason why,
      long now) {
    ResponsePlan plan = plan(request, meta, head.totalLength());
    BodyBytes slices = null;
    PartialBody parts = null;
    StoredBody pinned = null;
    boolean isCompletable = true;
    if (plan.hasBody() && head.bodyOffset() < 0) {
      StoredBody stored =
          new StoredBody(loop.lane(), loop.eventLoop(), head.objectId(), head.sliceBytes(), owner);
      isCompletable =
          isOneChunk(response, plan, head.sliceBytes())
              || validator(request, owner, head, meta) != null;
      Sent sent =
          switch (presence(stored, head, plan, isCompletable)) {
            case ALL -> {
              BodyFallback known = owner.fallbackIfAny();
              parts = known == null ? null : known.knownParts(head.objectId());
              yield Sent.BEGUN;
            }
            case BUSY -> Sent.BUSY;
            case INCOMPLETE -> {
              BodyRemainder validator = validator(request, owner, head, meta);
              parts = validator == null ? null : owner.fallback().beginParts(head, validator, plan);
              yield parts == null ? Sent.INCOMPLETE : prepared(parts, plan.from());
            }
          };
      if (sent == Sent.BEGUN) {
        sent = kept(owner, stored, parts, plan, isCompletable);
      }
      if (sent != Sent.BEGUN) {
        loop.lane().unpin(head);
        return sent;
      }
      pinned = stored;
      slices = parts == null ? stored : parts;
    }
    if (pinned != null && !isCompletable) {
      // Given back when the response is over, whatever becomes of it.
      owner.fallback().keeps(pinned);
    }
    try {
      begin(request, response, owner, head, meta, plan, slices, parts, result, why, now);
    } finally {
      if (parts != null) {
        parts.release();
      } else if (pinned != null && isCompletable) {
        pinned.release();
      }
    }
    return Sent.BEGUN;
  }

  /**
   * What says for sure that bytes which the origin sends are of the same body; null where what the
   * stored object lacks may not be fetched, or was tried to be fetched without success.
   */
  private @Nullable BodyRemainder validator(
      ClientRequest request, Owner owner, StoredHead head, StoredMeta meta) {
    return !owner.isIncomplete()
            && request.hasParts()
            && head.sliceBytes() == loop.store().sliceBytes()
        ? BodyRemainder.of(meta, head.totalLength())
        : null;
  }

  /** Whether one chunk, which is sent with the head, is all of the body that is wanted. */
  private static boolean isOneChunk(ClientResponse response, ResponsePlan plan, int sliceBytes) {
    return plan.parts().isEmpty()
        && plan.to() - plan.from() <= response.sink().chunkBytes()
        && plan.from() / sliceBytes == (plan.to() - 1) / sliceBytes;
  }

  /**
   * Pins what must still be readable when the head has gone: of a body that can be completed the
   * slice that goes out with the head, of another one every slice that is wanted (I9).
   */
  private static Sent kept(
      Owner owner,
      StoredBody stored,
      @Nullable PartialBody parts,
      ResponsePlan plan,
      boolean isCompletable) {
    Runnable onceLoaded = owner::onLoaded;
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

  /** What is sent; also notes the tag of a coded representation that the client has. */
  static ResponsePlan plan(ClientRequest request, StoredMeta meta, long totalLength) {
    request.confirmedTag(null);
    if (meta.isCompressible()
        && !request.isFromPeer()
        && request.view().has(KnownField.IF_NONE_MATCH)
        && Representation.of(request.view(), meta, request.config().compression(request.route()))
            instanceof Representation.Confirmed(String etag)) {
      request.confirmedTag(etag);
      return ResponsePlan.notModified();
    }
    return ResponsePlan.of(request.view(), meta, totalLength, request.route().ranges().maxRanges());
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
      case HELD_BACK -> Sent.HELD_BACK;
      case REFUSED -> Sent.INCOMPLETE;
    };
  }

  /**
   * Sends the head and begins with the body.
   *
   * @param slices the body, if there is one that is not in the head's record
   * @param partial the same, where some of it has to be fetched
   */
  private void begin(
      ClientRequest request,
      ClientResponse response,
      Owner owner,
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
      parts = sendHead(request, response, owner, head, meta, plan, partial, result, why, now);
    } catch (RuntimeException | Error e) {
      loop.lane().unpin(head);
      throw e;
    }
    if (!plan.hasBody()) {
      loop.lane().unpin(head);
      response.over();
    } else if (slices == null) {
      // The head's pin goes with the body.
      sendInline(response, head, plan, parts);
    } else {
      if (!isOneChunk(response, plan, head.sliceBytes()) || partial != null) {
        // One chunk goes out with the head.
        owner
            .fallback()
            .mayFetchRest(
                request.hasParts() ? BodyRemainder.of(meta, head.totalLength()) : null,
                plan,
                head.objectId(),
                head.sliceBytes());
      }
      loop.lane().unpin(head);
      Delivery delivery = delivery(response, slices, plan, parts);
      response.sends(delivery);
      delivery.onProgress();
    }
  }

  /**
   * Sends the head of a stored object, which is pinned.
   *
   * @return what stands around the parts of the body that are to follow, if there are several
   */
  private @Nullable Multipart sendHead(
      ClientRequest request,
      ClientResponse response,
      Owner owner,
      StoredHead head,
      StoredMeta meta,
      ResponsePlan plan,
      @Nullable PartialBody partial,
      CacheResult result,
      Reason why,
      long now) {
    long total = head.totalLength();
    if (request.isFromPeer()) {
      int offset = head.headOffset() + meta.length();
      byte[] block = leases.copy(head, offset, head.headLength() - meta.length());
      boolean isStored = result != CacheResult.MISS && result != CacheResult.JOINED;
      return sendPeerHead(
          request,
          response,
          meta,
          block,
          plan,
          total,
          Age.currentAgeSeconds(meta, now),
          cacheStatus(request, owner, meta, result, why, now),
          isStored ? PeerResponseField.Source.STORE : PeerResponseField.Source.FETCH,
          result,
          why);
    }
    DebugFields debug = request.debug();
    if (debug != null) {
      debug.stored(meta, why, now);
    }
    HeadWriter out = heads.begin(response.sink(), plan.status(), request.rules());
    int blockOffset = head.headOffset() + meta.length();
    int blockLength = head.headLength() - meta.length();
    int replaced = HstsLine.write(request, out, loop.store().bytes(head), blockOffset, blockLength);
    blockOffset += replaced;
    blockLength -= replaced;
    Multipart parts = null;
    DigestPreferences wanted = wantedDigests(request);
    if (!plan.parts().isEmpty()) {
      byte[] block =
          preferred(wanted, request, meta, plan, leases.copy(head, blockOffset, blockLength));
      parts = PartLines.copy(out.fields(), block, plan.parts(), total, requestIds);
      standsFor(out, plan, meta, block);
    } else if (plan.sendsAllFields() && wanted.isNone()) {
      leases.copyTo(out.fields(), head, blockOffset, blockLength);
      standsFor(out, plan, meta, null);
    } else if (plan.sendsAllFields()) {
      byte[] block = leases.copy(head, blockOffset, blockLength);
      out.fields().writeBytes(preferred(wanted, request, meta, plan, block));
      standsFor(out, plan, meta, null);
    } else {
      byte[] block = tagged(request, leases.copy(head, blockOffset, blockLength));
      NotModifiedLines.copy(out.fields(), block);
      standsFor(out, plan, meta, block);
    }
    if (meta.hasContentDigest() && !isWholeContent(request, plan)) {
      out.withoutContentDigest();
    }
    if (meta.lacksVary()) {
      out.variesByEncoding();
    }
    DictionaryLines.write(
        out,
        request.config(),
        request.route(),
        request.view().scheme(),
        meta,
        plan.status() == meta.status(),
        loop.store().bytes(head),
        blockOffset,
        blockLength);
    TagFields.filter(out, request.config(), request.client());
    tellPlayer(request, response, out, true);
    out.age(Age.currentAgeSeconds(meta, now)).via(request.config().viaLine());
    boolean isFetched = result == CacheResult.MISS || result == CacheResult.JOINED;
    String fetched = partial == null || isFetched ? null : partial.cacheStatus();
    if (partial != null && fetched != null) {
      out.cacheStatus(fetched);
      sendHead(response, out, plan, parts, total, partial.result(), Reason.MISS_PARTIAL);
    } else {
      cacheStatus(request.config().cacheStatus(), owner, out, meta, result, why, now);
      sendHead(response, out, plan, parts, total, result, why);
    }
    return parts;
  }

  /**
   * The fields of a stored object as they are stored; its head is pinned, or what was read is held.
   */
  HeaderFields fields(StoredHead head, StoredMeta meta) {
    int offset = head.headOffset() + meta.length();
    return StreamCoding.fields(leases.copy(head, offset, head.headLength() - meta.length()));
  }

  private void tellPlayer(
      ClientRequest request, ClientResponse response, HeadWriter out, boolean isStored) {
    PlayerReports.tell(
        out,
        request.config(),
        request.route(),
        context.load().isShedding(),
        isStored,
        response.record().nanosSoFar());
  }

  /** Whether the content that is sent is the whole body: a HEAD's is empty (RFC 9530 §2). */
  private static boolean isWholeContent(ClientRequest request, ResponsePlan plan) {
    return plan.status() != 206 && !request.isHead();
  }

  /** Which digests the client wants, where the route has digests. */
  private static DigestPreferences wantedDigests(ClientRequest request) {
    return request.config().digests(request.route()).isOn()
        ? DigestPreferences.of(request.view().fields())
        : DigestPreferences.NONE;
  }

  /** Lines with the digests that are wanted. */
  private static byte[] preferred(
      DigestPreferences wanted,
      ClientRequest request,
      StoredMeta meta,
      ResponsePlan plan,
      byte[] block) {
    if (wanted.isNone()) {
      return block;
    }
    // To other methods the response need not be a representation of what the URL names.
    boolean isWhole = meta.status() == 200 && request.view().contentDigest() == null;
    HeaderFields stored = StreamCoding.fields(block);
    return StreamCoding.block(wanted.applied(stored, isWhole, isWholeContent(request, plan)));
  }

  /** Lines with the tag of the representation that the client has. */
  private static byte[] tagged(ClientRequest request, byte[] block) {
    String confirmed = request.confirmedTag();
    return confirmed == null ? block : CopyHead.withTag(block, confirmed);
  }

  /** Writes all lines of a whole, fresh response but those about framing. */
  void writeFresh(
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
    leases.copyTo(out.fields(), head.region(), blockOffset + replaced, blockLength - replaced);
    if (meta.lacksVary()) {
      out.variesByEncoding();
    }
    boolean featured = snapshot.hasFeatures(route);
    if (featured) {
      DictionaryLines.write(
          out,
          snapshot,
          route,
          scheme,
          meta,
          true,
          loop.store().region(head.region()),
          blockOffset,
          blockLength);
    }
    TagFields.filter(out, snapshot, client);
    if (featured) {
      PlayerReports.tell(out, snapshot, route, context.load().isShedding(), true, 0);
    }
    long ageMillis = Age.currentAgeMillis(meta, now);
    long ttlSeconds = Age.timeToLiveSeconds(meta.freshnessLifetimeMillis(), ageMillis);
    out.age(Age.seconds(ageMillis))
        .via(snapshot.viaLine())
        .cacheStatusHit(snapshot.cacheStatus(), Reason.HIT_FRESH, ttlSeconds);
  }

  private void sendInline(
      ClientResponse response, StoredHead head, ResponsePlan plan, @Nullable Multipart parts) {
    ResponseSink sink = response.sink();
    if (parts == null) {
      int length = (int) (plan.to() - plan.from());
      response.record().bodyBytes(length);
      Delivery.sendPinned(leases, sink, head, (int) plan.from(), length);
    } else {
      response.record().bodyBytes(parts.lengthBytes());
      Delivery.sendPinned(leases, sink, head, parts);
    }
    response.over();
  }

  Delivery delivery(
      ClientResponse response, BodyBytes body, ResponsePlan plan, @Nullable Multipart parts) {
    ResponseSink sink = response.sink();
    return parts == null
        ? new Delivery(leases, loop.eventLoop(), sink, body, plan.from(), plan.to(), response)
        : new Delivery(leases, loop.eventLoop(), sink, body, parts, response);
  }

  /** This node's member of Cache-Status, for what another body is sent for. */
  String cacheStatus(
      ClientRequest request,
      Owner owner,
      StoredMeta meta,
      CacheResult result,
      Reason why,
      long now) {
    CacheStatus status = request.config().cacheStatus();
    return switch (result) {
      case REVALIDATED -> status.forwarded(why, 304, true, owner.hasJoined(), null);
      case MISS, JOINED -> status.forwarded(why, 206, true, result == CacheResult.JOINED, null);
      default -> status.hit(why, Age.timeToLiveSeconds(meta, now));
    };
  }

  private static void cacheStatus(
      CacheStatus cacheStatus,
      Owner owner,
      HeadWriter out,
      StoredMeta meta,
      CacheResult result,
      Reason why,
      long now) {
    if (result == CacheResult.REVALIDATED) {
      out.cacheStatus(cacheStatus.forwarded(why, 304, true, owner.hasJoined(), null));
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
  @SuppressWarnings("ReferenceEquality") // the very same where the lines were not edited
  @Nullable Multipart sendHeadOf(
      ClientRequest request,
      ClientResponse response,
      FillHead head,
      StoredMeta meta,
      ResponsePlan plan,
      long total,
      boolean isLeader) {
    if (request.isFromPeer()) {
      return sendPeerHead(
          request,
          response,
          meta,
          head.block(),
          plan,
          total,
          Age.currentAgeSeconds(meta, loop.nowMillis()),
          request
              .config()
              .cacheStatus()
              .forwarded(request.reason(), head.originStatus(), true, !isLeader, null),
          PeerResponseField.Source.FETCH,
          isLeader ? CacheResult.MISS : CacheResult.JOINED,
          request.reason());
    }
    DebugFields debug = request.debug();
    if (debug != null) {
      debug.stored(meta, request.reason(), loop.nowMillis());
    }
    byte[] stored = head.block();
    byte[] block = coded(request, response, stored, plan, total);
    boolean lacksVary = meta.lacksVary() && block == stored;
    HeadWriter out = heads.begin(response.sink(), plan.status(), request.rules());
    int replaced = HstsLine.write(request, out, MemorySegment.ofArray(block), 0, block.length);
    if (replaced > 0) {
      block = Arrays.copyOfRange(block, replaced, block.length);
    }
    block = preferred(wantedDigests(request), request, meta, plan, block);
    Multipart parts = null;
    if (!plan.parts().isEmpty()) {
      parts = PartLines.copy(out.fields(), block, plan.parts(), total, requestIds);
      standsFor(out, plan, meta, block);
    } else if (plan.sendsAllFields()) {
      out.fields().writeBytes(block);
      standsFor(out, plan, meta, null);
    } else {
      NotModifiedLines.copy(out.fields(), tagged(request, block));
      standsFor(out, plan, meta, block);
    }
    if (meta.hasContentDigest() && !isWholeContent(request, plan)) {
      out.withoutContentDigest();
    }
    if (lacksVary) {
      out.variesByEncoding();
    }
    DictionaryLines.write(
        out,
        request.config(),
        request.route(),
        request.view().scheme(),
        meta,
        plan.status() == meta.status(),
        MemorySegment.ofArray(block),
        0,
        block.length);
    TagFields.filter(out, request.config(), request.client());
    tellPlayer(request, response, out, !isLeader);
    long age = Age.currentAgeSeconds(meta, loop.nowMillis());
    if (age > 0 || !isLeader) {
      // Without an Age the response was made for this very request (RFC 9111 §5.1).
      out.age(age);
    }
    out.via(request.config().viaLine());
    Reason why = request.reason();
    out.cacheStatus(
        request.config().cacheStatus().forwarded(why, head.originStatus(), true, !isLeader, null));
    CacheResult result = isLeader ? CacheResult.MISS : CacheResult.JOINED;
    sendHead(response, out, plan, parts, total, result, why);
    return parts;
  }

  /**
   * Sends another node the lines as they are stored: what clients of its do not get, it needs.
   *
   * @param cacheStatus this node's member
   */
  private @Nullable Multipart sendPeerHead(
      ClientRequest request,
      ClientResponse response,
      StoredMeta meta,
      byte[] block,
      ResponsePlan plan,
      long total,
      long ageSeconds,
      String cacheStatus,
      PeerResponseField.Source source,
      CacheResult result,
      Reason why) {
    HeadWriter out = heads.begin(response.sink(), plan.status(), null);
    Multipart parts = null;
    if (!plan.parts().isEmpty()) {
      parts = PartLines.copy(out.fields(), block, plan.parts(), total, requestIds);
    } else if (plan.sendsAllFields() || plan.status() == 304) {
      // The other node purges by what it stores: tags may have changed though the bytes did not.
      out.fields().writeBytes(block);
    } else {
      NotModifiedLines.copy(out.fields(), block);
    }
    PeerRequestHandler.mark(out, request, source);
    out.line(PeerRequestHandler.lifetime(request, meta, block, loop.nowMillis()));
    if (ageSeconds > 0 || source == PeerResponseField.Source.STORE) {
      out.age(ageSeconds);
    }
    out.cacheStatus(cacheStatus);
    sendHead(response, out, plan, parts, total, result, why);
    return parts;
  }

  /** The lines of a whole response as they are sent, where the body is coded on its way too. */
  private byte[] coded(
      ClientRequest request, ClientResponse response, byte[] block, ResponsePlan plan, long total) {
    boolean isWhole = plan.status() != 206 && plan.parts().isEmpty() && plan.sendsAllFields();
    return isWhole && plan.hasBody()
        ? StreamCoding.applyToFill(context, request, response, plan.status(), block, total)
        : block;
  }

  /** To rules, a range or a 304 is the response that it is of; a 412 or 416 is another one. */
  private static void standsFor(
      HeadWriter out, ResponsePlan plan, StoredMeta meta, byte @Nullable [] block) {
    if (plan.status() == 206 || plan.status() == 304) {
      out.standsFor(meta.status(), block);
    }
  }

  private static void sendHead(
      ClientResponse response,
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
    long length =
        response.isCoded()
            ? ResponseSink.LENGTH_UNKNOWN
            : parts == null ? plan.contentLength() : parts.lengthBytes();
    out.send(length, !plan.hasBody());
    response.onHeadSent(plan.status(), result, why);
    if (!plan.hasBody()) {
      response.sink().flush();
    }
  }
}
