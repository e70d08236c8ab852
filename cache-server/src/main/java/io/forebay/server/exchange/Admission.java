package io.forebay.server.exchange;

import io.forebay.server.protect.Refusal;
import io.forebay.server.protect.RouteGate;
import org.jspecify.annotations.Nullable;

/** Asks the protection of a request's route whether the client may have an answer. */
final class Admission {
  private Admission() {}

  /** Answers and gives the step that follows, or null where the request is admitted. */
  static @Nullable Step answer(
      ExchangeContext loop, ClientRequest request, ClientResponse response) {
    RouteGate gate = request.config().gate(request.route());
    Refusal refusal =
        gate == null ? null : loop.gatekeeper().judge(gate, request.view(), request.client());
    if (refusal == null) {
      return null;
    }
    LocalReplies.refuse(loop, request, response, refusal);
    return Step.AWAIT;
  }
}
