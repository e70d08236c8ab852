package io.forebay.server.exchange;

import io.forebay.core.http.ConditionalFields;
import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.KnownField;
import io.forebay.core.http.RequestView;
import io.forebay.core.http.SyntheticRequest;
import io.forebay.core.http.TargetUri;
import io.forebay.core.policy.Decider;
import io.forebay.core.route.Route;
import io.forebay.server.counters.LoopCounters.CacheResult;
import io.forebay.server.counters.PrefetchCounters;
import io.forebay.server.fill.Fill;
import io.forebay.server.fill.FillHead;
import io.forebay.server.fill.history.FillKey;
import io.forebay.server.http.ClientInfo;
import io.forebay.server.http.RequestBody;
import io.forebay.server.prefetch.NextSegment;
import io.forebay.server.prefetch.PrefetchBudget;
import io.forebay.server.prefetch.PrefetchSettings;
import io.forebay.server.prefetch.PrefetchSettings.Source;
import io.forebay.server.prefetch.SegmentNumber;
import io.forebay.server.prefetch.SegmentStreams;
import io.forebay.server.runtime.RuntimeConfig;
import io.forebay.storage.object.StoredHead;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Fetches the next objects of popular streams into the store before clients ask for them, on routes
 * that say so. A fetch is a fill without a client, of the lowest priority: it never waits at an
 * origin's limit, it ends when requests of clients have to wait there, and what it cannot store
 * leaves no trace for clients.
 *
 * <p>One per loop, confined to it; the budget is the node's.
 */
final class Prefetcher {
  /** Objects that one request can name. */
  private static final int MAX_NAMED = 2;

  /** An object may be larger than those of its stream so far by this factor. */
  private static final int MAX_GROWTH = 2;

  /** After that time a fetch for a stream that is no longer popular is given up. */
  private static final long CHECK_SECONDS = 5;

  private final ExchangeContext loop;
  private final Lookup lookup;
  private final PrefetchBudget budget;
  private final SegmentStreams streams = new SegmentStreams();

  Prefetcher(ExchangeContext loop, Lookup lookup) {
    this.loop = loop;
    this.lookup = lookup;
    this.budget = loop.prefetches();
  }

  /**
   * What is needed to ask for another object as the client of a request would.
   *
   * @param asked the request as a fill would send it; a copy
   */
  private record Cause(
      RuntimeConfig config,
      PrefetchSettings settings,
      ClientInfo client,
      Route route,
      RequestView asked,
      String stream) {
    static Cause of(ClientRequest request, PrefetchSettings settings, String stream) {
      return new Cause(
          request.config(),
          settings,
          request.client(),
          request.route(),
          request.question(),
          stream);
    }
  }

  // --- what clients do --------------------------------------------------------------------------

  /**
   * The head of a response has been sent.
   *
   * @param named the next objects, as CMCD names them
   */
  void onHead(ClientRequest request, int status, CacheResult result, List<String> named) {
    Route route = request.routeIfAny();
    PrefetchSettings settings = route == null ? PrefetchSettings.OFF : settings(request);
    if (!settings.isOn()) {
      return;
    }
    long now = loop.nowMillis();
    PrefetchCounters counters = loop.counters().prefetch;
    counters.wastedBytes += budget.expired(now);
    if (isStored(result)) {
      onUsed(budget.served(request.keyHi(), request.keyLo()), settings);
    }
    if (!isOfStream(request, status, result)) {
      return;
    }
    RequestView view = request.view();
    SegmentNumber number = SegmentNumber.of(view.path());
    String name = stream(view.authority(), view.path(), number);
    SegmentStreams.Stream stream = streams.asked(name, number == null ? -1 : number.number(), now);
    if (stream == null || stream.bytes() == 0 || !stream.isPopular(settings.after(), now)) {
      return;
    }
    if (settings.has(Source.CMCD)) {
      TargetUri asked = TargetUri.of(view);
      for (int i = 0; i < Math.min(named.size(), MAX_NAMED); i++) {
        offer(request, settings, name, NextSegment.ofCmcd(asked, named.get(i)));
      }
    }
    if (settings.has(Source.NUMBER) && number != null && stream.countsUp()) {
      offer(
          request,
          settings,
          name,
          new TargetUri(view.scheme(), view.authority(), number.next(), view.query()));
    }
  }

  /** The response is over, and has brought so many bytes of its body. */
  void onEnd(ClientRequest request, int status, CacheResult result, long bytes) {
    Route route = request.routeIfAny();
    PrefetchSettings settings = route == null ? PrefetchSettings.OFF : settings(request);
    if (!settings.isOn()) {
      return;
    }
    if (result == CacheResult.MISS) {
      budget.earned(bytes, settings.sharePercent());
    }
    if (status != 200 || !isOfStream(request, status, result)) {
      return;
    }
    RequestView view = request.view();
    SegmentNumber number = SegmentNumber.of(view.path());
    String name = stream(view.authority(), view.path(), number);
    streams.had(name, bytes);
    SegmentStreams.Stream stream = streams.find(name);
    if (settings.has(Source.PLAYLIST)
        && isPlaylist(view.path())
        && stream != null
        && stream.isPopular(settings.after(), loop.nowMillis())) {
      Cause cause = Cause.of(request, settings, name);
      loop.eventLoop().execute(() -> followPlaylist(cause));
    }
  }

  private static PrefetchSettings settings(ClientRequest request) {
    return request.config().prefetch(request.route());
  }

  private static boolean isStored(CacheResult result) {
    return result == CacheResult.HIT
        || result == CacheResult.STALE
        || result == CacheResult.REVALIDATED;
  }

  /** Whether what a client got says something of what comes next, for all clients. */
  private static boolean isOfStream(ClientRequest request, int status, CacheResult result) {
    RequestView view = request.view();
    return (status == 200 || status == 206)
        && (isStored(result) || result == CacheResult.MISS || result == CacheResult.JOINED)
        && view.method().equals("GET")
        && !view.has(KnownField.COOKIE)
        && !view.has(KnownField.AUTHORIZATION);
  }

  private static boolean isPlaylist(String path) {
    return path.toLowerCase(Locale.ROOT).endsWith(".m3u8");
  }

  private static String stream(String authority, String path, @Nullable SegmentNumber number) {
    return authority + (number == null ? path : number.stream());
  }

  private void onUsed(long bytes, PrefetchSettings settings) {
    if (bytes > 0) {
      loop.counters().prefetch.usedBytes += bytes;
      budget.earned(bytes, settings.sharePercent());
    }
  }

  // --- what comes next --------------------------------------------------------------------------

  private void offer(
      ClientRequest request, PrefetchSettings settings, String stream, @Nullable TargetUri next) {
    if (next == null || next.path().length() > SegmentStreams.MAX_NAME) {
      return;
    }
    // Without what the key leaves out, such as CMCD.
    String url = request.route().keyRecipe().url().canonical(next).toString();
    if (streams.mayTry(url, loop.nowMillis())) {
      Cause cause = Cause.of(request, settings, stream);
      // What is sent now still uses what a lookup changes.
      loop.eventLoop().execute(() -> fetch(cause, next, url));
    }
  }

  /** Looks what the stored playlist ends with. */
  private void followPlaylist(Cause cause) {
    ClientRequest playlist = request(cause, cause.asked(), cause.route());
    if (lookup.find(playlist) != LookupSteps.Found.OBJECT) {
      return;
    }
    StoredHead head = loop.lane().head();
    byte[] text = new byte[0];
    if (head.bodyOffset() >= 0 && streams.isNew(cause.stream(), head.objectId())) {
      MemorySegment memory = loop.store().bytes(head);
      text = memory.asSlice(head.bodyOffset(), head.totalLength()).toArray(ValueLayout.JAVA_BYTE);
    }
    loop.lane().unpin(head);
    if (text.length > 0) {
      TargetUri next =
          NextSegment.ofPlaylist(
              TargetUri.of(cause.asked()), new String(text, StandardCharsets.UTF_8));
      if (next != null && streams.mayTry(next.toString(), loop.nowMillis())) {
        fetch(cause, next, next.toString());
      }
    }
  }

  private ClientRequest request(Cause cause, RequestView view, Route route) {
    ClientRequest made =
        new ClientRequest(
            cause.config(), cause.client(), view, RequestBody.NONE, loop.store().purgeSequence());
    made.route(route);
    return made;
  }

  /** Fetches an object if it is one of the same route, may be stored, is not, and has room. */
  private void fetch(Cause cause, TargetUri target, String url) {
    Route route = cause.config().routes().match(target.authority(), target.path());
    if (route == null || !route.name().equals(cause.route().name())) {
      return;
    }
    ClientRequest next =
        request(cause, SyntheticRequest.of("GET", target, copy(cause.asked())), route);
    if (!RuleResponder.admits(loop, next)
        || Decider.decideBeforeLookup(next.view(), next.route()) != null) {
      return;
    }
    switch (lookup.find(next)) {
      case NOTHING, OTHER_VARIANTS -> start(cause, next, url);
      case OBJECT -> loop.lane().unpin(loop.lane().head());
      default -> {}
    }
  }

  private static HeaderFields copy(RequestView asked) {
    HeaderFields.Builder fields = HeaderFields.builder();
    asked
        .fields()
        .forEach((name, value) -> {
          String lower = name.toString().toLowerCase(Locale.ROOT);
          if (!ConditionalFields.has(lower)) {
            fields.add(lower, value);
          }
        });
    return fields.build();
  }

  // --- the fetch --------------------------------------------------------------------------------

  private void start(Cause cause, ClientRequest next, String url) {
    FillKey key = next.key();
    long now = loop.nowMillis();
    if (loop.fills().find(key) != null
        || loop.history().hitForMiss().isKnown(key, next.view(), now)) {
      return;
    }
    SegmentStreams.Stream ofNext =
        streams.find(
            stream(
                next.view().authority(), next.view().path(), SegmentNumber.of(next.view().path())));
    SegmentStreams.Stream ofCause = streams.find(cause.stream());
    SegmentStreams.Stream like = ofNext != null && ofNext.bytes() > 0 ? ofNext : ofCause;
    if (like == null || loop.load().isShedding() || loop.fills().isFull()) {
      streams.failed(url, now);
      return;
    }
    long most = MAX_GROWTH * like.bytes();
    if (!budget.tryBegin(most, cause.settings(), now)) {
      loop.counters().prefetch.heldBack++;
      streams.failed(url, now);
      return;
    }
    Fill fill = FillStarter.ahead(loop.filling(), next, most);
    if (fill == null || loop.fills().register(key, fill) != null) {
      budget.end(most);
      return;
    }
    if (lookup.findServable(next) != LookupSteps.Found.NOTHING) {
      fill.withdraw();
      budget.end(most);
      return;
    }
    loop.counters().prefetch.started++;
    loop.fills().beginAhead(fill);
    fill.whenOver(() -> onOver(fill, most, cause.settings(), url));
    fill.start();
    loop.eventLoop().schedule(() -> giveUpUnpopular(fill, cause), CHECK_SECONDS, TimeUnit.SECONDS);
  }

  private void giveUpUnpopular(Fill fill, Cause cause) {
    SegmentStreams.Stream stream = streams.find(cause.stream());
    if (stream == null || !stream.isPopular(cause.settings().after(), loop.nowMillis())) {
      fill.giveUp();
    }
  }

  private void onOver(Fill fill, long reserved, PrefetchSettings settings, String url) {
    PrefetchCounters counters = loop.counters().prefetch;
    loop.fills().endAhead(fill);
    budget.end(reserved);
    long bytes = fill.receivedBytes();
    counters.bytes += bytes;
    FillHead head = fill.head();
    if (fill.state() != Fill.State.COMPLETE || head == null) {
      streams.failed(url, loop.nowMillis());
      counters.unfinished++;
      counters.wastedBytes += bytes;
      budget.wasted(bytes);
    } else if (fill.wasJoined()) {
      onUsed(bytes, settings);
    } else {
      FillKey stored = head.variantKey();
      budget.fetched(stored.hi(), stored.lo(), bytes, loop.nowMillis());
    }
  }
}
