package io.forebay.server.exchange;

import io.forebay.core.policy.CacheStatus;
import io.forebay.core.policy.Decision;
import io.forebay.core.policy.ProxyError;
import io.forebay.core.policy.ProxyStatus;
import io.forebay.core.policy.Reason;
import io.forebay.server.counters.LoopCounters.CacheResult;
import io.forebay.server.origin.call.OriginFailure;
import io.forebay.server.page.StatusPage;
import io.forebay.server.protect.Refusal;
import io.forebay.server.runtime.RuntimeConfig;
import java.time.Duration;

/** Sends a local reply and ends the exchange, before any other head was sent. */
final class LocalReplies {
  private static final int TOO_MANY_REQUESTS = 429;

  private LocalReplies() {}

  static void refuse(
      ExchangeContext loop,
      ClientRequest request,
      ClientResponse response,
      Decision.Refuse refused) {
    ProxyError error =
        refused.reason() == Reason.REFUSED_ONLY_IF_CACHED
            ? ProxyError.PROXY_INTERNAL_RESPONSE
            : ProxyError.HTTP_REQUEST_DENIED;
    refuse(
        loop,
        request,
        response,
        refused.status(),
        refused.reason().explanation(),
        refused.reason(),
        error);
  }

  /** The origin gave no answer that could be sent on. */
  static void refuse(
      ExchangeContext loop, ClientRequest request, ClientResponse response, OriginFailure failure) {
    Reason why =
        switch (failure.kind()) {
          case NAME_NOT_RESOLVED, NAME_TIMEOUT -> Reason.ORIGIN_UNRESOLVED;
          case CONNECT_TIMEOUT,
              WRITE_TIMEOUT,
              FIRST_BYTE_TIMEOUT,
              HEAD_TIMEOUT,
              IDLE_TIMEOUT,
              TOTAL_TIMEOUT ->
              Reason.ORIGIN_TIMEOUT;
          case CLOSED_BEFORE_RESPONSE,
              INVALID_RESPONSE,
              FIELDS_TOO_LARGE,
              UPGRADE_FAILED,
              SERVER_ERROR,
              TRUNCATED ->
              Reason.ORIGIN_BROKEN;
          case OVERLOADED, TOO_MANY_CONNECTIONS, TOO_MANY_REQUESTS -> Reason.REFUSED_OVERLOAD;
          case CLIENT_LIMIT -> Reason.REFUSED_CLIENT_LIMIT;
          case FETCH_LIMIT -> Reason.REFUSED_FETCH_LIMIT;
          case TARGET_REFUSED -> Reason.REFUSED_TARGET;
          default -> Reason.ORIGIN_UNREACHABLE;
        };
    int status = status(failure.kind());
    response.record().error(failure.detail());
    loop.failures().refused(response.record().requestId(), request.view(), status, failure);
    refuse(
        loop,
        request,
        response,
        status,
        page(failure.kind(), why),
        why,
        request.config().proxyStatus().error(failure.kind().error(), failure.more()));
  }

  private static int status(OriginFailure.Kind kind) {
    if (kind == OriginFailure.Kind.CLIENT_LIMIT) {
      return TOO_MANY_REQUESTS;
    }
    if (kind == OriginFailure.Kind.TARGET_REFUSED) {
      return 400;
    }
    return kind.isOverload() ? 503 : kind.isTimeout() ? 504 : 502;
  }

  /** What the client is told; names of origins, addresses and libraries are the operator's. */
  private static String page(OriginFailure.Kind kind, Reason why) {
    return switch (kind) {
      case REQUEST_BODY_FAILED -> "The content of the request is incomplete.";
      case DEFECT -> "This node failed to handle the request.";
      default -> why.explanation();
    };
  }

  static void refuse(
      ExchangeContext loop,
      ClientRequest request,
      ClientResponse response,
      int status,
      String text,
      Reason why,
      ProxyError error) {
    refuse(
        loop,
        request,
        response,
        status,
        text,
        why,
        request.config().proxyStatus().error(error, ProxyStatus.NO_MORE));
  }

  /** The protection of the route does not admit the request. */
  static void refuse(
      ExchangeContext loop, ClientRequest request, ClientResponse response, Refusal refusal) {
    refuse(
        loop,
        request,
        response,
        refusal.status(),
        refusal.text(),
        refusal.reason(),
        request.config().proxyStatus().error(ProxyError.HTTP_REQUEST_DENIED, ProxyStatus.NO_MORE),
        refusal.retryAfter(),
        refusal.lines());
  }

  private static void refuse(
      ExchangeContext loop,
      ClientRequest request,
      ClientResponse response,
      int status,
      String text,
      Reason why,
      String proxyStatus) {
    refuse(
        loop,
        request,
        response,
        status,
        text,
        why,
        proxyStatus,
        status == 503 || status == TOO_MANY_REQUESTS
            ? request.config().config().overload().retryAfter()
            : Duration.ZERO,
        "");
  }

  private static void refuse(
      ExchangeContext loop,
      ClientRequest request,
      ClientResponse response,
      int status,
      String text,
      Reason why,
      String proxyStatus,
      Duration retryAfter,
      String lines) {
    request.body().cancel();
    request.because(why);
    response.dropCoding();
    RuntimeConfig config = request.config();
    StatusPage page = config.errorPages(request.routeIfAny()).ofEdge(status);
    int bodyBytes =
        ErrorPage.send(
            loop.heads(),
            response.sink(),
            status,
            text,
            response.record().requestId(),
            config.cacheStatus().forwarded(why, CacheStatus.NO_STATUS, false, false, null),
            proxyStatus,
            retryAfter,
            lines,
            HstsLine.line(request),
            request.rules(),
            page == null ? null : RenderedPage.of(page, request, response, status),
            request.isHead(),
            loop.nowMillis());
    response.record().bodyBytes(bodyBytes);
    response.onHeadSent(status, CacheResult.REFUSED, why);
    response.over();
  }
}
