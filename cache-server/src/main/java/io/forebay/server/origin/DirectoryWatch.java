package io.forebay.server.origin;

import io.forebay.server.counters.LoopCounters;
import io.forebay.server.counters.OriginCounters;
import io.forebay.server.origin.call.OriginCall;
import io.forebay.server.origin.call.OriginFailure;
import io.forebay.server.origin.call.OriginListener;
import io.forebay.server.origin.call.OriginRequest;
import io.forebay.server.origin.files.FileCall;
import io.forebay.server.origin.files.ServedDirectory;
import io.forebay.server.origin.group.Origin;

/** Counts and logs a call that a directory answers, as {@link PooledCall} does those to servers. */
final class DirectoryWatch implements FileCall.Watch {
  private final PooledOriginClient client;
  private final Origin origin;
  private final OriginCounters counters;
  private final long startNanos;

  private DirectoryWatch(PooledOriginClient client, Origin origin) {
    this.client = client;
    this.origin = origin;
    LoopCounters loop = client.counters();
    this.counters = loop.origin(loop.names().origins().number(origin.name()));
    this.startNanos = client.loop().ticker().nanoTime();
    loop.originFetches++;
    counters.requests++;
  }

  static OriginCall send(
      PooledOriginClient client,
      Origin origin,
      ServedDirectory directory,
      OriginRequest request,
      OriginListener listener) {
    return FileCall.send(
        client.loop(),
        client.allocator(),
        client.shared().files(),
        directory,
        origin.config(),
        request,
        listener,
        new DirectoryWatch(client, origin));
  }

  private long elapsedNanos() {
    return client.loop().ticker().nanoTime() - startNanos;
  }

  @Override
  public void onHead(int status) {
    long nanos = elapsedNanos();
    client.counters().originFirstByte.record(nanos);
    counters.firstByte.record(nanos);
    counters.countResponse(status);
    client.shared().watch(origin.name()).onAnswer(origin);
  }

  @Override
  public void onBytes(int count) {
    counters.receivedBytes += count;
  }

  @Override
  public void onEnd() {
    long nanos = elapsedNanos();
    client.counters().originTotal.record(nanos);
    counters.lastByte.record(nanos);
  }

  @Override
  public void onFailure(OriginFailure failure) {
    client.counters().originFailures++;
    counters.countError(failure.kind().counted());
    client.shared().watch(origin.name()).onProblem(origin, failure.detail());
  }
}
