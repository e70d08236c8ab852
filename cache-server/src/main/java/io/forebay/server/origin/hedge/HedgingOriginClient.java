package io.forebay.server.origin.hedge;

import io.forebay.server.counters.LoopCounters;
import io.forebay.server.origin.OriginSender;
import io.forebay.server.origin.call.OriginCall;
import io.forebay.server.origin.call.OriginListener;
import io.forebay.server.origin.call.OriginRequest;
import io.forebay.server.origin.call.Priority;
import io.netty.channel.EventLoop;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests a second time when their response is late (Dean and Barroso, "The Tail at Scale",
 * CACM 2013). The listener sees one response; confined to one event loop.
 */
public final class HedgingOriginClient implements OriginSender {
  private final OriginSender sender;
  private final Predicate<String> isWanted;
  private final EventLoop loop;
  private final LoopCounters counters;

  /** Of origins that are hedged; their names come from the configuration. */
  private final Map<String, LatestLatencies> latencies = new HashMap<>();

  /**
   * The client of one loop.
   *
   * @param isWanted whether requests to the origin of that name are hedged
   */
  public HedgingOriginClient(
      OriginSender sender, Predicate<String> isWanted, EventLoop loop, LoopCounters counters) {
    this.sender = sender;
    this.isWanted = isWanted;
    this.loop = loop;
    this.counters = counters;
  }

  @Override
  public OriginCall send(String origin, OriginRequest request, OriginListener listener) {
    // Two servers cannot read one body at the same time.
    if (!isWanted.test(origin)
        || request.priority() == Priority.PREFETCH
        || !request.isSafeToSendAgain()
        || request.body().lengthBytes() != 0) {
      return sender.send(origin, request, listener);
    }
    LatestLatencies latest = latencies.computeIfAbsent(origin, name -> new LatestLatencies());
    HedgedCall call = new HedgedCall(sender, loop, latest, counters, request, listener);
    call.start(origin);
    return call;
  }

  @Override
  public @Nullable OriginCall sendAgain(
      OriginCall earlier, OriginRequest request, boolean isElsewhere, OriginListener listener) {
    OriginCall sent = earlier instanceof HedgedCall hedged ? hedged.latest() : earlier;
    return sender.sendAgain(sent, request, isElsewhere, listener);
  }
}
