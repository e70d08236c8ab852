package io.forebay.server.exchange;

import io.forebay.core.http.HeaderFields;
import io.forebay.server.protect.Authentication;
import io.forebay.server.protect.CredentialCheck;
import io.forebay.server.protect.Refusal;
import io.forebay.server.protect.RouteProtection;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Asks the protection of a request's route whether the client may have an answer. The exchange
 * waits while credentials are verified elsewhere.
 */
final class Admission implements Authentication.Listener {
  private static final CredentialCheck[] CHECKS = CredentialCheck.values();

  private final ExchangeContext loop;
  private final RouteProtection gate;
  private final ClientRequest request;
  private final ClientResponse response;
  private final Continuation exchange;

  /** What the checks found out. */
  private HeaderFields found = HeaderFields.EMPTY;

  /** Of the token that was verified. */
  private Map<String, String> claims = Map.of();

  /** How many checks were begun. */
  private int checks;

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

  /** Refuses a CORS preflight of a client whose network has no access; null for others. */
  static @Nullable Step judgePreflight(
      ExchangeContext loop, ClientRequest request, ClientResponse response) {
    RouteProtection gate = request.config().gate(request.route());
    if (gate == null) {
      return null;
    }
    Refusal refusal = loop.gatekeeper().judgeNetwork(gate, request.view(), request.client());
    return refusal == null ? null : refuse(loop, request, response, refusal);
  }

  private Step judge() {
    Refusal refusal = loop.gatekeeper().judge(gate, request.view(), request.client());
    response.uses(loop.gatekeeper().usage());
    return refusal != null ? refuse(refusal) : next(Authentication.ADMITTED);
  }

  /** Goes on after the outcome of a check, with the next one. */
  private Step next(Authentication outcome) {
    Authentication last = outcome;
    while (true) {
      switch (last) {
        case Authentication.Admitted admitted -> {
          found = found.and(admitted.fields());
          if (!admitted.claims().isEmpty()) {
            claims = admitted.claims();
          }
          if (checks == CHECKS.length) {
            Refusal limited = loop.gatekeeper().judgeVerified(gate, request.view(), claims);
            response.uses(loop.gatekeeper().usage());
            if (limited != null) {
              return refuse(limited);
            }
            request.verified(gate.verified(request.view(), found));
            return Step.ADMITTED;
          }
          last =
              loop.gatekeeper()
                  .authenticate(CHECKS[checks++], gate, request.view(), request.client(), this);
        }
        case Authentication.Refused refused -> {
          return refuse(refused.refusal());
        }
        case Authentication.Pending ignored -> {
          return Step.AWAIT;
        }
      }
    }
  }

  private Step refuse(Refusal refusal) {
    return refuse(loop, request, response, refusal);
  }

  private static Step refuse(
      ExchangeContext loop, ClientRequest request, ClientResponse response, Refusal refusal) {
    request.hideRemovedFields();
    LocalReplies.refuse(loop, request, response, refusal);
    return Step.AWAIT;
  }

  @Override
  public boolean isWaiting() {
    return !response.isOver();
  }

  @Override
  public void onKnown(Authentication outcome) {
    try {
      loop.eventLoop().execute(() -> goOn(outcome));
    } catch (RejectedExecutionException e) {
      // The node is closing, and the connection with it.
    }
  }

  private void goOn(Authentication outcome) {
    if (response.isOver()) {
      return;
    }
    if (outcome instanceof Authentication.Refused refused) {
      loop.gatekeeper().refused(gate, request.view(), request.client(), refused.refusal());
    }
    exchange.run(next(outcome));
  }
}
