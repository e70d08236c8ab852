package io.forebay.server.peer;

import io.forebay.core.http.ConditionalFields;
import io.forebay.core.http.HeaderFields;
import io.forebay.core.peer.PeerRequestField;
import io.forebay.core.peer.PeerResponseField;
import io.forebay.server.config.OriginTimeouts;
import io.forebay.server.http.RequestBody;
import io.forebay.server.origin.OriginSender;
import io.forebay.server.origin.call.ForwardedCall;
import io.forebay.server.origin.call.OriginClient;
import io.forebay.server.origin.call.OriginFailure;
import io.forebay.server.origin.call.OriginListener;
import io.forebay.server.origin.call.OriginRequest;
import io.forebay.server.origin.call.PeerQuestion;
import io.forebay.storage.purge.PurgePosition;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A request that goes to other nodes before the origin.
 *
 * <pre>
 *   node ─┬─ answers ──▶ the response is its, to the end
 *         ├─ declines ─▶ origin
 *         └─ fails, or sends nothing ─▶ next node ─▶ origin
 * </pre>
 *
 * <p>A node that has to fetch sends a 102 at once and one each second. So a node that hangs differs
 * from one whose origin is slow. Confined to the loop that sent it.
 */
final class PeerCall extends ForwardedCall {
  private static final Logger LOG = LoggerFactory.getLogger(PeerCall.class);

  /** The time in which a node must answer or show that it fetches, including the connect. */
  private static final long FIRST_SIGNAL_MILLIS = 2_000;

  /** The time in which it must answer or show it again. */
  private static final long NEXT_SIGNAL_MILLIS = 5 * PeerResponseField.PROCESSING_MILLIS;

  /** For its first byte, and between two bytes, where its origin is not given longer. */
  private static final Duration FIRST_BYTE = Duration.ofMinutes(5);

  private static final Duration IDLE = Duration.ofSeconds(30);

  /** The node that fetches gives up first, and says so. */
  private static final Duration MARGIN = Duration.ofSeconds(5);

  private final OriginSender origins;
  private final OriginClient nodes;
  private final PeerDirectory directory;
  private final EventLoop loop;
  private final String origin;
  private final OriginRequest request;
  private final PeerQuestion question;

  /** Nodes to ask after the present one. */
  private List<String> left;

  /** The node that is asked; null once the origin is. */
  private @Nullable String node;

  private @Nullable Future<?> timer;
  private boolean isAnswered;

  PeerCall(
      OriginSender origins,
      OriginClient nodes,
      PeerDirectory directory,
      EventLoop loop,
      String origin,
      OriginRequest request,
      PeerQuestion question,
      List<String> asked,
      OriginListener listener) {
    super(listener);
    this.origins = origins;
    this.nodes = nodes;
    this.directory = directory;
    this.loop = loop;
    this.origin = origin;
    this.request = request;
    this.question = question;
    this.left = asked;
  }

  void start() {
    PurgePosition begun = directory.begun();
    while (!left.isEmpty()) {
      String next = left.getFirst();
      left = left.subList(1, left.size());
      if (begun != null && directory.health(next).tryAsk(System.nanoTime())) {
        ask(next, begun);
        return;
      }
    }
    node = null;
    forwardTo(origins.send(origin, request, listener));
  }

  private void ask(String next, PurgePosition begun) {
    node = next;
    awaitSignal(FIRST_SIGNAL_MILLIS);
    PeerRequestField field =
        new PeerRequestField(
            directory.cluster(),
            directory.self(),
            directory.tier(),
            question.isDown() ? 0 : 1,
            begun.epoch(),
            begun.revision(),
            question.scheme(),
            question.key());
    HeaderFields.Builder fields = HeaderFields.builder();
    question.fields().forEach(fields::add);
    request
        .fields()
        .forEach((name, value) -> {
          if (ConditionalFields.has(name.toString())) {
            fields.add(name, value);
          }
        });
    fields.add(PeerRequestField.NAME, field.toString());
    forwardTo(
        nodes.send(
            Peers.originName(next),
            new OriginRequest("GET", question.target(), fields.build(), RequestBody.NONE)
                .with(request.priority())
                .with(
                    new OriginTimeouts(
                        atLeast(FIRST_BYTE, question.ofOrigin().firstByte()),
                        atLeast(IDLE, question.ofOrigin().idle()),
                        null)),
            this));
  }

  private static Duration atLeast(Duration least, @Nullable Duration ofOrigin) {
    Duration longer = ofOrigin == null ? least : ofOrigin.plus(MARGIN);
    return longer.compareTo(least) > 0 ? longer : least;
  }

  private void awaitSignal(long millis) {
    timer = loop.schedule(() -> onNoSignal(millis), millis, TimeUnit.MILLISECONDS);
  }

  private void stopTimer() {
    Future<?> running = timer;
    if (running != null) {
      running.cancel(false);
      timer = null;
    }
  }

  /** Whether the origin is asked, and no longer a node. */
  boolean isAtOrigin() {
    return node == null;
  }

  String origin() {
    return origin;
  }

  /** The nodes that it would have asked next. */
  List<String> left() {
    return left;
  }

  // What the caller orders.

  @Override
  public boolean isWaiting() {
    return node == null && super.isWaiting();
  }

  @Override
  public void cancel() {
    stopTimer();
    String asked = node;
    if (asked != null && !isAnswered) {
      directory.health(asked).givenUp();
    }
    super.cancel();
  }

  // What the node says.

  @Override
  public void onInformational(int status, HeaderFields fields) {
    String asked = Objects.requireNonNull(node, "no node was asked");
    stopTimer();
    directory.health(asked).succeeded();
    awaitSignal(NEXT_SIGNAL_MILLIS);
    if (status != PeerResponseField.PROCESSING) {
      listener.onInformational(status, fields);
    }
  }

  @Override
  public void onHead(
      int status, HeaderFields fields, long contentLength, boolean isCloseDelimited) {
    stopTimer();
    String asked = Objects.requireNonNull(node, "no node was asked");
    directory.health(asked).succeeded();
    CharSequence said = fields.first(PeerRequestField.NAME);
    PeerResponseField answer = said == null ? null : PeerResponseField.parse(said);
    if (answer == null || !answer.node().equals(asked)) {
      directory.counters().declined.increment();
      LOG.debug("node {} declines {} with {}", asked, request.target(), status);
      super.cancel();
      left = List.of();
      start();
      return;
    }
    isAnswered = true;
    switch (answer.source()) {
      case STORE -> directory.counters().stored.increment();
      case FETCH -> directory.counters().fetched.increment();
      case PASS -> directory.counters().passed.increment();
    }
    listener.onPeer(asked);
    listener.onHead(
        status, fields.without(PeerRequestField.NAME::equals), contentLength, isCloseDelimited);
  }

  @Override
  public void onReadComplete() {
    if (isAnswered) {
      listener.onReadComplete();
    }
  }

  @Override
  public void onFailure(OriginFailure failure) {
    stopTimer();
    onFailed(failure.kind().isOverload(), failure.detail());
    if (isAnswered) {
      listener.onFailure(failure);
    } else {
      start();
    }
  }

  private void onNoSignal(long millis) {
    timer = null;
    boolean isOfHere = super.isWaiting();
    super.cancel();
    onFailed(isOfHere, "no interim response within " + millis + " ms");
    start();
  }

  /**
   * The node did not answer, or broke off.
   *
   * @param isOfHere whether the cause lies in this node
   */
  private void onFailed(boolean isOfHere, String why) {
    String asked = Objects.requireNonNull(node, "no node was asked");
    directory.counters().failed.increment();
    if (isOfHere) {
      directory.health(asked).givenUp();
    } else if (directory.health(asked).failed(System.nanoTime())) {
      directory.counters().ejected.increment();
      LOG.warn("node {} is not asked for objects for now: {}", asked, why);
    }
  }
}
