package io.forebay.server.exchange;

import io.forebay.core.http.RequestView;
import io.forebay.core.http.WireRequest;
import io.forebay.core.policy.ProxyError;
import io.forebay.core.policy.ProxyStatus;
import java.util.function.Supplier;

/** Starts the exchanges of one loop, each with the configuration in force at its start. */
public final class LoopExchanges implements Exchanges {

  private final LoopContext loop;
  private final Supplier<Snapshot> snapshots;
  private final FreshHit freshHit;

  public LoopExchanges(LoopContext loop, Supplier<Snapshot> snapshots) {
    this.loop = loop;
    this.snapshots = snapshots;
    this.freshHit = new FreshHit(loop);
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
  public boolean answerAtOnce(WireRequest request, ResponseSink sink, ClientInfo client) {
    return freshHit.send(snapshots.get(), request, sink, client);
  }

  @Override
  public void start(RequestView request, RequestBody body, ResponseSink sink, ClientInfo client) {
    new Exchange(loop, snapshots.get(), request, body, sink, client).start();
  }
}
