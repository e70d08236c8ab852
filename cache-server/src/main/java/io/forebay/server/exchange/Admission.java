package io.forebay.server.exchange;

import io.forebay.server.protect.Authentication;
import io.forebay.server.protect.Refusal;
import io.forebay.server.protect.RouteProtection;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Asks the protection of a request's route whether the client may have an answer. The exchange
 * waits while a password is verified elsewhere.
 */
final class Admission implements Authentication.Listener {
  private final ExchangeContext loop;
  private final RouteProtection gate;
  private final ClientRequest request;
  private final ClientResponse response;
  private final Continuation exchange;

  private Admission(
      ExchangeContext loop,
      RouteProtection gate,
      ClientRequest request,
      ClientResponse response,
      Continuation exchange) {
    this.loop = loop;
    this.gate = gate;
    this.request = request;
    this.response = response;
    this.exchange = exchange;
  }

  /** Gives the step that follows; a request that is refused is answered here. */
  static Step judge(
      ExchangeContext loop, ClientRequest request, ClientResponse response, Continuation exchange) {
    RouteProtection gate = request.config().gate(request.route());
    return gate == null
        ? Step.ADMITTED
        : new Admission(loop, gate, request, response, exchange).judge();
  }

  private Step judge() {
    Refusal refusal = loop.gatekeeper().judge(gate, request.view(), request.client());
    if (refusal != null) {
      return refuse(refusal);
    }
    return switch (loop.gatekeeper().authenticate(gate, request.view(), request.client(), this)) {
      case Authentication.Admitted ignored -> Step.ADMITTED;
      case Authentication.Refused refused -> refuse(refused.refusal());
      case Authentication.Pending ignored -> Step.AWAIT;
    };
  }

  private Step refuse(Refusal refusal) {
    request.hideRemovedFields();
    LocalReplies.refuse(loop, request, response, refusal);
    return Step.AWAIT;
  }

  @Override
  public boolean isWaiting() {
    return !response.isOver();
  }

  @Override
  public void onKnown(@Nullable Refusal refusal) {
    try {
      loop.eventLoop().execute(() -> goOn(refusal));
    } catch (RejectedExecutionException e) {
      // The node is closing, and the connection with it.
    }
  }

  private void goOn(@Nullable Refusal refusal) {
    if (response.isOver()) {
      return;
    }
    if (refusal == null) {
      exchange.run(Step.ADMITTED);
      return;
    }
    loop.gatekeeper().wrongPassword(gate, request.view(), request.client());
    Step ignored = refuse(refusal);
  }
}
