package io.forebay.server.exchange;

import io.forebay.core.policy.CacheStatus;
import io.forebay.core.policy.Decision;
import io.forebay.core.policy.ProxyError;
import io.forebay.core.policy.ProxyStatus;
import io.forebay.core.policy.Reason;
import io.forebay.server.counters.LoopCounters.CacheResult;
import io.forebay.server.exchange.Exchange.Step;
import io.forebay.server.origin.OriginFailure;
import java.time.Duration;

/** Ends an exchange with an answer of our own, before any other head was sent. */
final class LocalReplies {
  private static final int TOO_MANY_REQUESTS = 429;

  private LocalReplies() {}

  static Step refuse(Exchange exchange, Decision.Refuse refused) {
    ProxyError error =
        refused.reason() == Reason.REFUSED_ONLY_IF_CACHED
            ? ProxyError.PROXY_INTERNAL_RESPONSE
            : ProxyError.HTTP_REQUEST_DENIED;
    return refuse(
        exchange, refused.status(), refused.reason().explanation(), refused.reason(), error);
  }

  /** The origin gave no answer that could be sent on. */
  static Step refuse(Exchange exchange, OriginFailure failure) {
    Reason why =
        switch (failure.kind()) {
          case NAME_NOT_RESOLVED, NAME_TIMEOUT -> Reason.ORIGIN_UNRESOLVED;
          case CONNECT_TIMEOUT, WRITE_TIMEOUT, FIRST_BYTE_TIMEOUT, IDLE_TIMEOUT, TOTAL_TIMEOUT ->
              Reason.ORIGIN_TIMEOUT;
          case CLOSED_BEFORE_RESPONSE,
              INVALID_RESPONSE,
              FIELDS_TOO_LARGE,
              UPGRADE_FAILED,
              SERVER_ERROR,
              TRUNCATED ->
              Reason.ORIGIN_BROKEN;
          case OVERLOADED, TOO_MANY_CONNECTIONS -> Reason.REFUSED_OVERLOAD;
          case CLIENT_LIMIT -> Reason.REFUSED_CLIENT_LIMIT;
          default -> Reason.ORIGIN_UNREACHABLE;
        };
    int status = status(failure.kind());
    exchange.record.error(failure.detail());
    exchange
        .loop
        .failures()
        .refused(exchange.record.requestId(), exchange.request, status, failure);
    return refuse(
        exchange,
        status,
        page(failure.kind(), why),
        why,
        exchange.snapshot.proxyStatus().error(failure.kind().error(), failure.more()));
  }

  private static int status(OriginFailure.Kind kind) {
    if (kind == OriginFailure.Kind.CLIENT_LIMIT) {
      return TOO_MANY_REQUESTS;
    }
    return kind.isOverload() ? 503 : kind.isTimeout() ? 504 : 502;
  }

  /** What the client is told; names of origins, addresses and libraries are the operator's. */
  private static String page(OriginFailure.Kind kind, Reason why) {
    return switch (kind) {
      case REQUEST_BODY_FAILED -> "The content of the request broke off.";
      case DEFECT -> "This node failed to handle the request.";
      default -> why.explanation();
    };
  }

  static Step refuse(Exchange exchange, int status, String text, Reason why, ProxyError error) {
    return refuse(
        exchange,
        status,
        text,
        why,
        exchange.snapshot.proxyStatus().error(error, ProxyStatus.NO_MORE));
  }

  private static Step refuse(
      Exchange exchange, int status, String text, Reason why, String proxyStatus) {
    exchange.body.cancel();
    int bodyBytes =
        ErrorPage.send(
            exchange.loop.heads(),
            exchange.sink,
            status,
            text,
            exchange.record.requestId(),
            exchange
                .snapshot
                .cacheStatus()
                .forwarded(why, CacheStatus.NO_STATUS, false, false, null),
            proxyStatus,
            status == 503 || status == TOO_MANY_REQUESTS
                ? exchange.snapshot.config().overload().retryAfter()
                : Duration.ZERO,
            HstsLine.line(exchange),
            exchange.isHead,
            exchange.loop.nowMillis());
    exchange.record.bodyBytes(bodyBytes);
    exchange.onHeadSent(status, CacheResult.REFUSED, why);
    exchange.over();
    return Step.AWAIT;
  }
}
