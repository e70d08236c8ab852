package io.forebay.server.origin.resume;

import io.forebay.server.counters.LoopCounters;
import io.forebay.server.origin.OriginSender;
import io.forebay.server.origin.call.OriginCall;
import io.forebay.server.origin.call.OriginClient;
import io.forebay.server.origin.call.OriginListener;
import io.forebay.server.origin.call.OriginRequest;
import java.util.function.BiPredicate;

/**
 * Resumes response bodies that break off. The listener sees one response; confined to one event
 * loop.
 */
public final class ResumingOriginClient implements OriginClient {
  private final OriginSender sender;
  private final BiPredicate<String, OriginRequest> isWanted;
  private final LoopCounters counters;

  /**
   * The client of one loop.
   *
   * @param isWanted whether the body is resumed of that request to the origin of that name
   */
  public ResumingOriginClient(
      OriginSender sender, BiPredicate<String, OriginRequest> isWanted, LoopCounters counters) {
    this.sender = sender;
    this.isWanted = isWanted;
    this.counters = counters;
  }

  @Override
  public OriginCall send(String origin, OriginRequest request, OriginListener listener) {
    boolean isResumable =
        request.method().equals("GET")
            && request.body().lengthBytes() == 0
            && request.hop().upgrade() == null
            && isWanted.test(origin, request);
    if (!isResumable) {
      return sender.send(origin, request, listener);
    }
    ResumedCall call = new ResumedCall(sender, request, listener, counters);
    call.start(origin);
    return call;
  }
}
