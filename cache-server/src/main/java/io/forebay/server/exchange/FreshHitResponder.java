package io.forebay.server.exchange;

import io.forebay.core.http.KnownField;
import io.forebay.core.http.WireRequest;
import io.forebay.core.key.KeyBuilder;
import io.forebay.core.key.KeyRecipe;
import io.forebay.core.policy.Decider;
import io.forebay.core.policy.Reason;
import io.forebay.core.policy.StoredMeta;
import io.forebay.core.route.Route;
import io.forebay.core.route.RouteSettings.ClientDirectives;
import io.forebay.server.accesslog.RequestLog;
import io.forebay.server.cmcd.Cmcd;
import io.forebay.server.compress.ContentCoding;
import io.forebay.server.config.LogSampling;
import io.forebay.server.config.RouteLimits;
import io.forebay.server.config.RouteLog;
import io.forebay.server.counters.LoopCounters;
import io.forebay.server.counters.LoopCounters.CacheResult;
import io.forebay.server.counters.LoopCounters.MethodClass;
import io.forebay.server.deliver.Delivery;
import io.forebay.server.deliver.Leases;
import io.forebay.server.digest.DigestPreferences;
import io.forebay.server.fill.VariantList;
import io.forebay.server.http.ClientInfo;
import io.forebay.server.http.ResponseSink;
import io.forebay.server.pacing.Pacing;
import io.forebay.server.protect.Gatekeeper;
import io.forebay.server.protect.RouteProtection;
import io.forebay.server.response.HeadWriter;
import io.forebay.server.rule.RequestFacts;
import io.forebay.server.rule.RouteRules;
import io.forebay.server.rule.RuleOutcome;
import io.forebay.server.runtime.RuntimeConfig;
import io.forebay.storage.ObjectStore;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.object.StoredHead;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The fast lane around {@link Exchange}: answers a simple request from an object that this loop
 * found recently, if it is fresh and its body lies with its head. It applies the same rules and
 * writes the same lines as an exchange. In any other case it does nothing, and the exchange handles
 * the request.
 *
 * <p>One per loop; allocates nothing while the access log is off.
 */
final class FreshHitResponder {

  private final ExchangeContext loop;
  private final StoredResponseSender responses;
  private final CopyLookup copies;
  private final PlayerReports players;
  private final FreshHitEvent event;

  // Of the request at hand, where its route has rules.
  private final RequestFacts facts = new RequestFacts();
  private final RuleOutcome ruled = new RuleOutcome();

  /** Of routes without rules, where something of the response is logged. */
  private final RuleOutcome unruled = new RuleOutcome();

  // Parts of the loop, kept here because each is used several times a request.
  private final StoreLane lane;
  private final KeyBuilder keys;
  private final StoredMeta meta;
  private final ObjectStore store;
  private final LoopCounters counters;
  private final Leases leases;
  private final HeadWriter heads;
  private final RequestLog requestLog;
  private final Gatekeeper gatekeeper;

  FreshHitResponder(
      ExchangeContext loop,
      StoredResponseSender responses,
      CopyLookup copies,
      PlayerReports players) {
    this.loop = loop;
    this.players = players;
    this.copies = copies;
    this.responses = responses;
    event = new FreshHitEvent(loop.requestIds());
    lane = loop.lane();
    keys = loop.keys();
    meta = loop.meta();
    store = loop.store();
    counters = loop.counters();
    leases = loop.leases();
    heads = loop.heads();
    requestLog = loop.requestLog();
    gatekeeper = loop.gatekeeper();
  }

  /** Sends the whole response, or nothing at all and gives false. */
  boolean send(RuntimeConfig snapshot, WireRequest request, ResponseSink sink, ClientInfo client) {
    long startNanos = System.nanoTime();
    if (loop.isFenced(startNanos)) {
      return false;
    }
    Route route = snapshot.routes().match(request.authority(), request.pathText());
    if (route == null || !isPlain(route, request)) {
      return false;
    }
    boolean featured = snapshot.hasFeatures(route);
    if (featured
        && (snapshot.esi(route).isOn()
            || snapshot.prefetch(route).isOn()
            || (snapshot.digests(route).isOn() && DigestPreferences.areIn(request)))) {
      return false;
    }
    RouteRules rules = featured ? snapshot.rules(route) : null;
    if (rules != null && !staysFast(snapshot, rules, request, client)) {
      return false;
    }
    KeyRecipe recipe = snapshot.keyRecipe(route, rules == null ? null : ruled);
    if (!find(snapshot, route, recipe, request)) {
      return false;
    }
    StoredHead head = lane.head();
    long now = loop.nowMillis();
    RouteProtection gate = featured ? snapshot.gate(route) : null;
    if (!isServable(route, request, head, meta, now)
        || (featured && snapshot.errorPages(route).ofOrigin(meta.status()) != null)) {
      lane.unpin(head.region());
      return false;
    }
    ContentCoding coding = meta.isCodedCopy() ? copies.coding() : null;
    if (meta.isCompressible()) {
      // The lane's head, and the meta, are those of the copy if there is one.
      CopyLookup.Found found = copies.findNear(snapshot, route, request, head, now);
      if (found == CopyLookup.Found.AGAIN) {
        return false;
      }
      coding = found == CopyLookup.Found.COPY ? copies.coding() : null;
    }
    if (!isInline(request, head) || (gate != null && !gatekeeper.admits(gate, request, client))) {
      lane.unpin(head.region());
      return false;
    }
    if (gate != null) {
      gatekeeper.charge(gate, request.isHead() ? 0 : head.totalLength());
    }
    lane.askedFor();
    RuleOutcome edits = observed(snapshot.log(route), rules == null ? null : ruled);
    long bodyBytes = send(snapshot, route, request, sink, client, head, meta, now, edits);
    long nanos = System.nanoTime() - startNanos;
    MethodClass method = request.isHead() ? MethodClass.HEAD : MethodClass.GET;
    counters.countRequest(method, CacheResult.HIT, meta.status());
    counters.served.count(route.number(), client.counterCell(), CacheResult.HIT, bodyBytes);
    counters.fastHits++;
    if (coding != null) {
      counters.copies.served++;
    }
    counters.fastHitTime.record(nanos);
    Cmcd told = featured ? players.read(snapshot, route, request) : null;
    if (requestLog.isEnabled()) {
      requestLog.record(
          event
              .of(
                  snapshot.log(route),
                  route,
                  gate,
                  request,
                  client,
                  coding,
                  meta.status(),
                  bodyBytes,
                  now,
                  nanos)
              .told(told)
              .holding(held(snapshot, route, request, client, now)));
    }
    return true;
  }

  private long held(
      RuntimeConfig snapshot, Route route, WireRequest request, ClientInfo client, long now) {
    LogSampling sampling = snapshot.log(route).sampling();
    return sampling.isOn() && requestLog.hasLines()
        ? RuleResponder.held(sampling, snapshot, route, request, client, now, facts)
        : 0;
  }

  private boolean staysFast(
      RuntimeConfig snapshot, RouteRules rules, WireRequest request, ClientInfo client) {
    return RuleResponder.staysFast(
        snapshot, rules, request, client, loop.nowMillis(), facts, ruled);
  }

  /** Whether the route has nothing of its own to say of such a request. */
  private static boolean isPlain(Route route, WireRequest request) {
    return !route.settings().passthrough()
        && !route.keyRecipe().hasSearchRules()
        && (route.settings().cookies().ignoreRequests() || !request.has(KnownField.COOKIE))
        && !(route.settings().clientDirectives() == ClientDirectives.HONOUR
            && (request.has(KnownField.CACHE_CONTROL) || request.has(KnownField.PRAGMA)));
  }

  /**
   * Finds the object, the variant of it, or the coded copy that was served of either last; its head
   * is pinned then, and its meta wrapped.
   */
  private boolean find(RuntimeConfig snapshot, Route route, KeyRecipe recipe, WireRequest request) {
    if (!keys.build(request, recipe) || !findBuilt(snapshot, route, request)) {
      return false;
    }
    return !meta.isVaryMarker() || findVariant(snapshot, route, recipe, request);
  }

  private boolean findBuilt(RuntimeConfig snapshot, Route route, WireRequest request) {
    if (copies.findLinked(snapshot, route, request)) {
      return true;
    }
    if (!lane.findNear(keys.hi(), keys.lo(), keys.text(), keys.textLength())) {
      return false;
    }
    StoredHead head = lane.head();
    if (meta.wrap(store.region(head.region()), head.headOffset())) {
      return true;
    }
    lane.unpin(head.region());
    return false;
  }

  /** Goes on from the marker that has been found, unless there is more to it than one variant. */
  private boolean findVariant(
      RuntimeConfig snapshot, Route route, KeyRecipe recipe, WireRequest request) {
    StoredHead marker = lane.head();
    int region = marker.region();
    MemorySegment memory = store.region(region);
    long list = marker.headOffset() + (long) meta.length();
    int listLength = marker.headLength() - meta.length();
    boolean isPlain =
        keys.variant(request, meta.selectingFields())
            && !VariantList.hasUnvaried(memory, list, listLength)
            && !VariantList.isDueToMove(
                memory, list, listLength, keys.hi(), keys.lo(), recipe.variants());
    // A marker is not followed by the eviction's samples, so it may be counted before it is sure.
    lane.askedFor();
    lane.unpin(region);
    return isPlain && findBuilt(snapshot, route, request);
  }

  private static boolean isServable(
      Route route, WireRequest request, StoredHead head, StoredMeta meta, long now) {
    return !meta.isVaryMarker()
        && !(meta.hasContentDigest() && request.isHead())
        && meta.status() != 204
        && head.totalLength() >= 0
        && Decider.decide(request, route, meta, head.softPurged(), now).reason() == Reason.HIT_FRESH
        // With the lowest random number an early refresh would start as soon as one is allowed.
        && !Decider.isEarlyRefreshDue(request, meta, route, now, FreshHitResponder::lowest);
  }

  private static boolean isInline(WireRequest request, StoredHead head) {
    return request.isHead() || head.totalLength() == 0 || head.bodyOffset() >= 0;
  }

  private static double lowest() {
    return 0;
  }

  /** The same, with what takes the fields of the response that the route logs. */
  private @Nullable RuleOutcome observed(RouteLog log, @Nullable RuleOutcome ofRules) {
    if (!requestLog.hasLines() || log.responseHeaders().isEmpty()) {
      if (ofRules != null) {
        ofRules.observer(null);
      }
      return ofRules;
    }
    RuleOutcome outcome = ofRules == null ? unruled : ofRules;
    outcome.observer(event.sent().of(log.responseHeaders()));
    return outcome;
  }

  /** Sends the head, and the body with the head's pin; gives the length of the latter. */
  private long send(
      RuntimeConfig snapshot,
      Route route,
      WireRequest request,
      ResponseSink sink,
      ClientInfo client,
      StoredHead head,
      StoredMeta meta,
      long now,
      @Nullable RuleOutcome edits) {
    int region = head.region();
    long length = head.totalLength();
    boolean hasBody = !request.isHead() && length != 0;
    try {
      if (snapshot.hasFeatures(route)) {
        limit(snapshot, route, request, sink, edits);
      }
      HeadWriter out = heads.begin(sink, meta.status(), edits);
      responses.writeFresh(snapshot, route, request.scheme(), client, out, head, meta, now);
      out.send(length, !hasBody);
    } catch (RuntimeException | Error e) {
      lane.unpin(region);
      throw e;
    }
    if (!hasBody) {
      lane.unpin(region);
      return 0;
    }
    Delivery.sendPinned(leases, sink, region, head.bodyOffset(), (int) length);
    return length;
  }

  /** Holds the connection to what the route says of its pace and its deadlines. */
  private void limit(
      RuntimeConfig snapshot,
      Route route,
      WireRequest request,
      ResponseSink sink,
      @Nullable RuleOutcome edits) {
    RouteLimits limits = snapshot.limits(route);
    if (limits != null && limits.limitsConnections()) {
      sink.tighten(limits.noProgressNanos(), limits.keepAliveNanos());
    }
    Pacing pacing = snapshot.pacing(route, edits);
    if (pacing != null) {
      sink.pace(pacing.rate(players.askedRate(pacing, request)), pacing.burstBytes());
    }
  }
}
