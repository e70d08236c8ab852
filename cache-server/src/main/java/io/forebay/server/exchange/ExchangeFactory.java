package io.forebay.server.exchange;

import io.forebay.core.http.Latin1Text;
import io.forebay.core.http.RequestView;
import io.forebay.core.http.WireRequest;
import io.forebay.core.policy.ProxyError;
import io.forebay.core.policy.ProxyStatus;
import io.forebay.server.http.ClientInfo;
import io.forebay.server.http.RequestBody;
import io.forebay.server.http.RequestHandler;
import io.forebay.server.http.ResponseSink;
import io.forebay.server.loop.LoopLoad;
import io.forebay.server.protect.url.DebugToken;
import io.forebay.server.runtime.RuntimeConfig;
import java.util.function.Supplier;

/** Starts the exchanges of one loop, each with the configuration in force at its start. */
public final class ExchangeFactory implements RequestHandler {

  private final ExchangeContext loop;
  private final Supplier<RuntimeConfig> snapshots;
  private final Lookup lookup;
  private final StoredResponseSender responses;
  private final CopyLookup copies;
  private final FreshHitResponder freshHit;
  private final Latin1Text token = new Latin1Text();

  public ExchangeFactory(ExchangeContext loop, Supplier<RuntimeConfig> snapshots) {
    this.loop = loop;
    this.snapshots = snapshots;
    this.lookup = new Lookup(loop.filling());
    this.responses = new StoredResponseSender(loop);
    this.copies = new CopyLookup(loop.filling(), loop.copies());
    this.freshHit = new FreshHitResponder(loop, responses, copies);
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
    DebugToken tokens = snapshot.debugToken();
    boolean hasToken = tokens != null && request.fields().has(DebugFields.NAME);
    ClientRequest received =
        new ClientRequest(
            snapshot,
            client,
            hasToken ? DebugFields.without(request) : request,
            body,
            loop.store().purgeSequence());
    RequestRecord record = new RequestRecord(loop, received);
    if (tokens != null && hasToken && DebugFields.admits(tokens, request, loop.nowMillis())) {
      received.debug(new DebugFields(loop, received, record));
    }
    new Exchange(loop, lookup, copies, responses, received, sink, record).start();
  }
}
