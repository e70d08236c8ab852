package io.forebay.server.peer;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.TargetUri;
import io.forebay.core.peer.PeerRequestField;
import io.forebay.server.http.RequestBody;
import io.forebay.server.origin.OriginSender;
import io.forebay.server.origin.PooledOriginClient;
import io.forebay.server.origin.ResponseLimits;
import io.forebay.server.origin.call.OriginCall;
import io.forebay.server.origin.call.OriginFailure;
import io.forebay.server.origin.call.OriginListener;
import io.forebay.server.origin.call.OriginRequest;
import io.forebay.server.origin.call.PeerQuestion;
import io.forebay.storage.purge.PurgePosition;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests that have a {@link PeerQuestion} to other nodes before the origin, and all others
 * to the origin. One for each event loop, confined to it.
 */
public final class PeerSender implements OriginSender {
  /** The most invalidations that a loop sends in a second. */
  private static final int MAX_FORGOTTEN = 500;

  private static final long SECOND_NANOS = 1_000_000_000L;

  /** The key of an invalidation; no node looks it up. */
  private static final String NO_KEY = "0".repeat(32);

  private final OriginSender origins;
  private final PooledOriginClient nodes;
  private final ResponseLimits limits;
  private final PeerDirectory directory;
  private final EventLoop loop;

  /** The nodes that {@link #nodes} knows. */
  private Peers known = Peers.NONE;

  private long secondNanos;
  private int forgottenThisSecond;

  /**
   * The sender of a loop.
   *
   * @param nodes the client for other nodes; this class gives it its origins
   */
  public PeerSender(
      OriginSender origins,
      PooledOriginClient nodes,
      ResponseLimits limits,
      PeerDirectory directory,
      EventLoop loop) {
    this.origins = origins;
    this.nodes = nodes;
    this.limits = limits;
    this.directory = directory;
    this.loop = loop;
  }

  @Override
  public OriginCall send(String origin, OriginRequest request, OriginListener listener) {
    PeerQuestion question = request.peers();
    if (question == null) {
      return origins.send(origin, request, listener);
    }
    return begin(origin, request, question, question.nodes(), listener);
  }

  @SuppressWarnings("ReferenceEquality") // each change makes a new one
  private void refresh() {
    Peers now = directory.peers();
    if (now != known) {
      known = now;
      nodes.reconfigure(now.origins(), limits);
    }
  }

  private OriginCall begin(
      String origin,
      OriginRequest request,
      PeerQuestion question,
      List<String> asked,
      OriginListener listener) {
    refresh();
    PeerCall call =
        new PeerCall(origins, nodes, directory, loop, origin, request, question, asked, listener);
    call.start();
    return call;
  }

  /**
   * Tells the nodes of the group to forget a URL, a limited number of times each second. Failures
   * are only counted.
   */
  public void forget(TargetUri target) {
    PurgePosition begun = directory.begun();
    long now = System.nanoTime();
    if (begun == null) {
      return;
    }
    if (now - secondNanos >= SECOND_NANOS) {
      secondNanos = now;
      forgottenThisSecond = 0;
    }
    if (forgottenThisSecond++ >= MAX_FORGOTTEN) {
      directory.counters().notForgotten.increment();
      return;
    }
    refresh();
    PeerRequestField field =
        new PeerRequestField(
            directory.cluster(),
            directory.self(),
            directory.tier(),
            1,
            begun.epoch(),
            begun.revision(),
            target.scheme(),
            NO_KEY);
    HeaderFields fields =
        HeaderFields.of("host", target.authority(), PeerRequestField.NAME, field.toString());
    String query = target.query();
    OriginRequest request =
        new OriginRequest(
            PeerRequestField.FORGET,
            query == null ? target.path() : target.path() + "?" + query,
            fields,
            RequestBody.NONE);
    for (Peers.Node node : known.group()) {
      if (node.isPresent() && !node.name().equals(directory.self())) {
        OriginCall ignored =
            nodes.send(
                Peers.originName(node.name()), request, new Forgetting(directory.counters()));
      }
    }
  }

  /** Only counts invalidations that did not arrive. */
  private record Forgetting(PeerCounters counters) implements OriginListener {
    @Override
    public void onInformational(int status, HeaderFields fields) {}

    @Override
    public void onHead(
        int status, HeaderFields fields, long contentLength, boolean isCloseDelimited) {
      if (status != 204) {
        counters.notForgotten.increment();
      }
    }

    @Override
    public void onData(ByteBuf data) {
      data.release();
    }

    @Override
    public void onReadComplete() {}

    @Override
    public void onEnd(HeaderFields trailers) {}

    @Override
    public void onFailure(OriginFailure failure) {
      counters.notForgotten.increment();
    }
  }

  /** Continues a body that another node has broken off at the next node, or at the origin. */
  @Override
  public @Nullable OriginCall sendAgain(
      OriginCall earlier, OriginRequest request, boolean isElsewhere, OriginListener listener) {
    if (!(earlier instanceof PeerCall before)) {
      return origins.sendAgain(earlier, request, isElsewhere, listener);
    }
    PeerQuestion question = request.peers();
    if (question != null && !before.isAtOrigin()) {
      return begin(before.origin(), request, question, before.left(), listener);
    }
    OriginCall latest = before.latest();
    return latest == null ? null : origins.sendAgain(latest, request, isElsewhere, listener);
  }
}
