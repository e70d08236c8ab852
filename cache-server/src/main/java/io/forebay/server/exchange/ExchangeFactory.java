package io.forebay.server.exchange;

import io.forebay.core.http.Latin1Text;
import io.forebay.core.http.RequestView;
import io.forebay.core.http.TargetUri;
import io.forebay.core.http.WireRequest;
import io.forebay.core.peer.PeerRequestField;
import io.forebay.core.policy.ProxyError;
import io.forebay.core.policy.ProxyStatus;
import io.forebay.core.route.FreshnessSettings;
import io.forebay.core.route.Route;
import io.forebay.server.config.EsiConfig;
import io.forebay.server.esi.EsiContext;
import io.forebay.server.esi.EsiRole;
import io.forebay.server.esi.PageAssembly;
import io.forebay.server.esi.Subrequests;
import io.forebay.server.http.ClientInfo;
import io.forebay.server.http.RequestBody;
import io.forebay.server.http.RequestHandler;
import io.forebay.server.http.ResponseSink;
import io.forebay.server.loop.LoopLoad;
import io.forebay.server.loop.Transport;
import io.forebay.server.protect.url.DebugToken;
import io.forebay.server.runtime.RuntimeConfig;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Starts the exchanges of one loop, each with the configuration in force at its start. */
public final class ExchangeFactory implements RequestHandler {

  private final ExchangeContext loop;
  private final Supplier<RuntimeConfig> snapshots;
  private final Lookup lookup;
  private final StoredResponseSender responses;
  private final CopyLookup copies;
  private final PlayerReports players;
  private final Prefetcher prefetcher;
  private final FreshHitResponder freshHit;
  private final EsiContext esi;
  private final Latin1Text token = new Latin1Text();

  public ExchangeFactory(ExchangeContext loop, Supplier<RuntimeConfig> snapshots) {
    this.loop = loop;
    this.snapshots = snapshots;
    this.lookup = new Lookup(loop.filling());
    this.responses = new StoredResponseSender(loop);
    this.copies = new CopyLookup(loop.filling(), loop.copies(), loop.dictionaries());
    this.esi =
        new EsiContext(
            loop.eventLoop(),
            Transport.ALLOCATOR,
            loop.compressors(),
            loop.leases().copies(),
            loop.counters().esi);
    this.players = new PlayerReports(loop.counters());
    this.prefetcher = new Prefetcher(loop, lookup);
    this.freshHit = new FreshHitResponder(loop, responses, copies, players);
  }

  @Override
  public String proxyStatus(ProxyError error) {
    return snapshots.get().proxyStatus().error(error, ProxyStatus.NO_MORE);
  }

  @Override
  public LoopLoad load() {
    return loop.load();
  }

  @Override
  public boolean takesPurges() {
    return snapshots.get().config().purge().isOn();
  }

  @Override
  public boolean answerAtOnce(WireRequest request, ResponseSink sink, ClientInfo client) {
    if (loop.challenges().mayAnswer(request.scheme(), request.pathText())) {
      // A validation must not get a stored answer: the exchange sees it first.
      return false;
    }
    RuntimeConfig snapshot = snapshots.get();
    if (snapshot.debugToken() != null && request.field(DebugFields.NAME, token)) {
      return false;
    }
    return snapshot.httpsRedirect(request.scheme(), client) == 0
        && freshHit.send(snapshot, request, sink, client);
  }

  @Override
  public void start(RequestView request, RequestBody body, ResponseSink sink, ClientInfo client) {
    RuntimeConfig snapshot = snapshots.get();
    if (!snapshot.assembles() || !assembled(snapshot, request, body, sink, client)) {
      start(snapshot, request, body, sink, client, null);
    }
  }

  /** Begins the assembly of a page, if the route of the request assembles some. */
  private boolean assembled(
      RuntimeConfig snapshot,
      RequestView request,
      RequestBody body,
      ResponseSink sink,
      ClientInfo client) {
    Route route = snapshot.routes().match(request.authority(), request.path());
    if (route == null
        || !snapshot.esi(route).isOn()
        || !(request.method().equals("GET") || request.method().equals("HEAD"))) {
      return false;
    }
    PageAssembly.begin(
        esi,
        snapshot.esi(route),
        snapshot.compression(route),
        route.settings().freshness().consumes(FreshnessSettings.SURROGATE_CONTROL),
        request,
        body,
        sink,
        new Subrequests() {
          @Override
          public void start(
              RequestView asked, RequestBody content, ResponseSink into, EsiRole role) {
            ExchangeFactory.this.start(snapshot, asked, content, into, client, role);
          }

          @Override
          public EsiConfig esi(String authority, String path) {
            Route of = snapshot.routes().match(authority, path);
            return of == null ? EsiConfig.OFF : snapshot.esi(of);
          }
        });
    return true;
  }

  /** Begins the exchange of a request of another node. */
  void startForNode(
      RequestView request, ResponseSink sink, ClientInfo client, PeerRequestField field) {
    ClientRequest received =
        new ClientRequest(
            snapshots.get(), client, request, RequestBody.NONE, loop.store().purgeSequence());
    received.askedBy(field);
    RequestRecord record = new RequestRecord(loop, received, players, prefetcher);
    new Exchange(loop, lookup, copies, responses, received, sink, record).start();
  }

  /** A client of another node has changed what a URL stands for. */
  void forget(TargetUri target) {
    Invalidation.forget(loop.filling(), snapshots.get(), target);
  }

  private void start(
      RuntimeConfig snapshot,
      RequestView request,
      RequestBody body,
      ResponseSink sink,
      ClientInfo client,
      @Nullable EsiRole role) {
    DebugToken tokens = snapshot.debugToken();
    boolean hasToken = tokens != null && request.fields().has(DebugFields.NAME);
    ClientRequest received =
        new ClientRequest(
            snapshot,
            client,
            hasToken ? DebugFields.without(request) : request,
            body,
            loop.store().purgeSequence());
    RequestRecord record = new RequestRecord(loop, received, players, prefetcher);
    if (role != null) {
      received.esi(role);
      record.esi(role);
    }
    if (tokens != null && hasToken && DebugFields.admits(tokens, request, loop.nowMillis())) {
      received.debug(new DebugFields(loop, received, record));
    }
    new Exchange(loop, lookup, copies, responses, received, sink, record).start();
  }
}
