package io.forebay.server.exchange;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.HttpDate;
import io.forebay.core.policy.ProxyError;
import io.forebay.core.policy.Reason;
import io.forebay.server.counters.LoopCounters.CacheResult;
import io.forebay.server.counters.LoopCounters.PurgeResult;
import io.forebay.server.fairness.ClientNetwork;
import io.forebay.server.http.PurgeMethods;
import io.forebay.server.purge.PurgeAudit;
import io.forebay.server.purge.PurgeOrder;
import io.forebay.server.purge.PurgeRefusedException;
import io.forebay.server.purge.PurgeRequestReader;
import io.forebay.server.response.HeadLines;
import io.forebay.server.response.HeadWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Handles requests with a purge method: from an allowed network they are executed outside the event
 * loop, and answered once the purge is durable and in force (I2). From other addresses they get
 * 405, as when purges by request are off.
 */
final class PurgeResponder {

  private final ExchangeContext loop;
  private final ClientRequest request;
  private final ClientResponse response;
  private final Continuation exchange;

  private PurgeResponder(
      ExchangeContext loop, ClientRequest request, ClientResponse response, Continuation exchange) {
    this.loop = loop;
    this.request = request;
    this.response = response;
    this.exchange = exchange;
  }

  /** Answers and gives the step that follows, or null when the request is no purge. */
  static @Nullable Step answer(
      ExchangeContext loop, ClientRequest request, ClientResponse response, Continuation exchange) {
    return PurgeMethods.has(request.view().method())
        ? new PurgeResponder(loop, request, response, exchange).answer()
        : null;
  }

  private Step answer() {
    String caller =
        ClientNetwork.address(
            request.client().address(),
            request.view().fields(),
            request.config().upstream()::trusts);
    if (caller == null || !request.config().purgers().contains(caller)) {
      loop.counters().count(PurgeResult.DENIED);
      response
          .record()
          .error(
              caller == null
                  ? "the client's address is not known: the peer is a proxy that is not in"
                      + " forwarding.trusted, or says nothing valid"
                  : caller + " is not in purge.from");
      return exchange.refuse(
          405,
          "this method is not served here",
          Reason.REFUSED_METHOD,
          ProxyError.HTTP_REQUEST_DENIED);
    }
    List<PurgeOrder> orders;
    try {
      if (request.view().hasBody() && request.body().lengthBytes() != 0) {
        throw new IllegalArgumentException("a purge has no content: name it by URL and fields");
      }
      orders = PurgeRequestReader.read(request.view());
    } catch (IllegalArgumentException e) {
      PurgeAudit.refused(caller, 1);
      return malformed(String.valueOf(e.getMessage()));
    }
    request.body().cancel();
    boolean isTaken = loop.purges().submit(orders, caller, failure -> over(orders, failure));
    return isTaken ? Step.AWAIT : failed("too many purges wait for the journal");
  }

  /** On any thread: the exchange goes on where it belongs, if that is still there. */
  private void over(List<PurgeOrder> orders, @Nullable PurgeRefusedException failure) {
    try {
      loop.eventLoop()
          .execute(() -> {
            if (!response.isOver()) {
              Step ignored = answer(orders, failure);
            }
          });
    } catch (RejectedExecutionException e) {
      // The node is closing, and the connection with it.
    }
  }

  private Step answer(List<PurgeOrder> orders, @Nullable PurgeRefusedException failure) {
    if (failure == null) {
      return done(orders);
    }
    String why = String.valueOf(failure.getMessage());
    return switch (failure.refusal()) {
      case ORDER -> malformed(why);
      case JOURNAL -> {
        response.record().error(why);
        // The path of the journal is the operator's.
        yield failed("the purge could not be made durable, and must be repeated");
      }
      case FOR_NOW, UNKNOWN, FINAL -> failed(why);
    };
  }

  private Step malformed(String why) {
    loop.counters().count(PurgeResult.MALFORMED);
    return exchange.refuse(
        400, "nothing was purged: " + why, Reason.REFUSED_PURGE, ProxyError.HTTP_REQUEST_ERROR);
  }

  private Step failed(String why) {
    loop.counters().count(PurgeResult.FAILED);
    return exchange.refuse(503, why, Reason.REFUSED_PURGE, ProxyError.CONNECTION_LIMIT_REACHED);
  }

  private Step done(List<PurgeOrder> orders) {
    loop.counters().count(PurgeResult.DONE);
    PurgeOrder first = orders.getFirst();
    String what =
        orders.size() == 1
            ? first.kind().label() + " " + first.text()
            : orders.size() + " purges, the first " + first.kind().label() + " " + first.text();
    byte[] body =
        ("purged: " + what + "\nrequest id: " + response.record().requestId() + "\n")
            .getBytes(StandardCharsets.UTF_8);
    HeadWriter head = loop.heads().begin(response.sink(), 200, null);
    HstsLine.write(request, head);
    HeadLines.text(
        head.fields(),
        "date: "
            + HttpDate.format(loop.nowMillis())
            + "\r\ncontent-type: text/plain; charset=utf-8\r\ncache-control: no-store\r\n");
    ByteBuf fields = head.fields();
    ByteBufAllocator allocator = fields.alloc();
    head.send(body.length, false);
    response.sink().body(allocator.directBuffer(body.length).writeBytes(body));
    response.sink().end(HeaderFields.EMPTY);
    response.record().bodyBytes(body.length);
    response.onHeadSent(200, CacheResult.SYNTHETIC, Reason.PURGED);
    response.over();
    return Step.AWAIT;
  }
}
