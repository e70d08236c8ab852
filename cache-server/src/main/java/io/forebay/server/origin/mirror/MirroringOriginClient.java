package io.forebay.server.origin.mirror;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.route.Mirror;
import io.forebay.server.counters.LoopCounters;
import io.forebay.server.http.RequestBody;
import io.forebay.server.origin.call.OriginCall;
import io.forebay.server.origin.call.OriginClient;
import io.forebay.server.origin.call.OriginListener;
import io.forebay.server.origin.call.OriginRequest;
import io.forebay.server.origin.call.Priority;
import io.netty.channel.EventLoop;
import java.util.Set;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Sends copies of requests to the origins that mirror them. The caller notices nothing: a copy is
 * sent after the request, by other connections, and is dropped where something stands in its way.
 * Confined to one event loop.
 */
public final class MirroringOriginClient implements OriginClient {
  /** What a copy is known by. */
  static final String MARK = "mirrored";

  private static final Set<String> SECRETS =
      Set.of("authorization", "cookie", "proxy-authorization");

  private final OriginClient client;
  private final OriginClient copies;
  private final Function<String, @Nullable String> hostOf;
  private final EventLoop loop;
  private final MirrorLimiter limiter;
  private final LoopCounters counters;
  private final RandomGenerator random;

  /**
   * The client of one loop.
   *
   * @param client sends requests
   * @param copies sends copies
   * @param hostOf the Host field that is configured for an origin, or null
   * @param random of this loop alone
   */
  public MirroringOriginClient(
      OriginClient client,
      OriginClient copies,
      Function<String, @Nullable String> hostOf,
      EventLoop loop,
      MirrorLimiter limiter,
      LoopCounters counters,
      RandomGenerator random) {
    this.client = client;
    this.copies = copies;
    this.hostOf = hostOf;
    this.loop = loop;
    this.limiter = limiter;
    this.counters = counters;
    this.random = random;
  }

  @Override
  public OriginCall send(String origin, OriginRequest request, OriginListener listener) {
    OriginCall call = client.send(origin, request, listener);
    Mirror mirror = request.mirror();
    if (mirror != null && !mirror.isOfAll()) {
      copy(mirror, request);
    }
    return call;
  }

  @Override
  public void sendCopy(OriginRequest request) {
    Mirror mirror = request.mirror();
    if (mirror != null) {
      copy(mirror, request);
    }
  }

  private void copy(Mirror mirror, OriginRequest request) {
    if (mirror.sharePercent() < 100 && random.nextInt(100) >= mirror.sharePercent()) {
      return;
    }
    boolean isCopyable =
        request.body().lengthBytes() == 0
            && request.hop().upgrade() == null
            && request.fields().first(MARK) == null;
    if (!isCopyable || !limiter.tryBegin()) {
      counters.mirrorsDropped++;
      return;
    }
    counters.mirrorsSent++;
    MirroredCall.send(copies, loop, limiter, counters, mirror.origin(), copyOf(mirror, request));
  }

  private OriginRequest copyOf(Mirror mirror, OriginRequest request) {
    String host = hostOf.apply(mirror.origin());
    HeaderFields.Builder fields = HeaderFields.builder();
    if (host != null) {
      fields.add("host", host);
    }
    request
        .fields()
        .without(name ->
            (host != null && name.equals("host"))
                || (!mirror.hasSecrets() && SECRETS.contains(name)))
        .forEach(fields::add);
    fields.add(MARK, "1");
    return new OriginRequest(
        request.method(),
        request.target(),
        fields.build(),
        RequestBody.NONE,
        OriginRequest.Hop.PLAIN,
        null,
        Priority.WARM_UP);
  }
}
