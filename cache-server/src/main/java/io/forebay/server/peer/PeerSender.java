package io.forebay.server.peer;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.TargetUri;
import io.forebay.core.peer.PeerRequestField;
import io.forebay.server.config.OriginTimeouts;
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
import java.time.Duration;
import java.util.ArrayList;
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

  /** A node that has not answered by then is not waited for. */
  private static final Duration FORGET_TIME = Duration.ofSeconds(2);

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
   * Tells the nodes of the group and of the shield to forget a URL, a limited number of times each
   * second. Until they have answered, this node asks none of them for it. Failures are only
   * counted.
   *
   * @param asked the same URL as fills ask for it
   */
  public void forget(TargetUri target, TargetUri asked) {
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
    List<Told> told = new ArrayList<>();
    addOthers(told, known.group(), forgetting(target, begun, 1));
    addOthers(told, known.shield(), forgetting(target, begun, 0));
    if (!told.isEmpty()) {
      directory.beginForgetting(asked);
      Runnable end = () -> directory.endForgetting(asked);
      // One that was told early may have asked one that was told late.
      tell(told, told.size() == 1 ? end : () -> tell(told, end));
    }
  }

  /** What a node is told. */
  private record Told(String node, OriginRequest request) {}

  private OriginRequest forgetting(TargetUri target, PurgePosition begun, int hop) {
    PeerRequestField field =
        new PeerRequestField(
            directory.cluster(),
            directory.self(),
            directory.tier(),
            hop,
            begun.epoch(),
            begun.revision(),
            target.scheme(),
            NO_KEY);
    String query = target.query();
    return new OriginRequest(
            PeerRequestField.FORGET,
            query == null ? target.path() : target.path() + "?" + query,
            HeaderFields.of("host", target.authority(), PeerRequestField.NAME, field.toString()),
            RequestBody.NONE)
        .with(new OriginTimeouts(FORGET_TIME, FORGET_TIME, FORGET_TIME));
  }

  private void addOthers(List<Told> told, List<Peers.Node> nodes, OriginRequest request) {
    for (Peers.Node node : nodes) {
      if (node.isPresent() && !node.name().equals(directory.self())) {
        told.add(new Told(node.name(), request));
      }
    }
  }

  private void tell(List<Told> told, Runnable onAllAnswered) {
    Forgetting round = new Forgetting(directory.counters(), told.size(), onAllAnswered);
    for (Told one : told) {
      OriginCall ignored = nodes.send(Peers.originName(one.node()), one.request(), round);
    }
  }

  /** The answers of nodes that were told the same. */
  private static final class Forgetting implements OriginListener {
    private final PeerCounters counters;
    private final Runnable onAllAnswered;
    private int open;

    Forgetting(PeerCounters counters, int open, Runnable onAllAnswered) {
      this.counters = counters;
      this.open = open;
      this.onAllAnswered = onAllAnswered;
    }

    private void answered() {
      open--;
      if (open == 0) {
        onAllAnswered.run();
      }
    }

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
    public void onEnd(HeaderFields trailers) {
      answered();
    }

    @Override
    public void onFailure(OriginFailure failure) {
      counters.notForgotten.increment();
      answered();
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
