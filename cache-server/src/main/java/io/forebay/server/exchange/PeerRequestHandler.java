package io.forebay.server.exchange;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.RequestView;
import io.forebay.core.http.SyntheticRequest;
import io.forebay.core.http.TargetUri;
import io.forebay.core.peer.HopRule;
import io.forebay.core.peer.PeerRequestField;
import io.forebay.core.peer.PeerResponseField;
import io.forebay.core.policy.ResponsePolicy;
import io.forebay.core.policy.StoreVerdict;
import io.forebay.core.policy.StoredMeta;
import io.forebay.server.fill.FillContext;
import io.forebay.server.http.ClientInfo;
import io.forebay.server.http.RequestBody;
import io.forebay.server.http.RequestHandler;
import io.forebay.server.http.ResponseSink;
import io.forebay.server.loop.LoopLoad;
import io.forebay.server.peer.PeerDirectory;
import io.forebay.server.peer.PeerRouter;
import io.forebay.server.response.HeadLines;
import io.forebay.server.response.HeadWriter;
import io.forebay.storage.purge.PurgePosition;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * Takes the requests of other nodes of the cluster on one event loop. An exchange begins only once
 * the purges that the request names are in force here. It gets its place among the purges of this
 * node then, so it joins no fetch that one of those purges ends.
 *
 * <pre>
 *   Forebay-Peer ─▶ sound, of this cluster, from the node of the certificate? ─▶ HopRule
 *     ─▶ not cut off? ─▶ purges applied? ─▶ Exchange ─▶ store or fetch, or 421
 * </pre>
 */
public final class PeerRequestHandler implements RequestHandler {
  private static final long POSITION_MILLIS = 250;
  private static final long LOOK_MILLIS = 2;

  private static final String OWN_CONTROL = "forebay-cache-control";

  private final ExchangeFactory exchanges;
  private final PeerDirectory directory;
  private final EventLoop eventLoop;
  private final LoopLoad load;

  /**
   * The handler of a loop.
   *
   * @param load of this handler alone, because each listener ticks its own
   */
  public PeerRequestHandler(
      ExchangeFactory exchanges, PeerDirectory directory, EventLoop eventLoop, LoopLoad load) {
    this.exchanges = exchanges;
    this.directory = directory;
    this.eventLoop = eventLoop;
    this.load = load;
  }

  @Override
  public LoopLoad load() {
    return load;
  }

  @Override
  public void start(RequestView request, RequestBody body, ResponseSink sink, ClientInfo client) {
    List<String> said = request.fields().all(PeerRequestField.NAME);
    PeerRequestField field = said.size() == 1 ? PeerRequestField.parse(said.getFirst()) : null;
    body.cancel();
    boolean isForgetting = request.method().equals(PeerRequestField.FORGET);
    if (field == null || !(isForgetting || request.method().equals("GET")) || request.hasBody()) {
      refuse(sink, 400, "not a request of a node");
    } else if (!field.cluster().equals(directory.cluster())
        || !field.from().equals(client.node())) {
      refuse(sink, 403, "not from the node that it names");
    } else if (!HopRule.admits(field.tier(), field.hop(), directory.tier())) {
      refuse(sink, 508, "this node is not further from the clients");
    } else if (isForgetting) {
      exchanges.forget(TargetUri.of(asked(request, field)));
      sink.head(sink.beginHead(204), ResponseSink.LENGTH_ABSENT, true);
      sink.flush();
    } else if (directory.isCutOff(System.nanoTime())) {
      directory.counters().behind.increment();
      reply(sink, 503, "purges may be missing here");
    } else {
      directory.counters().taken.increment();
      RequestView asked = asked(request, field);
      if (hasApplied(field)) {
        exchanges.startForNode(asked, sink, client, field);
      } else {
        new Waiting(asked, sink, client, field).begin();
      }
    }
  }

  /** The request of the other node's client; a copy, because it is used after the wait. */
  private static RequestView asked(RequestView request, PeerRequestField field) {
    HeaderFields.Builder fields = HeaderFields.builder();
    request
        .fields()
        .forEach((name, value) -> {
          if (!name.toString().equalsIgnoreCase(PeerRequestField.NAME)) {
            fields.add(name, value.toString());
          }
        });
    return SyntheticRequest.of(
        "GET",
        new TargetUri(field.scheme(), request.authority(), request.path(), request.query()),
        fields.build());
  }

  private boolean hasApplied(PeerRequestField field) {
    PurgePosition at = directory.applied();
    return at != null && at.epoch().equals(field.epoch()) && at.revision() >= field.begun();
  }

  private void refuse(ResponseSink sink, int status, String why) {
    directory.counters().refused.increment();
    reply(sink, status, why);
  }

  private static void reply(ResponseSink sink, int status, String why) {
    ByteBuf head = sink.beginHead(status);
    HeadLines.text(head, "content-type: text/plain\r\ncache-control: no-store\r\n");
    String text = why + "\n";
    sink.head(head, text.length(), false);
    ByteBuf body = head.alloc().buffer(text.length());
    HeadLines.text(body, text);
    sink.body(body);
    sink.end(HeaderFields.EMPTY);
  }

  /** A request that waits for purges that are not in force here yet. */
  private final class Waiting implements ResponseSink.Listener {
    private final RequestView request;
    private final ResponseSink sink;
    private final ClientInfo client;
    private final PeerRequestField field;
    private final long deadlineNanos =
        System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(POSITION_MILLIS);
    private boolean isOver;

    Waiting(RequestView request, ResponseSink sink, ClientInfo client, PeerRequestField field) {
      this.request = request;
      this.sink = sink;
      this.client = client;
      this.field = field;
    }

    void begin() {
      sink.listener(this);
      lookLater();
    }

    private void lookLater() {
      eventLoop.schedule(this::look, LOOK_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void look() {
      if (isOver) {
        return;
      }
      if (hasApplied(field)) {
        exchanges.startForNode(request, sink, client, field);
      } else if (System.nanoTime() - deadlineNanos >= 0) {
        directory.counters().behind.increment();
        reply(sink, 503, "this node is behind in the log of purges");
      } else {
        lookLater();
      }
    }

    @Override
    public void onWritable() {}

    @Override
    public void onClosed() {
      isOver = true;
    }
  }

  // --- for the exchange -------------------------------------------------------------------------

  /** Whether this node and the other one have the same base key for a request. */
  static boolean isSameKey(FillContext loop, ClientRequest request) {
    PeerRequestField field = Objects.requireNonNull(request.peer());
    PeerRouter router = loop.peers();
    return router != null
        && router.isKeyOf(
            field.key(), field.epoch(), request.question(), request.route().keyRecipe());
  }

  /** Marks the response as an answer; without the mark, this node declines. */
  static void mark(HeadWriter head, ClientRequest request, PeerResponseField.Source source) {
    head.line(
        PeerRequestField.NAME
            + ": "
            + new PeerResponseField(request.config().nodeId(), source)
            + "\r\n");
  }

  /**
   * What the lines of a stored response do not say of its lifetime, because what was meant for this
   * cache alone is not stored; empty where they say it.
   */
  static String lifetime(ClientRequest request, StoredMeta meta, byte[] block, long nowMillis) {
    if (!request.route().settings().freshness().consumes(OWN_CONTROL)) {
      return lines(meta.consumedFields());
    }
    long lifetime = meta.freshnessLifetimeMillis();
    boolean isSaid =
        ResponsePolicy.judge(
                    request.question(),
                    request.route(),
                    meta.status(),
                    StreamCoding.fields(block),
                    nowMillis,
                    nowMillis,
                    0)
                instanceof StoreVerdict.Store judged
            && isSameReuse(judged, meta);
    if (isSaid) {
      return "";
    }
    return OWN_CONTROL
        + ": max-age="
        + lifetime / 1000
        + (meta.isNoCache() ? ", no-cache" : "")
        + (meta.isMustRevalidate() ? ", must-revalidate" : "")
        + window(", stale-while-revalidate=", meta.staleWhileRevalidateMillis())
        + window(", stale-if-error=", meta.staleIfErrorMillis())
        + "\r\n";
  }

  /** Whether a response may be reused for as long, and as freely, by both. */
  private static boolean isSameReuse(StoreVerdict.Store judged, StoredMeta meta) {
    StoredMeta other = new StoredMeta();
    return other.wrap(MemorySegment.ofArray(judged.meta()), 0)
        && other.freshnessLifetimeMillis() == meta.freshnessLifetimeMillis()
        && other.isNoCache() == meta.isNoCache()
        && other.isMustRevalidate() == meta.isMustRevalidate()
        && other.staleWhileRevalidateMillis() == meta.staleWhileRevalidateMillis()
        && other.staleIfErrorMillis() == meta.staleIfErrorMillis();
  }

  private static String lines(HeaderFields fields) {
    StringBuilder lines = new StringBuilder();
    fields.forEach((name, value) -> lines.append(name).append(": ").append(value).append("\r\n"));
    return lines.toString();
  }

  private static String window(String name, long millis) {
    return millis < 0 ? "" : name + millis / 1000;
  }
}
